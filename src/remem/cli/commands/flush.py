"""How is a conversation written down from the command line? Its items, or its transcript."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import click

from remem.cli.group import At
from remem.cli.opening import opened
from remem.cli.reading import piped, standard_input
from remem.cli.tool_commands import COMMANDS as TOOL_COMMANDS
from remem.cli.tool_commands import decoded
from remem.errors import InvalidInput
from remem.maintenance.flush.result import Flushed
from remem.recall.answer import answer_text
from remem.tools import FLUSH, call
from remem.workspace import Workspace

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
) -> list[Flushed]:
    if transcript is not None:
        return [workspace.flush_transcript(transcript)]
    if given is None:
        return workspace.flush_idle()
    result = call(FLUSH, workspace, given)
    assert isinstance(result, Flushed)
    return [result]


def _tell(done: Flushed, as_json: bool) -> None:
    if as_json:
        click.echo(answer_text(done))
        return
    from remem.cli.screen import show  # rich is slow to import

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
