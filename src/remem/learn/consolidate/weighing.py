"""What is to be done about a statement that came back? Decided on what memory holds by then.

Where an entry says it already, that entry grows stronger by every sighting it does not have yet.
Where an entry that the owner has archived said it, or the owner took it back, it stays away. What
is about somebody or something that is known is a fact (`of_facts`).

What of a statement that came back about somebody who is known? It is a fact, or confirms one.

A fact that says it already is confirmed by every conversation that it does not come from. One that
was superseded, or erased, stays so: who says it again in passing has not taken that back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from remem.entries.receipt import Receipt, Remembering
from remem.entries.store import remember
from remem.files.facts import FactFiles
from remem.files.layout import Layout
from remem.learn.consolidate.result import Weighed
from remem.learn.consolidate.runs import (
    Deed,
    FactDeed,
    Place,
    came_back,
    confirming,
    left,
    place_of,
    taken_back,
    weighed,
)
from remem.learn.file_updates.changes import Change
from remem.learn.file_updates.facts import Subjects, is_of
from remem.learn.file_updates.routing import Where
from remem.learn.flush import state
from remem.model.domain_routing import home_of
from remem.model.entry import Draft, Entry, Trust, lower_trust
from remem.model.fact import Fact
from remem.model.lesson import CATEGORY_OF_LESSON
from remem.model.recurrence import ALIKE, Recurring, Sighting, says_the_same, telling_words
from remem.ports.entries import Transaction
from remem.ports.records import Located
from remem.text.similarity import fingerprint, folded_number, overlap
from remem.text.words import fold


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
    if fact.erased or tx.erased(None, folded_number(change.text)) is not None:
        return left(statement, "the owner has erased these words"), None
    if known is None:
        return _recorded(tx, now, statement, change)
    if not known.active:
        return left(statement, "a fact that said it stands no longer", fact=known.id), None
    counted = confirming(tx, known.path, known.fact)
    fresh = {
        sighting.conversation: sighting
        for sighting in statement.sightings
        if not _heard(known, sighting, counted)
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
    if earlier := state.noted(tx, change.lesson):
        return left(statement, f"was written to {earlier.home} before"), None
    state.wait_for(tx, [change])
    state.take_note(tx, change.lesson, state.Noted(change.file, now))
    places = tuple(map(place_of, statement.sightings))
    deed = FactDeed(change.file, change.text, change.trigger, True, places)
    return weighed(statement, "stored", came_back(statement)), deed


def _saying(text: str, facts: Iterable[Fact]) -> Fact | None:
    """The fact that says it, in these words or nearly; one that stands before one that does not."""
    mine = telling_words(text)
    alike = [
        (fold(fact.fact) == fold(text), fact.active, overlap(mine, telling_words(fact.fact)), fact)
        for fact in facts
        if says_the_same(fact.fact, text)
    ]
    near = [each for each in alike if each[0] or each[2] >= ALIKE]
    return max(near, key=lambda each: (each[1], each[0], each[2]))[3] if near else None


def _heard(fact: Fact, sighting: Sighting, counted: frozenset[Place]) -> bool:
    """Whether a conversation has told this fact before."""
    sources = {(fact.origin or "").partition("#")[0], *(source for source, _ in counted)}
    return sighting.origin.source in sources


@dataclass(frozen=True, slots=True)
class Weighing:
    """What weighing works with; `refuse` are sightings that are not to count."""

    tx: Transaction
    how: Remembering
    now: str
    refuse: frozenset[Place]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A statement with the operation that would store it, or the fact that it would be: slow
    work is done before."""

    statement: Recurring
    store: Callable[[Transaction], Receipt]
    fact: AsFact | None = None


def prepare(
    statement: Recurring, now: str, how: Remembering, trust: Trust, fact: AsFact | None
) -> Prepared:
    lesson, last = statement.lesson, statement.sightings[-1]
    days = statement.days
    draft = Draft(
        category=CATEGORY_OF_LESSON[lesson.kind],
        content=lesson.text,
        context=f"said in {statement.conversations} conversations, {days[0]} to {days[-1]}"
        if days
        else None,
        source="consolidation",
        origin=last.origin,
        trust=lower_trust(trust, "agent"),
        created_at=min(lesson.said_at, now) if lesson.said_at else None,
        redacted=lesson.redacted,
    )
    return Prepared(statement, remember(draft, now, how), fact)


def weigh_all(
    prepared: Sequence[Prepared], how: Remembering, now: str
) -> Callable[[Transaction], tuple[list[Weighed], list[Deed | FactDeed]]]:
    """The operation that does what is to be done, for all statements at once."""

    def operation(tx: Transaction) -> tuple[list[Weighed], list[Deed | FactDeed]]:
        case = Weighing(tx, how, now, taken_back(tx))
        found = [_weigh(case, each) for each in prepared]
        return [weighed for weighed, _ in found], [deed for _, deed in found if deed]

    return operation


def _weigh(case: Weighing, prepared: Prepared) -> tuple[Weighed, Deed | FactDeed | None]:
    statement = prepared.statement
    if any(place_of(sighting) in case.refuse for sighting in statement.sightings):
        return left(statement, "the owner took it back"), None
    found = _standing(case, statement)
    if found is None and prepared.fact is not None:
        return weigh_fact(case.tx, case.now, statement, prepared.fact)
    if found is None and (home := _written_elsewhere(case, statement)):
        return left(statement, f"stands in {home} already"), None
    if found is None:
        return _stored(case, prepared)
    if found.entry.archived or found.entry.superseded_by:
        return left(statement, "an entry that said it is archived", found.entry.id), None
    new = [
        sighting for sighting in statement.sightings if sighting.origin not in found.entry.origins
    ]
    fresh = {
        sighting.conversation: sighting for sighting in new if not _heard_in(found.entry, sighting)
    }
    if not fresh:
        return left(statement, "known, with these sightings", found.entry.id), None
    return _reinforced(case, statement, found, list(fresh.values()))


def _stored(case: Weighing, prepared: Prepared) -> tuple[Weighed, Deed | None]:
    statement = prepared.statement
    receipt = prepared.store(case.tx)
    if not receipt.stored:
        return left(statement, receipt.reason or "not stored"), None
    located = case.tx.by_ids([receipt.id])[receipt.id]
    if receipt.deduplicated:  # its words stand in an entry that says more
        place = place_of(statement.sightings[-1])
        old = located.entry
        deed = Deed(old.id, False, old.version, old.strength - 1, (place,))
        return weighed(statement, "reinforced", came_back(statement), old.id), deed
    entry = _with_origins(located.entry, statement.sightings)
    case.tx.touch(located, entry)
    places = tuple(place_of(sighting) for sighting in statement.sightings)
    deed = Deed(entry.id, True, entry.version, entry.strength, places)
    return weighed(statement, "stored", came_back(statement), entry.id), deed


def _reinforced(
    case: Weighing, statement: Recurring, found: Located, fresh: Sequence[Sighting]
) -> tuple[Weighed, Deed]:
    stronger = replace(
        _with_origins(found.entry, fresh), strength=found.entry.strength + len(fresh)
    )
    case.tx.touch(found, stronger)
    case.tx.rehome(Located(found.row, stronger), home_of(stronger, case.how.topics))
    places = tuple(place_of(sighting) for sighting in fresh)
    deed = Deed(stronger.id, False, stronger.version, found.entry.strength, places)
    return weighed(statement, "reinforced", came_back(statement), stronger.id), deed


def _standing(case: Weighing, statement: Recurring) -> Located | None:
    """The entry that says it: one that was taken from the same words, or has the same."""
    places = [place_of(sighting) for sighting in statement.sightings]
    mine = telling_words(statement.lesson.text)
    taken = [
        entry
        for entry in case.tx.taken_from(places)
        if overlap(mine, telling_words(entry.content)) >= ALIKE
    ]
    if taken:
        best = max(taken, key=lambda each: (not each.archived, each.strength, each.id))
        return case.tx.by_ids([best.id])[best.id]
    category = CATEGORY_OF_LESSON[statement.lesson.kind]
    trusts: tuple[Trust, ...] = ("agent", "owner")
    print_ = fingerprint(statement.lesson.text)
    for trust in trusts:
        for located in case.tx.same_as(category, trust, print_):
            return located
    return None


def _written_elsewhere(case: Weighing, statement: Recurring) -> str | None:
    """Where a flush has put these words, if their home is a file."""
    for sighting in statement.sightings:
        noted = state.noted(case.tx, sighting.lesson.id)
        if noted is not None and "/" in noted.home:
            return noted.home
    return None


def _heard_in(entry: Entry, sighting: Sighting) -> bool:
    """Saying it twice in one conversation is saying it once."""
    return any(origin.source == sighting.origin.source for origin in entry.origins)


def _with_origins(entry: Entry, sightings: Sequence[Sighting]) -> Entry:
    new = [sighting.origin for sighting in sightings if sighting.origin not in entry.origins]
    return replace(entry, origins=(*entry.origins, *dict.fromkeys(new)))
