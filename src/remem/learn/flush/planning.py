"""Plan how each lesson is written, and record the new lessons in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import tzinfo
from typing import Final

from remem.entries.receipt import Receipt, ReviewedFields, save_intent
from remem.entries.store import store_operation
from remem.errors import InvalidInput, RememError
from remem.files.transcripts.reading import LEARNED
from remem.learn.file_updates.apply import current_text
from remem.learn.file_updates.changes import Change, RecordFact
from remem.learn.file_updates.day_block import NoteLine, note_changes, note_lines
from remem.learn.file_updates.facts import Subjects
from remem.learn.file_updates.routing import (
    TargetFile,
    TargetScope,
    bullet_change,
    reachability_changes,
    target_file,
    task_change,
)
from remem.learn.file_updates.tasks import TaskLine, TaskPage, has_state
from remem.learn.flush import state
from remem.learn.flush.items import SourceLessons
from remem.learn.flush.state import FlushContext
from remem.model.entry import Draft
from remem.model.lesson import Lesson, lesson_id
from remem.model.project import with_project
from remem.ports.entries import Transaction
from remem.text.similarity import folded_hash
from remem.text.timestamps import parse_time
from remem.text.words import fold

_TASK_TAG: Final = "task"


@dataclass(frozen=True, slots=True)
class FlushPlan:
    """A lesson and everything needed to write it; `keys` identify the lesson.

    `written_to` is the file, or empty if `store` stores the lesson as an entry. `already_there`
    means that memory has it already, so that `changes` and `note` are not needed. `contradicts`
    are active facts that contradict it. For a doubtful lesson, `covered_by` are the keys that it
    would have if the owner had said it; if one of them is recorded, the lesson is skipped.
    """

    lesson: Lesson
    written_to: str
    keys: tuple[str, ...]
    changes: tuple[Change, ...] = ()
    note: tuple[NoteLine, ...] = ()
    store: Callable[[Transaction], Receipt] | None = None
    already_there: bool = False
    contradicts: tuple[str, ...] = ()
    covered_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """The place that a lesson was written to, or the reason why it was refused."""

    written_to: str
    known: bool = False
    refused: str = ""


def plan_all(context: FlushContext, lessons: Sequence[Lesson]) -> list[FlushPlan]:
    """Plan all lessons; if several of them give a task its state, only the last one counts."""
    last = {fold(lesson.text): lesson for lesson in lessons if lesson.kind == "task"}
    planner = _Planner(context, Subjects(context.layout), context.now())
    plans = [planner.plan(lesson) for lesson in lessons]
    return [
        replace(plan, already_there=True)
        if lesson.kind == "task" and last[fold(lesson.text)] is not lesson
        else plan
        for lesson, plan in zip(lessons, plans, strict=True)
    ]


def commit_operation(
    context: FlushContext,
    plans: Sequence[FlushPlan],
    now: str,
    source_lessons: SourceLessons | None,
    reason: str,
) -> Callable[[Transaction], list[Outcome]]:
    """Return the operation that records new lessons and how far a conversation was read."""
    conversation = source_lessons.source if source_lessons else context.conversation

    def clock(moment: str | None) -> str:
        return f"{parse_time(moment or now).astimezone(context.zone):%H:%M}"

    def operation(tx: Transaction) -> list[Outcome]:
        changes: list[Change] = []
        lines: list[NoteLine] = []
        outcomes = [_commit_plan(tx, plan, now, changes, lines) for plan in plans]
        changes += note_changes(lines, clock, conversation)
        state.add_pending(tx, changes)
        if source_lessons is not None:
            tx.put_record(LEARNED, source_lessons.source, source_lessons.read_to)
        state.save_last_flush(tx, now, reason)
        return outcomes

    return operation


def _commit_plan(
    tx: Transaction, plan: FlushPlan, now: str, changes: list[Change], lines: list[NoteLine]
) -> Outcome:
    for key in (*plan.keys, *plan.covered_by):
        if record := state.lesson_record(tx, key):
            return Outcome(record.home, known=True)
    written_to, is_known = plan.written_to, plan.already_there
    if plan.store is not None:
        try:
            receipt = plan.store(tx)
        except InvalidInput as error:
            return Outcome("", refused=str(error))
        written_to = receipt.id
        is_known = receipt.deduplicated or not receipt.stored  # not stored: the owner erased it
    elif any(isinstance(change, RecordFact) for change in plan.changes):
        is_known = is_known or bool(tx.tombstones(wording_hash=folded_hash(plan.lesson.text)))
    if not is_known:
        changes += plan.changes
        lines += plan.note
    for key in plan.keys:
        state.record_lesson(tx, key, state.LessonRecord(written_to, now))
    return Outcome(written_to, is_known)


@dataclass
class _Planner:
    """Plans lessons; `tasks` are those of each file, which is read and parsed only once."""

    context: FlushContext
    subjects: Subjects
    now: str
    tasks: dict[str, list[TaskLine]] = field(default_factory=dict)

    def plan(self, lesson: Lesson) -> FlushPlan:
        if lesson.said_at and lesson.said_at > self.now:  # a wrong clock
            lesson = replace(lesson, said_at=None)
        day = _day(lesson.said_at or self.now, self.context.zone)
        target = TargetScope(self.context.layout, self.context.scope, day)
        destination = target_file(lesson, target)
        if destination is None:
            return self._plan_fact(lesson, target) or self._plan_entry(lesson, target)
        if lesson.kind == "task":
            return self._plan_task(lesson, destination, target)
        change = bullet_change(lesson, destination, target)
        changes = (change, *reachability_changes(destination, target))
        return FlushPlan(lesson, change.file, _keys(lesson), changes, note_lines(lesson, target))

    def _plan_fact(self, lesson: Lesson, target: TargetScope) -> FlushPlan | None:
        fact = self.subjects.change_for(lesson, target)
        if fact is None:
            return None
        return FlushPlan(
            lesson,
            fact.file,
            _keys(lesson),
            (fact,),
            note_lines(lesson, target),
            already_there=self.subjects.is_recorded_or_erased(fact),
            contradicts=self.subjects.contradicted_by(fact),
        )

    def _plan_entry(self, lesson: Lesson, target: TargetScope) -> FlushPlan:
        if lesson.doubt is None:
            draft = _draft(lesson, self.context.project)
            store = store_operation(draft, self.now, self.context.deps)
            return FlushPlan(
                lesson, "", _keys(lesson), note=note_lines(lesson, target), store=store
            )
        without_doubt = replace(lesson, trust="agent")
        return FlushPlan(
            lesson,
            "",
            _keys(lesson),
            store=_store_for_review(lesson, self.now, self.context),
            covered_by=_keys(without_doubt),
        )

    def _plan_task(self, lesson: Lesson, destination: TargetFile, target: TargetScope) -> FlushPlan:
        """Plan a task; if its file already shows this state, there is nothing to do."""
        path = f"{target.folder}/{destination.file}"
        if path not in self.tasks:
            try:
                self.tasks[path] = TaskPage(current_text(self.context, path)).tasks
            except RememError:  # writing the file will report why it cannot be read
                self.tasks[path] = []
        change = task_change(lesson, destination, target, self.tasks[path])
        return FlushPlan(
            lesson,
            path,
            _keys(lesson),
            (change, *reachability_changes(destination, target)),
            note_lines(lesson, target, change.id),
            already_there=has_state(self.tasks[path], change),
        )


def _keys(lesson: Lesson) -> tuple[str, ...]:
    """Return the keys of a lesson: its id or, for a task, one that also depends on its origin.

    The text alone does not identify a state, because a task has the same text in every state.
    """
    if lesson.kind != "task":
        return (lesson.id,)
    origin = lesson.origin
    if origin is None or origin.position is None:
        return ()
    said_at = lesson.said_at or str(origin.position)
    return (lesson_id("said", origin.source, said_at, fold(lesson.text), lesson.status or ""),)


def _store_for_review(
    lesson: Lesson, now: str, context: FlushContext
) -> Callable[[Transaction], Receipt]:
    """Return the operation that stores a doubtful lesson for review.

    Until it is confirmed, a rule is stored as a fact.
    """
    draft = _draft(lesson, context.project)
    why = f"unconfirmed: {lesson.doubt}"
    if draft.category == "instruction":
        why += "; becomes an instruction when confirmed"
        unconfirmed = replace(draft, category="fact", context=why)
    else:
        unconfirmed = replace(draft, context=why)
    store = store_operation(unconfirmed, now, context.deps)

    def operation(tx: Transaction) -> Receipt:
        receipt = store(tx)
        if receipt.stored and not receipt.deduplicated:
            intent = ReviewedFields(draft.category, draft.priority, drop_context=True)
            save_intent(tx, receipt.id, intent)
        return receipt

    return operation


def _draft(lesson: Lesson, project: str | None) -> Draft:
    """Return the lesson as an entry of the project that the conversation was about."""
    category = lesson.category
    tags = [lesson.project, lesson.topic, _TASK_TAG if lesson.kind == "task" else None]
    return Draft(
        category=category,
        content=f"{lesson.text} (status: {lesson.status})" if lesson.status else lesson.text,
        context=lesson.why,
        tags=with_project(tuple(dict.fromkeys(tag for tag in tags if tag)), project),
        source="flush",
        origin=lesson.origin,
        trust=lesson.trust,
        created_at=lesson.said_at,
        redacted=lesson.redacted,
    )


def _day(moment: str, zone: tzinfo | None) -> str:
    """Return the owner's calendar day at a moment."""
    return parse_time(moment).astimezone(zone).date().isoformat()
