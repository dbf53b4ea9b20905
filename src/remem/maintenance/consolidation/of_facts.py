"""What of a statement that came back about somebody who is known? It is a fact, or confirms one.

A fact that says it already is confirmed by every conversation that it does not come from. One that
was superseded, or erased, stays so: who says it again in passing has not taken that back.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from remem.core.entry import Trust, lower_trust
from remem.core.fact import Fact
from remem.core.likeness import overlap, wording
from remem.core.recurrence import ALIKE, Recurring, Sighting, says_the_same, telling_words
from remem.core.words import fold
from remem.maintenance.consolidation.result import Weighed
from remem.maintenance.consolidation.runs import FactDeed, Place, confirming
from remem.maintenance.consolidation.wording import came_back, left, place_of, weighed
from remem.maintenance.flush import ledger
from remem.maintenance.write_back.change import Change
from remem.maintenance.write_back.facts import Subjects, is_of
from remem.maintenance.write_back.homes import Where
from remem.notes.fact_files import FactFiles
from remem.notes.layout import Layout
from remem.ports import Transaction


@dataclass(frozen=True, slots=True)
class AsFact:
    """A statement as the fact that it would be; `known` says it already."""

    change: Change
    known: Fact | None
    erased: bool


def as_fact(statement: Recurring, subjects: Subjects, where: Where, trust: Trust) -> AsFact | None:
    """The fact that a statement would be; None if it is about nobody who is known."""
    lesson = replace(statement.lesson, trust=lower_trust(trust, "agent"))
    day = statement.told.day or where.day
    change = subjects.change_for(lesson, replace(where, day=day))
    if change is None:
        return None
    entity = subjects.subject_of(lesson.text)
    facts = subjects.known.of(entity) if entity else []
    return AsFact(change, _saying(lesson.text, facts), subjects.known.erased(lesson.text))


def weigh_fact(
    tx: Transaction, now: str, statement: Recurring, fact: AsFact
) -> tuple[Weighed, FactDeed | None]:
    change, known = fact.change, fact.known
    if fact.erased or tx.erased(None, wording(change.text)) is not None:
        return left(statement, "the owner has erased these words"), None
    if known is None:
        return _recorded(tx, now, statement, change)
    if not known.active:
        return left(statement, "a fact that said it stands no longer", fact=known.id), None
    counted = confirming(tx, known.path, known.fact)
    fresh = {
        each.conversation: each for each in statement.sightings if not _heard(known, each, counted)
    }
    if not fresh:
        return left(statement, "known, with these sightings", fact=known.id), None
    places = tuple(map(place_of, fresh.values()))
    deed = FactDeed(known.path, known.fact, known.origin or "", False, places)
    return weighed(statement, "reinforced", came_back(statement), fact=known.id), deed


def with_ids(layout: Layout, some: Iterable[tuple[Weighed, Change | None]]) -> list[Weighed]:
    """What was weighed, each new fact with the id that its file gave it."""
    facts = FactFiles(layout)().facts
    found = []
    for each, change in some:
        mine = (fact.id for fact in facts if change and is_of(change, fact))
        found.append(replace(each, fact=next(mine, each.fact)))
    return found


def _recorded(
    tx: Transaction, now: str, statement: Recurring, change: Change
) -> tuple[Weighed, FactDeed | None]:
    """Planned in this transaction, written right after it, or by whoever opens the memory next."""
    if earlier := ledger.noted(tx, change.lesson):
        return left(statement, f"was written to {earlier.home} before"), None
    ledger.wait_for(tx, [change])
    ledger.take_note(tx, change.lesson, ledger.Noted(change.file, now))
    places = tuple(map(place_of, statement.sightings))
    deed = FactDeed(change.file, change.text, change.trigger, True, places)
    return weighed(statement, "stored", came_back(statement)), deed


def _saying(text: str, facts: Iterable[Fact]) -> Fact | None:
    """The fact that says it, in these words or nearly; one that stands before one that does not."""
    mine = telling_words(text)
    alike = [
        (fold(each.fact) == fold(text), each.active, overlap(mine, telling_words(each.fact)), each)
        for each in facts
        if says_the_same(each.fact, text)
    ]
    near = [each for each in alike if each[0] or each[2] >= ALIKE]
    return max(near, key=lambda each: (each[1], each[0], each[2]))[3] if near else None


def _heard(fact: Fact, sighting: Sighting, counted: frozenset[Place]) -> bool:
    """Whether a conversation has told this fact before."""
    sources = {(fact.origin or "").partition("#")[0], *(source for source, _ in counted)}
    return sighting.origin.source in sources
