"""How do conversations become one memory? Read top to bottom: what was said, what came back,
what passes the gates, what memory says of it, one step that can be taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import Final

from remem.core.entry import Trust
from remem.core.grounding import grounded
from remem.core.lesson import Lesson, Said
from remem.core.moments import parsed
from remem.core.recurrence import Recurring, Sighting, recurring, why_not
from remem.core.scope import Scope
from remem.maintenance.consolidation.result import Consolidated, Weighed
from remem.maintenance.consolidation.runs import Deed, add_run
from remem.maintenance.consolidation.weighing import left, prepare, weigh_all
from remem.maintenance.flush.conversation import without_power
from remem.ports import Extractor, Store, Transaction
from remem.remember.run import Remembering

_MOST_TOLD: Final = 200
_TASK: Final = "task"
_Step = Callable[[Transaction], tuple[list[Weighed], int | None]]


@dataclass(frozen=True, slots=True)
class Consolidating:
    """What a consolidation works with."""

    store: Store
    scope: Scope
    extractor: Extractor
    how: Remembering
    zone: tzinfo | None
    now: str
    trust: Trust


def consolidate(
    job: Consolidating, talks: Sequence[Sequence[Said]], *, explain: bool = False
) -> Consolidated:
    """Look across conversations; doing it again without news changes nothing."""
    statements = recurring([each for talk in talks for each in _sightings(job, talk)])
    judged = [(each, why_not(each)) for each in statements]
    passing = [each for each, reason in judged if reason is None]
    out = [left(each, reason) for each, reason in judged if reason is not None]
    weighed, run = job.store.write(_step(job, passing))
    out += [each for each in weighed if each.verdict == "left"]
    return Consolidated(
        at=job.now,
        run=run,
        conversations=len(talks),
        statements=len(statements),
        taken=tuple(each for each in weighed if each.verdict != "left"),
        left=tuple(_most_telling(out)) if explain else (),
        left_in_all=len(out),
    )


def _step(job: Consolidating, passing: Sequence[Recurring]) -> _Step:
    prepared = [prepare(each, job.now, job.how, job.trust) for each in passing]
    weigh = weigh_all(prepared, job.how, job.now)

    def operation(tx: Transaction) -> tuple[list[Weighed], int | None]:
        weighed, deeds = weigh(tx)
        return weighed, _noted(tx, job.now, deeds)

    return operation


def _noted(tx: Transaction, now: str, deeds: Sequence[Deed]) -> int | None:
    return add_run(tx, now, deeds) if deeds else None


def _sightings(job: Consolidating, talk: Sequence[Said]) -> Iterator[Sighting]:
    """What a conversation says; a task has a state of its own, and is nobody's habit."""
    learned = grounded(job.extractor.learn(talk), talk)
    for hint, lessons in ((False, learned.lessons), (True, learned.hints)):
        for each in lessons:
            if each.kind != _TASK:
                yield _sighting(job, each, hint=hint)


def _sighting(job: Consolidating, lesson: Lesson, *, hint: bool) -> Sighting:
    assert lesson.origin is not None, "what is grounded has a place"
    day = parsed(lesson.said_at).astimezone(job.zone).date().isoformat() if lesson.said_at else ""
    own = replace(without_power(lesson, job.scope), trust="agent")
    return Sighting(own, lesson.origin.source, day, hint)


def _most_telling(out: Sequence[Weighed]) -> list[Weighed]:
    """Those that came nearest first: a memory of many conversations leaves thousands."""
    return sorted(out, key=lambda each: (-each.conversations, -len(each.days)))[:_MOST_TOLD]
