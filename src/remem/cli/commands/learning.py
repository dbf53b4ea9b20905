"""Commands that learn from conversations and notes: flush, heartbeat and consolidate."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from remem.app.tools.declare import arguments, call
from remem.app.tools.files import CONSOLIDATE, FLUSH, HEARTBEAT
from remem.cli.commands.tools import make_command, read_json, tool_command
from remem.cli.opening import CommandTarget, next_step, opened
from remem.cli.terminal import is_piped, progress, respond, say, say_indented, say_notes
from remem.errors import counted

if TYPE_CHECKING:
    from remem.app.workspace import Workspace
    from remem.learn.consolidate.result import (
        Consolidation,
        RecurringContradiction,
        UndoResult,
        WeighedStatement,
    )
    from remem.learn.flush.result import FlushedItem, FlushResult
    from remem.learn.heartbeat import Heartbeat


def _flush(
    target: CommandTarget, /, items: str | None, transcript: Path | None, idle: bool, as_json: bool
) -> None:
    if sum((items is not None, transcript is not None, idle)) > 1:
        raise click.UsageError("ITEMS, --transcript and --idle are mutually exclusive.")
    lessons = None if transcript or idle else _read_items(items)
    with opened(target) as workspace:
        for result in _flush_results(workspace, lessons, transcript):
            respond(result, as_json, _show_flushed)
    next_step(target, "recent", "shows what was stored", quiet=as_json)


def _flush_results(
    workspace: Workspace, items: dict[str, Any] | None, transcript: Path | None
) -> Iterable[Any]:
    """Flush items or a transcript or, without both, all idle conversations."""
    if transcript is not None:
        return [workspace.flush_transcript(transcript)]
    if items is not None:
        return [call(FLUSH, workspace, items)]
    return workspace.maintenance.flush_idle()


def _read_items(file: str | None) -> dict[str, Any]:
    """Return the argument of the tool: the items in a file or on standard input."""
    if file is None and not is_piped():
        raise click.UsageError("Give a file of ITEMS, pipe them in, or use --transcript.")
    return {"items": read_json(file, "items")}


def _show_flushed(result: FlushResult) -> None:
    _show_items(result)
    for name in result.created:
        say(f"created {name}")
    say_notes(result.notes)
    counts = [
        f"{counted(len(result.written), 'lesson')} written",
        f"{len(result.known)} already known",
        f"{len(result.waiting)} waiting" if result.waiting else "",
        f"{len(result.review)} for `remem review`" if result.review else "",
        f"{len(result.refused)} refused" if result.refused else "",
    ]
    say(", ".join(count for count in counts if count), dim=True)


def _show_items(result: FlushResult | Heartbeat) -> None:
    groups = (
        ("written", result.written),
        ("waiting", result.waiting),
        ("for review", result.review),
    )
    for title, items in groups:
        for item in items:
            _show_item(title, item)
    for refused in result.refused:
        say(f"refused: {refused.reason}", fg="yellow")


def _show_item(title: str, item: FlushedItem) -> None:
    origin = f"  from {item.origin}" if item.origin else ""
    say(f"{title}  {item.kind}  → {item.home}{origin}", bold=True)
    say_indented(item.text)
    if item.redacted:
        say(f"    redacted: {', '.join(item.redacted)}", dim=True)
    if item.reason:
        say(f"    {item.reason}", fg="yellow")
    for fact in item.contradicts or ():
        say(f"    contradicts {fact}", fg="yellow")


def _show_heartbeat(result: Heartbeat) -> None:
    _show_items(result)
    _show_problems(result.problems, result.unread)
    if result.passed:
        reasons = sorted(result.passed.items(), key=lambda item: -item[1])
        say("skipped: " + ", ".join(f"{count:,} {why}" for why, count in reasons), dim=True)
    conversations = counted(result.conversations, "conversation")
    notes = counted(result.notes, "note")
    written = counted(len(result.written), "statement")
    say(
        f"{conversations} and {notes} read: {written} written, {result.known:,} already known",
        dim=True,
    )


def _show_problems(problems: Sequence[str], unread: str | None) -> None:
    say_notes([*problems, *([unread] if unread else [])])


def _consolidate(
    target: CommandTarget, /, days: int | None, explain: bool, undo: bool, as_json: bool
) -> None:
    if undo and explain:
        raise click.UsageError("--undo and --explain are mutually exclusive.")
    parameters = arguments(CONSOLIDATE, {"days": days})
    from remem.files.private_paths import hide_paths

    with opened(target) as workspace, progress() as report:
        if undo:
            undone = hide_paths(workspace.maintenance.undo_consolidation(), workspace.private_paths)
        else:
            result = workspace.maintenance.consolidate(
                **parameters,
                explain=explain,
                progress=lambda read, total: report(
                    f"{read:,} of {counted(total, 'conversation')} read"
                ),
            )
            result = hide_paths(result, workspace.private_paths)
    if undo:
        respond(undone, as_json, _show_undone)
        next_step(target, "consolidate", "does it again", quiet=as_json)
    else:
        respond(result, as_json, _show_consolidated)
        next_step(target, "recent", "shows what was stored", quiet=as_json)


def _show_consolidated(result: Consolidation) -> None:
    for statement in result.taken:
        _show_weighed(statement, bold=True)
    for statement in result.left:
        _show_weighed(statement, dim=True)
    for contradiction in result.contradictions:
        _show_contradiction(contradiction)
    _show_problems(result.problems, result.unread)
    undo = f"; `remem consolidate --undo` undoes run {result.run}" if result.run else ""
    statements = counted(result.statements, "statement")
    conversations = counted(result.conversations, "conversation")
    say(
        f"{statements} in {conversations}: {len(result.taken):,} kept, "
        f"{result.rejected_total:,} not kept{undo}",
        dim=True,
    )


def _show_weighed(statement: WeighedStatement, **style: bool) -> None:
    target = statement.fact or statement.entry
    say(f"{statement.verdict}{f' {target}' if target else ''}: {statement.reason}", **style)
    say_indented(statement.text)
    if statement.verdict != "left":
        say(f"    {', '.join(statement.said_at)}", dim=True)


def _show_contradiction(contradiction: RecurringContradiction) -> None:
    say(f"contradiction: {contradiction.rule}; {contradiction.why}", fg="yellow")
    for side in (contradiction.earlier, contradiction.later):
        say(f"    {f'{side.fact}: ' if side.fact else ''}{side.text}")
        say(f"    {', '.join(side.said_at)}", dim=True)
    if contradiction.command:
        say(f"    to replace it: {contradiction.command}")


def _show_undone(result: UndoResult) -> None:
    say(f"run {result.run} was undone")
    for title, ids in (
        ("archived", result.archived),
        ("retracted facts", result.retracted),
        ("restored to the earlier strength", result.weakened),
        ("changed since and therefore kept", result.kept),
    ):
        if ids:
            say(f"{title}: {', '.join(ids)}")
    _show_problems(result.problems, None)


COMMANDS: Final = {
    "flush": make_command(
        FLUSH,
        _flush,
        [
            click.Option(
                ["--transcript"],
                metavar="FILE",
                type=click.Path(path_type=Path),
                help="Flush a host's transcript from where it was last flushed.",
            ),
            click.Option(
                ["--idle"],
                is_flag=True,
                help="Flush the conversations that have been silent for half an hour.",
            ),
        ],
    ),
    "heartbeat": tool_command(
        HEARTBEAT,
        _show_heartbeat,
        then=lambda target, _result: next_step(target, "recent", "shows what was stored"),
    ),
    "consolidate": make_command(
        CONSOLIDATE,
        _consolidate,
        [
            click.Option(
                ["--explain"], is_flag=True, help="Also list statements not kept, and why."
            ),
            click.Option(["--undo"], is_flag=True, help="Undo the last consolidation."),
        ],
    ),
}
