"""How does a person put something into the note of the day?"""

from __future__ import annotations

import click

from remem.cli.group import At
from remem.cli.opening import opened
from remem.cli.reading import piped, standard_input
from remem.recall.answer import answer_text


class _Noting(click.Command):
    """A text may begin like a point of a list; no option has a blank behind its dash."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        points = [each for each in args if each[:1] == "-" and each[1:2].isspace()]
        if points and "--" not in args:
            args = [*(each for each in args if each not in points), "--", *points]
        return super().parse_args(ctx, args)


@click.command(cls=_Noting)
@click.argument("text", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print where it stands, as JSON.")
@click.pass_obj
def note(at: At, *, text: str | None, as_json: bool) -> None:
    """Append to the note of the day.

    TEXT goes behind everything in memory/YYYY-MM-DD.md, in the manner of that note; `-`, or
    nothing in a pipe, reads it from standard input. Notes are never rewritten.

    \b
    remem note "Called the plumber; he comes on Friday."
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


COMMANDS = {"note": note}
