"""How do conversations become one memory? Read top to bottom: what was said, what came back,
what passes the gates, what memory says of it, one step that can be taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from remem.learn.consolidate.contradictions import contradictions_in
from remem.learn.consolidate.result import Consolidated, Contradiction, Weighed
from remem.learn.consolidate.runs import Deed, FactDeed, add_run, left
from remem.learn.consolidate.weighing import Prepared, as_fact, prepare, weigh_all, with_ids
from remem.learn.file_updates.facts import Subjects
from remem.learn.file_updates.routing import Where
from remem.learn.flush.flush import settle
from remem.learn.flush.items import without_power
from remem.learn.flush.result import Flushing
from remem.model.entry import Trust
from remem.model.lesson import Lesson, Said
from remem.model.recurrence import Recurring, Sighting, recurring, why_not
from remem.model.statement import grounded
from remem.ports.entries import Transaction
from remem.ports.models import Extractor
from remem.text.timestamps import parsed

_MOST_TOLD: Final = 200
_TASK: Final = "task"
_Step = Callable[[Transaction], tuple[list[Weighed], int | None]]


@dataclass(frozen=True, slots=True)
class Consolidating:
    """What a consolidation works with: `at` are the parts of the scope."""

    at: Flushing
    extractor: Extractor
    now: str
    trust: Trust

    @property
    def in_main(self) -> bool:
        """Facts belong to main, and only there one person speaks."""
        return self.at.scope.kind == "main"


def consolidate(
    job: Consolidating, talks: Sequence[Sequence[Said]], *, explain: bool = False
) -> Consolidated:
    """Look across conversations; doing it again without news changes nothing."""
    subjects = Subjects(job.at.layout) if job.in_main else None
    statements = recurring(
        [sighting for talk in talks for sighting in _sightings(job, talk, subjects)]
    )
    judged = [(statement, why_not(statement)) for statement in statements]
    out = [left(each, reason) for each, reason in judged if reason is not None]
    prepared = [_prepared(job, each, subjects) for each, reason in judged if reason is None]
    weighed, run = job.at.store.write(_step(job, prepared))
    troubles = settle(job.at).values() if any(each.fact for each in prepared) else ()
    if subjects is not None:
        changes = (each.fact.change if each.fact else None for each in prepared)
        weighed = with_ids(job.at.layout, zip(weighed, changes, strict=True))
    out += [each for each in weighed if each.verdict == "left"]
    return Consolidated(
        at=job.now,
        run=run,
        conversations=len(talks),
        statements=len(statements),
        taken=tuple(each for each in weighed if each.verdict != "left"),
        left=tuple(_most_telling(out)) if explain else (),
        left_in_all=len(out),
        contradictions=_contradictions(job, statements),
        troubles=tuple(dict.fromkeys(troubles)),
    )


def _prepared(job: Consolidating, statement: Recurring, subjects: Subjects | None) -> Prepared:
    where = Where(job.at.layout, job.at.scope, _day(job, job.now))
    fact = as_fact(statement, subjects, where, job.trust) if subjects else None
    return prepare(statement, job.now, job.at.how, job.trust, fact)


def _step(job: Consolidating, prepared: Sequence[Prepared]) -> _Step:
    weigh = weigh_all(prepared, job.at.how, job.now)

    def operation(tx: Transaction) -> tuple[list[Weighed], int | None]:
        weighed, deeds = weigh(tx)
        return weighed, _noted(tx, job.now, deeds)

    return operation


def _contradictions(job: Consolidating, said: Sequence[Recurring]) -> tuple[Contradiction, ...]:
    subjects = Subjects(job.at.layout) if job.in_main else None  # as the files are by now
    with job.at.store.read() as snapshot:
        return contradictions_in(said, snapshot, subjects, one_speaker=job.in_main)


def _noted(tx: Transaction, now: str, deeds: Sequence[Deed | FactDeed]) -> int | None:
    return add_run(tx, now, deeds) if deeds else None


def _sightings(
    job: Consolidating, talk: Sequence[Said], subjects: Subjects | None
) -> Iterator[Sighting]:
    """What a conversation says; a task has a state of its own, and is nobody's habit. What says
    of itself in no way that it lasts counts where it is about somebody who is known."""
    learned = grounded(job.extractor.learn(talk), talk)
    plain = [lesson for lesson in learned.plain if subjects and subjects.subject_of(lesson.text)]
    for hint, lessons in ((False, (*learned.lessons, *plain)), (True, learned.hints)):
        for lesson in lessons:
            if lesson.kind != _TASK:
                yield _sighting(job, lesson, hint=hint)


def _sighting(job: Consolidating, lesson: Lesson, *, hint: bool) -> Sighting:
    assert lesson.origin is not None, "what is grounded has a place"
    day = _day(job, lesson.said_at) if lesson.said_at else ""
    own = replace(without_power(lesson, job.at.scope), trust="agent")
    return Sighting(own, lesson.origin.source, day, hint)


def _day(job: Consolidating, moment: str) -> str:
    return parsed(moment).astimezone(job.at.zone).date().isoformat()


def _most_telling(out: Sequence[Weighed]) -> list[Weighed]:
    """Those that came nearest first: a memory of many conversations leaves thousands."""
    return sorted(out, key=lambda each: (-each.conversations, -len(each.days)))[:_MOST_TOLD]
