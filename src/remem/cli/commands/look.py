"""Commands `index`, `history`, `note` and `review`."""

from __future__ import annotations

import json
from typing import Final

import click

from remem.cli.main import At
from remem.cli.opening import opened, piped, standard_input
from remem.cli.render import show_entries, show_history
from remem.cli.terminal import console
from remem.search.answer.answer import answer_text, plain


@click.command()
@click.pass_obj
def index(at: At) -> None:
    """Print the index to include in every conversation.

    It is the text of memory/INDEX.md: what matters always, and where the rest is.
    """
    with opened(at) as workspace:
        click.echo(workspace.index().text, nl=False)


@click.command()
@click.argument("id_", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="Print the versions as one JSON array.")
@click.pass_obj
def history(at: At, id_: str, as_json: bool) -> None:
    """Show every version of an entry.

    The first comes first; each says when it came and what brought it about.

    \b
    remem history mem-3f8k2m1q
    """
    with opened(at) as workspace:
        versions = workspace.history(id_)
        if as_json:
            plain_versions = [plain(version) for version in versions]
            click.echo(json.dumps(plain_versions, ensure_ascii=False, separators=(",", ":")))
        else:
            show_history(console(), versions)


_LOOK = {"index": index, "history": history}


class _Noting(click.Command):
    """A text may begin like a point of a list; no option has a blank behind its dash."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        points = [arg for arg in args if arg[:1] == "-" and arg[1:2].isspace()]
        if points and "--" not in args:
            args = [*(arg for arg in args if arg not in points), "--", *points]
        return super().parse_args(ctx, args)


@click.command(cls=_Noting)
@click.argument("text", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print its location, as JSON.")
@click.pass_obj
def note(at: At, *, text: str | None, as_json: bool) -> None:
    """Append a line to today's note.

    TEXT goes behind everything in memory/YYYY-MM-DD.md, in the manner of that note; `-`, or
    nothing in a pipe, reads it from standard input. Notes are never rewritten.

    \b
    remem note "Called the plumber; coming on Friday."
    git log -1 --format=%s | remem note
    """
    if text is None and not piped():
        raise click.UsageError("Missing argument 'TEXT'.")
    said = standard_input() if text is None or text == "-" else text
    with opened(at) as workspace:
        done = workspace.note(said)
    if as_json:
        click.echo(answer_text(done))
        return
    masked = f" (redacted: {', '.join(done.redacted)})" if done.redacted else ""
    click.echo(f"noted in {done.path}, line {done.start}{masked}")


_NOTE = {"note": note}


@click.command()
@click.option("--confirm", metavar="ID", multiple=True, help="Make it your own. May be repeated.")
@click.option("--dismiss", metavar="ID", multiple=True, help="Archive it. May be repeated.")
@click.pass_obj
def review(at: At, confirm: tuple[str, ...], dismiss: tuple[str, ...]) -> None:
    """Confirm or dismiss memories that wait for review.

    Without an option it lists what waits: where it comes from, why it is in doubt, and the
    category and priority that it has once you confirm it. What may have been pasted into a message
    waits here. Untrusted memory never reaches an agent by itself.

    \b
    remem review
    remem review --confirm mem-3f8k2m1q --dismiss mem-9w2x7c4d
    """
    with opened(at) as workspace:
        for id_ in confirm:
            click.echo(f"confirmed {workspace.confirm(id_).id}")
        for id_ in dismiss:
            click.echo(f"dismissed {workspace.dismiss(id_).id}")
        if not confirm and not dismiss:
            waiting = workspace.review()
            show_entries(console(), waiting, origins=True)
            if not waiting:
                click.echo("nothing waits for review", err=True)


_REVIEW = {"review": review}


COMMANDS: Final = {**_LOOK, **_NOTE, **_REVIEW}
