"""What has to be done about each lesson? Decided before the transaction; done in it, if the
lesson is new."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import Final

from remem.entries.receipt import Intent, Receipt, keep_intent
from remem.entries.store import remember
from remem.errors import InvalidInput, RememError
from remem.learn.file_updates.apply import Writing, text_now
from remem.learn.file_updates.changes import Change
from remem.learn.file_updates.day_block import NoteLine, blocks_of, lines_for
from remem.learn.file_updates.facts import Subjects
from remem.learn.file_updates.routing import Home, Where, changes_for, home_of
from remem.learn.file_updates.tasks import says
from remem.learn.flush import state
from remem.learn.flush.items import Heard
from remem.learn.flush.result import Flushing
from remem.model.entry import Draft
from remem.model.lesson import CATEGORY_OF_LESSON, Lesson, lesson_id
from remem.ports.entries import Transaction
from remem.text.similarity import folded_number
from remem.text.timestamps import parsed
from remem.text.words import fold

_TASK_TAG: Final = "task"

Block = Callable[[Sequence[NoteLine]], list[Change]]


@dataclass(frozen=True, slots=True)
class Plan:
    """A lesson and what it needs; `keys` are what it is known by. `covered_by` are keys under which
    a lesson in doubt may be known as the owner's own."""

    lesson: Lesson
    home: str
    keys: tuple[str, ...]
    changes: tuple[Change, ...] = ()
    note: tuple[NoteLine, ...] = ()
    remember: Callable[[Transaction], Receipt] | None = None
    stands_already: bool = False
    contradicts: tuple[str, ...] = ()
    covered_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a plan."""

    home: str
    known: bool = False
    refused: str = ""


def plan_all(job: Flushing, lessons: Sequence[Lesson]) -> list[Plan]:
    """Of several states of one task only the last counts; the others were passed through."""
    last = {fold(lesson.text): lesson for lesson in lessons if lesson.kind == "task"}
    subjects = Subjects(job.layout)
    return [
        _plan(
            job,
            lesson,
            subjects,
            passed=lesson.kind == "task" and last[fold(lesson.text)] is not lesson,
        )
        for lesson in lessons
    ]


def commit(
    plans: Sequence[Plan], now: str, heard: Heard | None, reason: str, block: Block
) -> Callable[[Transaction], list[Outcome]]:
    """The operation that notes what is new, and how far a conversation was read. `block` makes
    the changes of what the day's note tells of it."""

    def operation(tx: Transaction) -> list[Outcome]:
        changes: list[Change] = []
        lines: list[NoteLine] = []
        outcomes = [_done(tx, plan, now, changes, lines) for plan in plans]
        changes += block(lines)
        state.wait_for(tx, changes)
        if heard is not None:
            state.keep_read(tx, heard.source, heard.upto)
        state.keep_last(tx, now, reason)
        return outcomes

    return operation


def block_of(job: Flushing, heard: Heard | None) -> Block:
    """How a conversation's block in the note is made."""
    now = job.now()
    conversation = heard.source if heard else job.conversation

    def clock(moment: str | None) -> str:
        return f"{parsed(moment or now).astimezone(job.zone):%H:%M}"

    return lambda lines: blocks_of(lines, clock, conversation)


def _done(
    tx: Transaction, plan: Plan, now: str, changes: list[Change], lines: list[NoteLine]
) -> Outcome:
    for key in (*plan.keys, *plan.covered_by):
        if earlier := state.noted(tx, key):
            return Outcome(earlier.home, known=True)
    home, known = plan.home, plan.stands_already
    if plan.remember is not None:
        try:
            receipt = plan.remember(tx)
        except InvalidInput as error:
            return Outcome("", refused=str(error))
        home, known = receipt.id, receipt.deduplicated or not receipt.stored  # it was erased
    elif any(change.do == "fact" for change in plan.changes):
        known = known or tx.erased(None, folded_number(plan.lesson.text)) is not None
    if not known:
        changes += plan.changes
        lines += plan.note
    for key in plan.keys:
        state.take_note(tx, key, state.Noted(home, now))
    return Outcome(home, known)


def _plan(job: Flushing, lesson: Lesson, subjects: Subjects, *, passed: bool) -> Plan:
    now = job.now()
    if lesson.said_at is None or lesson.said_at > now:  # nobody has said it in the future
        lesson = replace(lesson, said_at=None)
    where = Where(job.layout, job.scope, _day(lesson.said_at or now, job.zone))
    home = home_of(lesson, where)
    if home is None and (fact := subjects.change_for(lesson, where)):
        note, stands = lines_for(lesson, where), subjects.stands(fact)
        clashes = subjects.contradicted_by(fact)
        return Plan(lesson, fact.file, _keys(lesson), (fact,), note, None, stands, clashes)
    if home is None and lesson.doubt is not None:
        own = replace(lesson, trust="agent")
        return Plan(
            lesson, "", _keys(lesson), remember=_for_review(lesson, now, job), covered_by=_keys(own)
        )
    if home is None:
        return Plan(
            lesson,
            "",
            _keys(lesson),
            note=lines_for(lesson, where),
            remember=remember(_draft(lesson), now, job.how),
        )
    path = f"{where.folder}/{home.file}"
    if lesson.kind != "task":
        changes = tuple(changes_for(lesson, home, where))
        return Plan(lesson, path, _keys(lesson), changes, lines_for(lesson, where))
    return _task(job, lesson, home, where, passed=passed)


def _task(job: Flushing, lesson: Lesson, home: Home, where: Where, *, passed: bool) -> Plan:
    """The file is the record of a task's state: it tells whether there is anything to do."""
    path = f"{where.folder}/{home.file}"
    try:
        now = text_now(Writing(job.layout, job.scope, job.announce), path)
    except RememError:  # whoever writes the file says why it cannot be read
        now = ""
    changes = changes_for(lesson, home, where, now)
    stands = passed or says(now, changes[0])
    note = lines_for(lesson, where, changes[0].id)
    return Plan(lesson, path, _keys(lesson), tuple(changes), note, stands_already=stands)


def _keys(lesson: Lesson) -> tuple[str, ...]:
    """A lesson is known by its words. A task has its words more than once, in one state after
    another: there the place counts where it was said."""
    if lesson.kind != "task":
        return (lesson.id,)
    origin = lesson.origin
    if origin is None or origin.position is None:
        return ()
    when = lesson.said_at or str(origin.position)
    return (lesson_id("said", origin.source, when, fold(lesson.text), lesson.status or ""),)


def _for_review(lesson: Lesson, now: str, job: Flushing) -> Callable[[Transaction], Receipt]:
    """Keep what may be somebody else's words until the owner has judged it; an instruction is a
    fact until then."""
    whole = _draft(lesson)
    powerless = "fact" if whole.category == "instruction" else whole.category
    power = "; an instruction once confirmed" if powerless != whole.category else ""
    why = f"in doubt: {lesson.doubt}{power}"
    store = remember(replace(whole, category=powerless, context=why), now, job.how)

    def operation(tx: Transaction) -> Receipt:
        receipt = store(tx)
        if receipt.stored and not receipt.deduplicated:
            intent = Intent(whole.category, whole.priority, drop_context=True)
            keep_intent(tx, receipt.id, intent)
        return receipt

    return operation


def _draft(lesson: Lesson) -> Draft:
    """The lesson as an entry."""
    category = CATEGORY_OF_LESSON[lesson.kind]
    tags = [lesson.project, lesson.topic, _TASK_TAG if lesson.kind == "task" else None]
    return Draft(
        category=category,
        content=f"{lesson.text} (status: {lesson.status})" if lesson.status else lesson.text,
        tags=tuple(dict.fromkeys(tag for tag in tags if tag)),
        source="flush",
        origin=lesson.origin,
        trust=lesson.trust,
        created_at=lesson.said_at,
        redacted=lesson.redacted,
    )


def _day(moment: str, zone: tzinfo | None) -> str:
    """The owner's day of a moment."""
    return parsed(moment).astimezone(zone).date().isoformat()
