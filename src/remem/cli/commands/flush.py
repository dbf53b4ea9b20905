"""Command `flush`: items or a transcript in, a report out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import click
from rich.console import Console
from rich.text import Text

from remem.app.tools.declare import call
from remem.app.tools.files import FLUSH
from remem.app.workspace import Workspace
from remem.cli.commands.tools import COMMANDS as TOOL_COMMANDS
from remem.cli.commands.tools import decoded
from remem.cli.main import At
from remem.cli.opening import counted, opened, piped, standard_input
from remem.cli.terminal import visible
from remem.errors import InvalidInput
from remem.learn.flush.result import FlushedItem, FlushResult
from remem.search.answer.answer import answer_text


def show_flushed(out: Console, done: FlushResult) -> None:
    _list(out, "written", done.written)
    _list(out, "waiting", done.waiting)
    _list(out, "for review", done.review)
    for refused in done.refused:
        out.print(Text(f"refused: {visible(refused.reason)}", "yellow"))
    for name in done.created:
        out.print(f"created {visible(name)}")
    for note in done.notes:
        out.print(Text(f"note: {visible(note)}", "yellow"))
    counts = [
        counted(len(done.written), "lesson") + " written",
        f"{len(done.known)} known already",
        *([f"{len(done.waiting)} waiting"] if done.waiting else []),
        *([f"{len(done.review)} for `remem review`"] if done.review else []),
        *([f"{len(done.refused)} refused"] if done.refused else []),
    ]
    out.print(Text(", ".join(counts), "dim"))


def _list(out: Console, title: str, kept: Sequence[FlushedItem]) -> None:
    for item in kept:
        out.print(Text(f"{title}  {item.kind}  → {visible(item.home)}", "bold"))
        out.print(Text("\n".join(f"    {line}" for line in visible(item.text).split("\n"))))
        if item.redacted:
            out.print(Text(f"    redacted: {', '.join(item.redacted)}", "dim"))
        if item.because:
            out.print(Text(f"    {visible(item.because)}", "yellow"))
        for fact in item.contradicts or ():
            out.print(Text(f"    contradicts {visible(fact)}", "yellow"))


_TRANSCRIPT: Final = click.Option(
    ["--transcript"],
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="A host's transcript; it is read from where it was last flushed.",
)
_IDLE: Final = click.Option(
    ["--idle"],
    is_flag=True,
    help="Flush the conversations that nobody has spoken in for half an hour.",
)


@click.pass_obj
def _run(at: At, /, items: str | None, transcript: Path | None, idle: bool, as_json: bool) -> None:
    if sum((items is not None, transcript is not None, idle)) > 1:
        raise click.UsageError("ITEMS, --transcript and --idle exclude each other.")
    given = None if transcript or idle else _items(items)
    with opened(at) as workspace:
        for done in _flushed(workspace, given, transcript):
            _tell(done, as_json)


def _flushed(
    workspace: Workspace, given: dict[str, Any] | None, transcript: Path | None
) -> list[FlushResult]:
    if transcript is not None:
        return [workspace.flush_transcript(transcript)]
    if given is None:
        return workspace.flush_idle()
    result = call(FLUSH, workspace, given)
    assert isinstance(result, FlushResult)
    return [result]


def _tell(done: FlushResult, as_json: bool) -> None:
    if as_json:
        click.echo(answer_text(done))
        return
    from remem.cli.render import show  # rich is slow to import

    show(done)


def _items(place: str | None) -> dict[str, Any]:
    """The items of a file, or of standard input."""
    if place is None and not piped():
        raise click.UsageError("Give a file of ITEMS, pipe them in, or use --transcript.")
    if place is None or place == "-":
        text = standard_input()
    else:
        try:
            text = Path(place).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidInput(f"{place} cannot be read: {error}") from None
    return decoded(FLUSH, {"items": text})


_TOOL: Final = TOOL_COMMANDS["flush"]
COMMANDS: Final = {
    "flush": click.Command(
        "flush",
        callback=_run,
        params=[*_TOOL.params, _TRANSCRIPT, _IDLE],
        help=_TOOL.help,
    )
}
