"""Command `consolidate`, and how heartbeats and consolidations are shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import click
from rich.console import Console
from rich.text import Text

from remem.app.tools.declare import arguments
from remem.app.tools.files import CONSOLIDATE
from remem.cli.commands.refresh import telling
from remem.cli.commands.tools import COMMANDS as TOOL_COMMANDS
from remem.cli.main import At
from remem.cli.opening import counted, opened
from remem.cli.terminal import visible
from remem.files.private_paths import hide_paths
from remem.learn.consolidate.result import (
    Consolidation,
    Contradiction,
    UndoResult,
    WeighedStatement,
)
from remem.learn.heartbeat import Heartbeat
from remem.search.answer.answer import answer_text


def show_heartbeat(out: Console, done: Heartbeat) -> None:
    for title, kept in (
        ("written", done.written),
        ("waiting", done.waiting),
        ("for review", done.review),
    ):
        for item in kept:
            place = f"  from {visible(item.origin)}" if item.origin else ""
            out.print(Text(f"{title}  {item.kind}  → {visible(item.home)}{place}", "bold"))
            out.print(Text(f"    {visible(item.text)}"))
            if item.because:
                out.print(Text(f"    {visible(item.because)}", "yellow"))
            for fact in item.contradicts or ():
                out.print(Text(f"    contradicts {visible(fact)}", "yellow"))
    for one in done.refused:
        out.print(Text(f"refused: {visible(one.reason)}", "yellow"))
    _troubles(out, [*done.troubles, *([done.unread] if done.unread else [])])
    if done.passed:
        left = sorted(done.passed.items(), key=lambda each: -each[1])
        out.print(Text("passed over: " + ", ".join(f"{n:,} {why}" for why, n in left), "dim"))
    out.print(
        Text(
            f"{counted(done.conversations, 'conversation')} and "
            f"{counted(done.notes, 'note')} read: "
            f"{counted(len(done.written), 'statement')} written, {done.known:,} known already",
            "dim",
        )
    )


def show_consolidated(out: Console, done: Consolidation) -> None:
    for weighed in done.taken:
        _weighed(out, weighed, "bold")
    for weighed in done.left:
        _weighed(out, weighed, "dim")
    for one in done.contradictions:
        _contradiction(out, one)
    _troubles(out, [*done.troubles, *([done.unread] if done.unread else [])])
    step = f"; step {done.run}, `remem consolidate --undo` takes it back" if done.run else ""
    out.print(
        Text(
            f"{counted(done.statements, 'statement')} of "
            f"{counted(done.conversations, 'conversation')}: {len(done.taken):,} taken, "
            f"{done.left_in_all:,} left{step}",
            "dim",
        )
    )


def show_taken_back(out: Console, done: UndoResult) -> None:
    out.print(f"step {done.run} is taken back")
    for title, ids in (
        ("archived", done.archived),
        ("facts that stand no longer", done.retracted),
        ("as strong as before", done.weakened),
        ("changed since, left alone", done.kept),
    ):
        if ids:
            out.print(f"{title}: {', '.join(map(visible, ids))}")
    _troubles(out, done.troubles)


def _contradiction(out: Console, found: Contradiction) -> None:
    out.print(Text(f"contradiction: {visible(found.rule)}; {visible(found.why)}", "yellow"))
    for side in (found.earlier, found.later):
        fact = f"{visible(side.fact)}: " if side.fact else ""
        out.print(Text(f"    {fact}{visible(side.text)}"))
        out.print(Text(f"    {', '.join(map(visible, side.said_at))}", "dim"))
    if found.propose:
        out.print(Text(f"    to replace it: {visible(found.propose)}"))


def _weighed(out: Console, each: WeighedStatement, style: str) -> None:
    stands = each.fact or each.entry
    place = f" {visible(stands)}" if stands else ""
    out.print(Text(f"{each.verdict}{place}: {visible(each.because)}", style))
    out.print(Text(f"    {visible(each.text)}"))
    if each.verdict != "left":
        out.print(Text(f"    {', '.join(map(visible, each.said_at))}", "dim"))


def _troubles(out: Console, troubles: Sequence[str]) -> None:
    for trouble in troubles:
        out.print(Text(f"note: {visible(trouble)}", "yellow"))


_EXPLAIN: Final = click.Option(["--explain"], is_flag=True, help="Tell what was left too, and why.")
_UNDO: Final = click.Option(["--undo"], is_flag=True, help="Take the last consolidation back.")


@click.pass_obj
def _run(at: At, /, days: int | None, explain: bool, undo: bool, as_json: bool) -> None:
    if undo and explain:
        raise click.UsageError("--undo and --explain exclude each other.")
    given = arguments(CONSOLIDATE, {"days": days})
    with opened(at) as workspace, telling() as tell:
        result: Consolidation | UndoResult
        if undo:
            result = workspace.undo_consolidation()
        else:
            result = workspace.consolidate(
                **given,
                explain=explain,
                progress=lambda done, of: tell(f"{done:,} of {counted(of, 'conversation')} read"),
            )
        result = hide_paths(result, workspace.private_places)
    if as_json:
        click.echo(answer_text(result))
        return
    from remem.cli.render import show  # rich is slow to import

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
