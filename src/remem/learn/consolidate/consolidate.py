"""How do conversations become one memory? Read top to bottom: what was said, what came back,
what passes the gates, what memory says of it, one step that can be taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from remem.core.entry import Trust
from remem.core.grounding import grounded
from remem.core.lesson import Lesson, Said
from remem.core.moments import parsed
from remem.core.recurrence import Recurring, Sighting, recurring, why_not
from remem.maintenance.consolidation.contradicting import contradictions_in
from remem.maintenance.consolidation.of_facts import as_fact, with_ids
from remem.maintenance.consolidation.result import Consolidated, Contradiction, Weighed
from remem.maintenance.consolidation.runs import Deed, FactDeed, add_run
from remem.maintenance.consolidation.weighing import Prepared, prepare, weigh_all
from remem.maintenance.consolidation.wording import left
from remem.maintenance.flush.conversation import without_power
from remem.maintenance.flush.job import Flushing
from remem.maintenance.flush.run import settle
from remem.maintenance.write_back.facts import Subjects
from remem.maintenance.write_back.homes import Where
from remem.ports import Extractor, Transaction

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
    statements = recurring([each for talk in talks for each in _sightings(job, talk, subjects)])
    judged = [(each, why_not(each)) for each in statements]
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
    plain = [each for each in learned.plain if subjects and subjects.subject_of(each.text)]
    for hint, lessons in ((False, (*learned.lessons, *plain)), (True, learned.hints)):
        for each in lessons:
            if each.kind != _TASK:
                yield _sighting(job, each, hint=hint)


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
