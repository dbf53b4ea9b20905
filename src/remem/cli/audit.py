"""What does the memory cost, and what is done about it? The tool, and the owner's hands."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import click

from remem.audit.apply import Undone
from remem.cli.group import At
from remem.cli.opening import opened
from remem.cli.tool_commands import COMMANDS as TOOL_COMMANDS
from remem.notes.private_places import hidden
from remem.recall.answer import answer_text
from remem.tools import arguments, tool_named, tool_texts
from remem.workspace import Workspace

_APPLY: Final = click.Option(
    ["--apply", "number"],
    metavar="NUMBER",
    type=click.IntRange(min=1),
    help="Carry out one recommendation, after showing its diff.",
)
_UNDO: Final = click.Option(
    ["--undo"], is_flag=True, help="Take back what was applied last; edits made since stay."
)
_YES: Final = click.Option(["--yes"], is_flag=True, help="Apply without asking.")
_SLOW: Final = 1.0


@click.pass_obj
def _run(
    at: At, /, as_json: bool, number: int | None, undo: bool, yes: bool, **values: Any
) -> None:
    if number is not None and undo:
        raise click.UsageError("--apply and --undo exclude each other.")
    changing = number is not None or undo
    given = {name: value for name, value in values.items() if value}
    if changing and (as_json or given):
        raise click.UsageError("--apply and --undo take no other option than --yes.")
    with opened(at) as workspace:
        if undo:
            click.echo(undone_told(workspace.audit_undo()))
        elif number is not None:
            _apply(workspace, number, yes)
        else:
            _show(workspace, given, as_json)


def _show(workspace: Workspace, given: dict[str, Any], as_json: bool) -> None:
    checked = arguments(tool_named("memory_audit"), given)
    with _telling() as tell:
        found = workspace.audit(**checked, tools=tool_texts(workspace), progress=tell)
    result = hidden(found, workspace.private_places)
    if as_json:
        click.echo(answer_text(result))
        return
    from remem.cli.screen import show  # rich is slow to import

    show(result)


def _apply(workspace: Workspace, number: int, yes: bool) -> None:
    from remem.cli.screen import visible  # rich is slow to import

    with _telling() as tell:
        proposal = workspace.audit_proposal(number, tell)
    click.echo(visible(proposal.diff))
    if not yes and not click.confirm("Change the file like this?", err=True):
        click.echo("nothing was changed", err=True)
        raise click.exceptions.Exit(1)
    done = workspace.audit_apply(proposal)
    click.echo(visible(f"done: {done.description}"))
    click.echo(f"tokens saved: {done.measured:,} measured, {done.claimed:,} promised")
    click.echo(
        f"the earlier bytes are in {done.kept}; `remem audit --undo` brings them back", err=True
    )


def undone_told(undone: Undone) -> str:
    how = {
        "restored": f"{undone.path} is byte for byte what it was",
        "merged": f"{undone.path} has its lines again, and your edits since then",
        "already": f"{undone.path} had not been changed, or is back already",
    }
    return f"{how[undone.how]} (undone: {undone.description})"


@contextmanager
def _telling() -> Iterator[Callable[[str], None]]:
    """What is being done, on stderr, once it takes longer than a second and somebody watches."""
    began, told = time.monotonic(), False

    def tell(step: str) -> None:
        nonlocal told
        if sys.stderr.isatty() and time.monotonic() - began > _SLOW:
            click.echo(f"\r\x1b[K{step} …", nl=False, err=True)
            told = True

    yield tell
    if told:
        click.echo("\r\x1b[K", nl=False, err=True)


_TOOL: Final = TOOL_COMMANDS["audit"]
COMMANDS: Final = {
    "audit": click.Command(
        "audit", callback=_run, params=[*_TOOL.params, _APPLY, _YES, _UNDO], help=_TOOL.help
    )
}
