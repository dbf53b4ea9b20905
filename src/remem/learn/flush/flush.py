"""Write the lessons of a conversation into memory, each exactly once.

One transaction records the new lessons and the changes to be made; then the files are written.
Changes that an interruption left pending are written when the workspace is next used. A recorded
lesson is not written again, nor is a change that its file already contains, so a flush may be
repeated, run twice at the same time, or be killed at any point.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import timedelta
from typing import Final

from remem.entries.background import BackgroundTask
from remem.files.transcripts.locate import Transcript
from remem.files.transcripts.reading import LEARNED, source_of
from remem.learn.file_updates.apply import write_changes
from remem.learn.file_updates.changes import (
    AddDayBlock,
    AddReference,
    AddRoute,
    Change,
    SetTask,
    short_origin,
)
from remem.learn.first_gate import create_gate
from remem.learn.flush import state
from remem.learn.flush.items import SourceLessons
from remem.learn.flush.planning import FlushPlan, Outcome, commit_operation, plan_all
from remem.learn.flush.result import FlushedItem, FlushResult, RefusedItem
from remem.learn.flush.state import FlushContext, write_state_file
from remem.model.lesson import Lesson
from remem.ports.entries import EntryReader
from remem.text.timestamps import parse_time

IDLE: Final = timedelta(minutes=30)
_MAX_IDLE: Final = timedelta(days=1)
"""A conversation that has been idle for longer than this is ignored: it ended before remem ran."""
_CHECK_INTERVAL_SECONDS: Final = 60.0
_SECONDARY_CHANGES: Final = (AddReference, AddRoute, AddDayBlock)
"""Changes that only refer to a lesson's file, or mention the lesson."""
_MAX_TEXT_LENGTH: Final = 200
"""Longer texts are shortened in the answer, because the caller already has them."""


def is_idle(last_said: str, now: str) -> bool:
    """Return whether a conversation is idle, but not yet for so long that it is ignored."""
    idle = parse_time(now) - parse_time(last_said)
    return IDLE <= idle <= _MAX_IDLE


def idle_transcripts(
    transcripts: Iterable[Transcript], reader: EntryReader, now: str
) -> Iterator[Transcript]:
    """Return the transcripts that are idle and have grown since they were last read."""
    idle = (transcript for transcript in transcripts if is_idle(transcript.modified_at, now))
    return unread_transcripts(idle, reader)


def unread_transcripts(
    transcripts: Iterable[Transcript], reader: EntryReader
) -> Iterator[Transcript]:
    """Yield the transcripts that have grown since they were last read."""
    for transcript in transcripts:
        position = reader.record(LEARNED, source_of(transcript.file))
        if position is None or position.size != transcript.signature[2]:
            yield transcript


def start_idle_timer(check: Callable[[], object]) -> BackgroundTask:
    """Call `check` every minute in a thread, to flush idle conversations."""
    timer = BackgroundTask(check, "remem idle", every=_CHECK_INTERVAL_SECONDS)
    timer.start()
    return timer


def flush(
    context: FlushContext,
    lessons: Sequence[Lesson],
    refused_items: Sequence[RefusedItem] = (),
    source_lessons: SourceLessons | None = None,
    reason: str = "remem",
) -> FlushResult:
    """Write lessons into memory; once this returns, each is written or saved as pending.

    `refused_items` were refused before, and are only reported. `source_lessons` is what the lessons
    were read from, if that was a file; `reason` says what triggered the flush.
    """
    gate = create_gate(context.layout, context.scope, [lesson.text for lesson in lessons])
    plans = plan_all(context, lessons)
    now = context.now()
    outcomes = context.store.write(commit_operation(context, plans, now, source_lessons, reason))
    problems = write_pending(context)
    notes = _secondary_failures(problems)
    if source_lessons and source_lessons.unreadable_reason:
        notes.append(source_lessons.unreadable_reason)
    return FlushResult(
        last_flush=now,
        **_items_by_result(plans, outcomes, problems),
        refused=(*refused_items, *_refusals(plans, outcomes)),
        created=(context.layout.relative(gate),) if gate else (),
        notes=tuple(notes),
    )


def write_pending(context: FlushContext) -> dict[Change, str]:
    """Write the pending changes and the state file; return the failed changes and the reasons."""
    with context.exclusive():
        with context.store.read() as snapshot:
            changes = state.pending_changes(snapshot)
        problems = write_changes(context, changes) if changes else {}
        written = [change for change in changes if change not in problems]
        if written:
            context.store.write(lambda tx: state.remove_pending(tx, written))
        write_state_file(context)
    return problems


def _items_by_result(
    plans: Sequence[FlushPlan], outcomes: Sequence[Outcome], failures: dict[Change, str]
) -> dict[str, tuple[FlushedItem, ...]]:
    """Return the items for the fields of the result, by the name of the field."""
    reasons = {
        change.lesson if isinstance(change, SetTask) else change.id: why
        for change, why in failures.items()
        if not isinstance(change, _SECONDARY_CHANGES)
    }
    items: dict[str, list[FlushedItem]] = {"written": [], "known": [], "waiting": [], "review": []}
    for plan, outcome in zip(plans, outcomes, strict=True):
        if outcome.refused:
            continue
        lesson = plan.lesson
        reason = reasons.get(lesson.id) or lesson.doubt
        item = FlushedItem(
            kind=lesson.kind,
            text=_shorten(lesson.text),
            home=outcome.written_to,
            origin=short_origin(lesson.origin),
            redacted=lesson.redacted,
            reason=reason,
            contradicts=None if outcome.known else plan.contradicts or None,
        )
        result = "review" if lesson.doubt else "waiting" if reason else "written"
        items["known" if outcome.known and result != "waiting" else result].append(item)
    return {name: tuple(group) for name, group in items.items()}


def _secondary_failures(failures: dict[Change, str]) -> list[str]:
    """Return why references, routes or notes could not be written yet."""
    secondary = (why for change, why in failures.items() if isinstance(change, _SECONDARY_CHANGES))
    return list(dict.fromkeys(secondary))


def _shorten(text: str) -> str:
    return text if len(text) <= _MAX_TEXT_LENGTH else f"{text[: _MAX_TEXT_LENGTH - 1]}…"


def _refusals(plans: Sequence[FlushPlan], outcomes: Sequence[Outcome]) -> list[RefusedItem]:
    pairs = zip(plans, outcomes, strict=True)
    return [
        RefusedItem(_shorten(plan.lesson.text), outcome.refused)
        for plan, outcome in pairs
        if outcome.refused
    ]
