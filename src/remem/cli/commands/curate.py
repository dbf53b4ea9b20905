"""The command `curate`: list items that need a judgement, and give or accept verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

import click

from remem.app.tools.curation import CURATE
from remem.app.tools.declare import arguments, call
from remem.cli.commands.index import show_verdicts
from remem.cli.commands.tools import make_command, read_json
from remem.cli.opening import CommandTarget, next_step, opened
from remem.cli.terminal import respond, say, say_indented, say_notes
from remem.errors import InvalidInput, counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from remem.admin.curate.result import Curation, CurationGroup

_ACTIONS: Final = ("llm", "listed", "accept", "decline", "undo")
_ANSWERS: Final = ("keep", "drop", "pin")


def _curate(
    target: CommandTarget,
    /,
    as_json: bool,
    verdicts: str | None,
    only: tuple[int, ...],
    **values: Any,
) -> None:
    actions = [name for name in _ACTIONS if values[name]]
    verdict_arguments = _verdicts(verdicts, values)
    if len(actions) + bool(verdict_arguments) > 1:
        raise click.UsageError(
            "Use verdicts or one of --llm, --list, --accept, --decline and --undo."
        )
    if only and actions not in (["accept"], ["decline"], ["undo"]):
        raise click.UsageError("--only needs --accept, --decline or --undo.")
    options = {name: values[name] for name in ("topic", "token_budget") if values[name] is not None}
    with opened(target) as workspace:
        match actions:
            case ["undo"]:
                for number in only or (None,):
                    respond(workspace.curation.undo(number), as_json, show_verdicts)
            case ["listed"]:
                respond(workspace.curation.verdicts(), as_json, show_verdicts)
            case ["accept"]:
                respond(workspace.curation.accept(*only), as_json, _show_curation)
            case ["decline"]:
                respond(workspace.curation.decline(*only), as_json, show_verdicts)
            case ["llm"]:
                curation = workspace.curation.ask_model(**arguments(CURATE, options))
                respond(curation, as_json, _show_curation)
            case _:
                result = cast("Curation", call(CURATE, workspace, {**options, **verdict_arguments}))
                respond(result, as_json, _show_curation)
                _suggest(target, result, quiet=as_json)


def _suggest(target: CommandTarget, curation: Curation, *, quiet: bool) -> None:
    if curation.applied:
        next_step(target, f"curate --undo --only {curation.applied[-1]}", "undoes it", quiet=quiet)
    elif curation.items:
        item = curation.items[0].item
        next_step(target, f"curate --keep {item}", "or --drop, or --pin", quiet=quiet)


def _verdicts(file: str | None, values: dict[str, Any]) -> dict[str, Any]:
    """Return the argument `verdicts`: those in a file or on standard input, and in options."""
    verdicts = read_json(file, "verdicts") if file is not None else []
    if not isinstance(verdicts, list):
        raise InvalidInput(
            "verdicts is not a JSON list", hint='write [{"answer": "keep", "items": ["…"]}]'
        )
    verdicts += [{"answer": name, "items": list(values[name])} for name in _ANSWERS if values[name]]
    return {"verdicts": verdicts} if verdicts else {}


def _show_curation(curation: Curation) -> None:
    _show_items(curation)
    if page := curation.page:
        proposals = ", with all proposals applied" if curation.waiting else ""
        say(f"page: {page.tokens} of {page.limit} tokens used{proposals}")
    if curation.remaining:
        more = counted(curation.remaining, "more item")
        say(f"{more}: answer these first, or use --token-budget" if curation.task else more)
    if curation.applied:
        numbers = ", ".join(map(str, curation.applied))
        say(f"applied: {numbers}")
    if curation.proposed:
        say(f"proposed: {', '.join(map(str, curation.proposed))}")
    for refusal in curation.refused:
        say(f"refused: {refusal.item}: {refusal.reason}")
    if curation.waiting:
        proposals = counted(curation.waiting, "proposal waits", "proposals wait")
        say(f"{proposals} for your decision: `remem curate --list`, then --accept or --decline")
    say_notes(curation.notes)
    if not (curation.page or curation.refused or curation.waiting):
        say("nothing needs a judgement", err=True)


def _show_items(curation: Curation) -> None:
    if curation.page:
        say("ON THE PAGE", bold=True)
        _show_groups(curation.page.groups)
        if curation.page.no_room:
            needed = curation.page.needed
            say(f"NO ROOM FOR (needs {needed} tokens: drop or shorten others)", bold=True)
            for line in curation.page.no_room:
                say_indented(line)
        if curation.page.left_page:
            say("NO LONGER ON THE PAGE", bold=True)
            for line in curation.page.left_page:
                say_indented(line)
    if curation.left_out:
        say("LEFT OUT", bold=True)
        _show_groups(curation.left_out)
    for item in curation.items:
        say(f"{item.item}  {item.topic}; proposed: {item.proposed}", bold=True)
        say_indented(item.text)
        if item.other:
            say_indented(item.other)
        say_indented(f"{item.where}{f'; {item.why}' if item.why else ''}", dim=True)


def _show_groups(groups: Iterable[CurationGroup]) -> None:
    for group in groups:
        say(group.where, bold=True)
        for line in group.lines:
            say_indented(line)
        for proposal, names in (group.proposed or {}).items():
            say_indented(f"proposed for {', '.join(names)}: {proposal}", dim=True)


def _flag(name: str, variable: str, help_: str) -> click.Option:
    return click.Option([name, variable], is_flag=True, help=help_)


def _items(name: str, help_: str) -> click.Option:
    return click.Option([f"--{name}"], multiple=True, metavar="ITEM", help=help_)


_OPTIONS: Final = (
    _items("keep", "Keep it as it is; store or confirm it if it is not stored. May be repeated."),
    _items("drop", "Leave it out of the index; dismiss it if in review. May be repeated."),
    _items("pin", "Show it in every conversation. May be repeated."),
    _flag("--llm", "llm", "Let the configured language model judge; it makes proposals."),
    _flag("--list", "listed", "List all verdicts and proposals."),
    _flag("--accept", "accept", "Apply all proposals."),
    _flag("--decline", "decline", "Decline all proposals; they are not made again."),
    _flag("--undo", "undo", "Undo the last verdict."),
    click.Option(
        ["--only"],
        multiple=True,
        type=int,
        metavar="NUMBER",
        help="Accept, decline or undo only this verdict. May be repeated.",
    ),
)
COMMANDS: Final = {"curate": make_command(CURATE, _curate, _OPTIONS)}
