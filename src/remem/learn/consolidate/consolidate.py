"""Consolidate conversations: find recurring statements, check them and store them in one run.

A run can be undone as a whole (`runs`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from remem.entries.store import store_operation
from remem.files.facts import FactFiles
from remem.learn.consolidate.contradictions import find_contradictions
from remem.learn.consolidate.result import (
    Consolidation,
    RecurringContradiction,
    WeighedStatement,
    rejected_statement,
)
from remem.learn.consolidate.runs import add_run, undone_places
from remem.learn.consolidate.weighing import (
    FactCandidate,
    StatementWeigher,
    draft_of,
    fact_candidate,
)
from remem.learn.file_updates.facts import Subjects, was_written_by
from remem.learn.file_updates.routing import TargetScope
from remem.learn.flush.flush import write_pending
from remem.learn.flush.items import demote_rule
from remem.learn.flush.state import FlushContext
from remem.model.entry import Trust
from remem.model.lesson import Lesson, Utterance
from remem.model.recurrence import (
    ConversationSighting,
    RecurringStatement,
    group_sightings,
    rejection_reason,
)
from remem.model.statement import keep_grounded
from remem.ports.entries import Transaction
from remem.ports.models import Extractor
from remem.text.timestamps import parse_time

_MAX_EXPLAINED: Final = 200
_TASK: Final = "task"


@dataclass(frozen=True, slots=True)
class ConsolidationJob:
    """The dependencies of a consolidation; `context` gives access to the scope."""

    context: FlushContext
    extractor: Extractor
    now: str
    trust: Trust

    @property
    def in_main(self) -> bool:
        """Whether the scope is main, the only one that has facts."""
        return self.context.scope.kind == "main"


def consolidate(
    job: ConsolidationJob, conversations: Sequence[Sequence[Utterance]], *, explain: bool = False
) -> Consolidation:
    """Store statements that recur across conversations, given as lists of their turns.

    Repeating this without new conversations changes nothing.
    """
    subjects = Subjects(job.context.layout) if job.in_main else None
    statements = group_sightings(
        [
            sighting
            for conversation in conversations
            for sighting in _sightings(job, conversation, subjects)
        ]
    )
    recurring: list[RecurringStatement] = []
    rejected_statements: list[WeighedStatement] = []
    for statement in statements:
        if reason := rejection_reason(statement):
            rejected_statements.append(rejected_statement(statement, reason))
        else:
            recurring.append(statement)
    candidates = [_fact_candidate(job, statement, subjects) for statement in recurring]
    weighed_statements, run = job.context.store.write(_weigh_all(job, recurring, candidates))
    problems = write_pending(job.context).values() if any(candidates) else ()
    weighed_statements = _with_fact_ids(job, weighed_statements, candidates)
    rejected_statements += [
        statement for statement in weighed_statements if statement.verdict == "left"
    ]
    return Consolidation(
        at=job.now,
        run=run,
        conversations=len(conversations),
        statements=len(statements),
        taken=tuple(item for item in weighed_statements if item.verdict != "left"),
        left=tuple(_closest(rejected_statements)) if explain else (),
        rejected_total=len(rejected_statements),
        contradictions=_contradictions(job, statements),
        problems=tuple(dict.fromkeys(problems)),
    )


def _fact_candidate(
    job: ConsolidationJob, statement: RecurringStatement, subjects: Subjects | None
) -> FactCandidate | None:
    target = TargetScope(job.context.layout, job.context.scope, _day(job, job.now))
    return fact_candidate(statement, subjects, target, job.trust) if subjects else None


def _weigh_all(
    job: ConsolidationJob,
    statements: Sequence[RecurringStatement],
    candidates: Sequence[FactCandidate | None],
) -> Callable[[Transaction], tuple[list[WeighedStatement], int | None]]:
    """Prepare all statements, and return the operation that weighs them in one transaction."""
    deps = job.context.deps
    drafts = (draft_of(statement, job.now, job.trust) for statement in statements)
    operations = [store_operation(draft, job.now, deps) for draft in drafts]

    def operation(tx: Transaction) -> tuple[list[WeighedStatement], int | None]:
        weigher = StatementWeigher(tx, deps.topics, job.now, undone_places(tx))
        results = list(map(weigher.weigh, statements, operations, candidates))
        actions = [action for _, action in results if action]
        run = add_run(tx, job.now, actions) if actions else None
        return [statement for statement, _ in results], run

    return operation


def _with_fact_ids(
    job: ConsolidationJob,
    statements: Sequence[WeighedStatement],
    candidates: Sequence[FactCandidate | None],
) -> list[WeighedStatement]:
    """Return the statements, with the ids that new facts got in their files."""
    facts = FactFiles(job.context.layout)().facts if any(candidates) else ()
    result = []
    for statement, candidate in zip(statements, candidates, strict=True):
        ids = (fact.id for fact in facts if candidate and was_written_by(fact, candidate.change))
        result.append(replace(statement, fact=next(ids, statement.fact)))
    return result


def _contradictions(
    job: ConsolidationJob, statements: Sequence[RecurringStatement]
) -> tuple[RecurringContradiction, ...]:
    if not job.in_main:
        return ()
    with job.context.store.read() as snapshot:  # read again, because new facts were written
        return find_contradictions(statements, snapshot, Subjects(job.context.layout))


def _sightings(
    job: ConsolidationJob, conversation: Sequence[Utterance], subjects: Subjects | None
) -> Iterator[ConversationSighting]:
    """Yield the statements in a conversation, except tasks, whose state the flush tracks.

    A statement without a sign that it lasts counts only if it is about a known entity.
    """
    learned_lessons = keep_grounded(job.extractor.learn(conversation), conversation)
    about_entities = [
        lesson for lesson in learned_lessons.plain if subjects and subjects.subject_of(lesson.text)
    ]
    statements = (*learned_lessons.lessons, *learned_lessons.likely, *about_entities)
    for hint, lessons in ((False, statements), (True, learned_lessons.hints)):
        for lesson in lessons:
            if lesson.kind != _TASK:
                yield _sighting(job, lesson, hint=hint)


def _sighting(job: ConsolidationJob, lesson: Lesson, *, hint: bool) -> ConversationSighting:
    assert lesson.origin is not None, "a grounded lesson has an origin"
    day = _day(job, lesson.said_at) if lesson.said_at else ""
    as_agent = replace(demote_rule(lesson, job.context.scope), trust="agent")
    return ConversationSighting(as_agent, lesson.origin.source, day, hint)


def _day(job: ConsolidationJob, moment: str) -> str:
    return parse_time(moment).astimezone(job.context.zone).date().isoformat()


def _closest(rejected_statements: Sequence[WeighedStatement]) -> list[WeighedStatement]:
    """Return the rejected statements that came closest to being stored, up to a limit."""
    order = sorted(rejected_statements, key=lambda item: (-item.conversations, -len(item.days)))
    return order[:_MAX_EXPLAINED]
