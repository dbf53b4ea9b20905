"""How is what several conversations say consolidated by hand? As one step, and back again."""

from __future__ import annotations

from typing import Final

import click

from remem.cli.group import At
from remem.cli.opening import opened
from remem.cli.refresh import telling
from remem.cli.tool_commands import COMMANDS as TOOL_COMMANDS
from remem.cli.wording import counted
from remem.maintenance.consolidation.result import Consolidated, TakenBack
from remem.notes.private_places import hidden
from remem.recall.answer import answer_text
from remem.tools import CONSOLIDATE, arguments

_EXPLAIN: Final = click.Option(["--explain"], is_flag=True, help="Tell what was left too, and why.")
_UNDO: Final = click.Option(["--undo"], is_flag=True, help="Take the last consolidation back.")


@click.pass_obj
def _run(at: At, /, days: int | None, explain: bool, undo: bool, as_json: bool) -> None:
    if undo and explain:
        raise click.UsageError("--undo and --explain exclude each other.")
    given = arguments(CONSOLIDATE, {"days": days})
    with opened(at) as workspace, telling() as tell:
        result: Consolidated | TakenBack
        if undo:
            result = workspace.undo_consolidation()
        else:
            result = workspace.consolidate(
                **given,
                explain=explain,
                progress=lambda done, of: tell(f"{done:,} of {counted(of, 'conversation')} read"),
            )
        result = hidden(result, workspace.private_places)
    if as_json:
        click.echo(answer_text(result))
        return
    from remem.cli.screen import show  # rich is slow to import

    show(result)


_TOOL: Final = TOOL_COMMANDS["consolidate"]
COMMANDS: Final = {
    "consolidate": click.Command(
        "consolidate",
        callback=_run,
        params=[*_TOOL.params, _EXPLAIN, _UNDO],
        help=_TOOL.help,
    )
}
