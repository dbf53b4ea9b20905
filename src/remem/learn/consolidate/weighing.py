"""What is to be done about a statement that came back? Decided on what memory holds by then.

Where an entry says it already, that entry grows stronger by every sighting it does not have yet.
Where an entry that the owner has archived said it, or the owner took it back, it stays away. What
is about somebody or something that is known is a fact (`of_facts`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from remem.core.entry import Draft, Entry, Trust, lower_trust
from remem.core.homes import home_of
from remem.core.lesson import CATEGORY_OF_LESSON
from remem.core.likeness import fingerprint, overlap
from remem.core.recurrence import ALIKE, Recurring, Sighting, telling_words
from remem.maintenance.consolidation.of_facts import AsFact, weigh_fact
from remem.maintenance.consolidation.result import Weighed
from remem.maintenance.consolidation.runs import Deed, FactDeed, Place, taken_back
from remem.maintenance.consolidation.wording import came_back, left, place_of, weighed
from remem.maintenance.flush import ledger
from remem.ports import Located, Transaction
from remem.remember.means import Receipt, Remembering
from remem.remember.run import remember


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
    if any(place_of(each) in case.refuse for each in statement.sightings):
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
    new = [each for each in statement.sightings if each.origin not in found.entry.origins]
    fresh = {each.conversation: each for each in new if not _heard_in(found.entry, each)}
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
    places = tuple(place_of(each) for each in statement.sightings)
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
    places = tuple(place_of(each) for each in fresh)
    deed = Deed(stronger.id, False, stronger.version, found.entry.strength, places)
    return weighed(statement, "reinforced", came_back(statement), stronger.id), deed


def _standing(case: Weighing, statement: Recurring) -> Located | None:
    """The entry that says it: one that was taken from the same words, or has the same."""
    places = [place_of(each) for each in statement.sightings]
    mine = telling_words(statement.lesson.text)
    taken = [
        each
        for each in case.tx.taken_from(places)
        if overlap(mine, telling_words(each.content)) >= ALIKE
    ]
    if taken:
        best = max(taken, key=lambda each: (not each.archived, each.strength, each.id))
        return case.tx.by_ids([best.id])[best.id]
    category = CATEGORY_OF_LESSON[statement.lesson.kind]
    trusts: tuple[Trust, ...] = ("agent", "owner")
    print_ = fingerprint(statement.lesson.text)
    for trust in trusts:
        for each in case.tx.same_as(category, trust, print_):
            return each
    return None


def _written_elsewhere(case: Weighing, statement: Recurring) -> str | None:
    """Where a flush has put these words, if their home is a file."""
    for each in statement.sightings:
        noted = ledger.noted(case.tx, each.lesson.id)
        if noted is not None and "/" in noted.home:
            return noted.home
    return None


def _heard_in(entry: Entry, sighting: Sighting) -> bool:
    """Saying it twice in one conversation is saying it once."""
    return any(each.source == sighting.origin.source for each in entry.origins)


def _with_origins(entry: Entry, sightings: Sequence[Sighting]) -> Entry:
    new = [each.origin for each in sightings if each.origin not in entry.origins]
    return replace(entry, origins=(*entry.origins, *dict.fromkeys(new)))
