"""The command `index`, and its subcommands for the owner's choices: pin, drop and order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from remem.cli.opening import CommandTarget, next_step, opened
from remem.cli.root import OneOf
from remem.cli.terminal import json_option, respond, say, say_notes
from remem.errors import counted
from remem.model.entry import CATEGORIES
from remem.text.markdown import one_line

if TYPE_CHECKING:
    from remem.admin.curate.result import Verdicts, VerdictView
    from remem.entries.index import Index
    from remem.model.entry import Category

_MAX_WIDTH: Final = 60
_PAST_TENSES: Final = {
    "keep": "kept",
    "drop": "dropped",
    "pin": "pinned",
    "reword": "reworded",
    "merge": "merged",
    "recategorise": "recategorised",
    "order": "reordered",
    "page": "kept the rest of the page,",
}


@click.group(invoke_without_command=True)
@click.option("--undo", is_flag=True, help="Undo the last verdict, such as a pin or a drop.")
@click.option("--why", is_flag=True, help="Say why each line is shown, and what was left out.")
@json_option
@click.pass_context
def index(ctx: click.Context, undo: bool, why: bool, as_json: bool) -> None:
    """Print the index to include in every conversation.

    It is the text of memory/INDEX.md: the most important memories, and where the others are.
    `pin`, `drop` and `order` change its lines permanently; editing memory/INDEX.md does the same.

    \b
    remem index
    remem index --why
    remem index drop 12
    remem index --undo
    """
    if ctx.invoked_subcommand is not None:
        return
    with opened(ctx.obj) as workspace:
        if undo:
            show_verdicts(workspace.curation.undo())
            next_step(ctx.obj, "index", "shows the lines as they are now")
        elif why or as_json:
            respond(workspace.index(), as_json, _show_reasons)
        else:
            click.echo(workspace.services.entries.index_text().text, nl=False)


@index.command()
@click.argument("lines", metavar="LINE...", nargs=-1, required=True)
@click.option("--as", "text", metavar="TEXT", help="Show one line in these words.")
@click.option(
    "-c",
    "--category",
    type=OneOf(CATEGORIES),
    default="fact",
    show_default=True,
    help="The category of a new line.",
)
@json_option
@click.pass_obj
def pin(
    target: CommandTarget,
    lines: tuple[str, ...],
    text: str | None,
    category: Category,
    as_json: bool,
) -> None:
    """Show lines in every conversation.

    LINE is the number of a line, the id of an entry, or the text of a new line. Pinned lines come
    first. With --as, a line is shown in other words until its entry is changed.

    \b
    remem index pin mem-3f8k2m1q 7
    remem index pin 7 --as "Answer in German, briefly."
    remem index pin "Never book flights before 9:00." -c instruction
    """
    with opened(target) as workspace:
        verdicts = workspace.curation.pin(*lines, text=text, category=category)
        respond(verdicts, as_json, show_verdicts)
    next_step(target, "index --undo", "undoes it", quiet=as_json)


@index.command()
@click.argument("lines", metavar="LINE...", nargs=-1, required=True)
@json_option
@click.pass_obj
def drop(target: CommandTarget, lines: tuple[str, ...], as_json: bool) -> None:
    """Leave lines out of the index; recall still finds them.

    LINE is the number of a line or the id of an entry.

    \b
    remem index drop 12 mem-9w2x7c4d
    """
    with opened(target) as workspace:
        respond(workspace.curation.drop(*lines), as_json, show_verdicts)
    next_step(target, "index --undo", "undoes it", quiet=as_json)


@index.command()
@click.argument("lines", metavar="LINE...", nargs=-1, required=True)
@json_option
@click.pass_obj
def order(target: CommandTarget, lines: tuple[str, ...], as_json: bool) -> None:
    """Put lines of the index in this order.

    LINE is the number of a line or the id of an entry. The lines are placed where the topmost of
    them is now.

    \b
    remem index order 7 1
    """
    with opened(target) as workspace:
        respond(workspace.curation.order(*lines), as_json, show_verdicts)
    next_step(target, "index --undo", "undoes it", quiet=as_json)


def _show_reasons(index_: Index) -> None:
    """Print the numbered lines of the index, then those left out, each with its reasons."""
    for number, line in enumerate(index_.lines, start=1):
        say(f"{number}: {line.text.removeprefix('- ')}")
        say(f"   {'; '.join(line.reasons)}  ({line.entry})")
    if index_.left_out:
        say("\nLeft out, best first:")
    for line in index_.left_out:
        say(line.text)
        say(f"   {'; '.join(line.reasons)}  ({line.entry})")


def show_verdicts(verdicts: Verdicts) -> None:
    """Print verdicts, one per line, and notes about them."""
    for view in verdicts.verdicts:
        say(_sentence(view))
    if not verdicts.verdicts:
        say("no verdicts")
    say_notes(verdicts.notes)


def _sentence(view: VerdictView) -> str:
    text = one_line(view.text or view.content, _MAX_WIDTH)
    if view.answer in ("order", "page"):
        return f"{view.number}: {_state(view)} {counted(len(view.entries), 'line')}"
    name = view.entries[0] if view.entries else view.reason
    return f"{view.number}: {_state(view)} {name}  {text}"


def _state(view: VerdictView) -> str:
    past_tense = _PAST_TENSES[view.answer]
    match view.state:
        case "applied":
            return past_tense
        case "undone":
            return f"undone: {past_tense}"
        case _:
            return f"{view.state} by {view.author}: {view.answer}"


COMMANDS: Final = {"index": index}
