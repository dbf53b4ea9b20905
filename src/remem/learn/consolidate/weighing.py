"""Decide what happens to a recurring statement, given what memory holds at that moment.

An entry that already says it is reinforced by every sighting that it does not have yet. If such
an entry was archived, or the owner undid the run, the statement is left out. A statement about a
known entity becomes a fact, or confirms one in every conversation that the fact does not come
from. A superseded or erased fact stays that way: repeating it in passing does not restore it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from remem.entries.receipt import Receipt, StoreDependencies
from remem.entries.store import store_operation
from remem.files.facts import FactFiles
from remem.files.layout import Layout
from remem.learn.consolidate.result import WeighedStatement
from remem.learn.consolidate.runs import (
    EntryAction,
    FactAction,
    Place,
    confirming_places,
    left_out,
    place_of,
    recurrence_reason,
    undone_places,
    with_verdict,
)
from remem.learn.file_updates.changes import RecordFact
from remem.learn.file_updates.facts import Subjects, is_fact_of
from remem.learn.file_updates.routing import KINDS, TargetScope
from remem.learn.flush import state
from remem.model.domain_routing import domain_stem
from remem.model.entry import Draft, Entry, Trust, lower_trust
from remem.model.fact import Fact
from remem.model.recurrence import (
    MIN_OVERLAP,
    Recurring,
    Sighting,
    is_same_statement,
)
from remem.ports.entries import Transaction
from remem.ports.records import Located
from remem.text.similarity import fingerprint_of, folded_hash, overlap
from remem.text.words import content_words, fold


@dataclass(frozen=True, slots=True)
class FactCandidate:
    """A statement as the fact that it would become; `known` is a fact that already says it."""

    change: RecordFact
    known: Fact | None
    erased: bool


def fact_candidate(
    statement: Recurring, subjects: Subjects, where: TargetScope, trust: Trust
) -> FactCandidate | None:
    """The fact that a statement would become; None if it is not about a known entity."""
    lesson = replace(statement.lesson, trust=lower_trust(trust, "agent"))
    day = statement.latest.day or where.day
    change = subjects.change_for(lesson, replace(where, day=day))
    if change is None:
        return None
    entity = subjects.subject_of(lesson.text)
    facts = subjects.known.of(entity) if entity else []
    return FactCandidate(change, _saying(lesson.text, facts), subjects.known.erased(lesson.text))


def weigh_fact(
    tx: Transaction, now: str, statement: Recurring, fact: FactCandidate
) -> tuple[WeighedStatement, FactAction | None]:
    change, known = fact.change, fact.known
    if fact.erased or tx.erased(None, folded_hash(change.text)) is not None:
        return left_out(statement, "the owner has erased these words"), None
    if known is None:
        return _recorded(tx, now, statement, change)
    if not known.active:
        return left_out(statement, "a fact with these words no longer holds", fact=known.id), None
    counted = confirming_places(tx, known.path, known.fact)
    fresh = {
        sighting.conversation: sighting
        for sighting in statement.sightings
        if not _confirmed_before(known, sighting, counted)
    }
    if not fresh:
        return left_out(statement, "already known from these conversations", fact=known.id), None
    places = tuple(map(place_of, fresh.values()))
    action = FactAction(known.path, known.fact, known.origin or "", False, places)
    return with_verdict(
        statement, "reinforced", recurrence_reason(statement), fact=known.id
    ), action


def with_ids(
    layout: Layout, pairs: Iterable[tuple[WeighedStatement, RecordFact | None]]
) -> list[WeighedStatement]:
    """The statements, each new fact with the id that it got in its file."""
    facts = FactFiles(layout)().facts
    result = []
    for statement, change in pairs:
        ids = (fact.id for fact in facts if change and is_fact_of(change, fact))
        result.append(replace(statement, fact=next(ids, statement.fact)))
    return result


def _recorded(
    tx: Transaction, now: str, statement: Recurring, change: RecordFact
) -> tuple[WeighedStatement, FactAction | None]:
    """Plan the fact; its file is written after the transaction, or at the next opening."""
    if earlier := state.lesson_record(tx, change.id):
        return left_out(statement, f"was written to {earlier.home} before"), None
    state.add_pending(tx, [change])
    state.record_lesson(tx, change.id, state.LessonRecord(change.file, now))
    places = tuple(map(place_of, statement.sightings))
    action = FactAction(change.file, change.text, change.origin, True, places)
    return with_verdict(statement, "stored", recurrence_reason(statement)), action


def _saying(text: str, facts: Iterable[Fact]) -> Fact | None:
    """The fact that says the same in nearly the same words; active facts come first."""
    wanted = set(content_words(text))
    alike = [
        (
            fold(fact.fact) == fold(text),
            fact.active,
            overlap(wanted, set(content_words(fact.fact))),
            fact,
        )
        for fact in facts
        if is_same_statement(fact.fact, text)
    ]
    near = [match for match in alike if match[0] or match[2] >= MIN_OVERLAP]
    return max(near, key=lambda match: (match[1], match[0], match[2]))[3] if near else None


def _confirmed_before(fact: Fact, sighting: Sighting, counted: frozenset[Place]) -> bool:
    """Whether the fact comes from this conversation or was confirmed by it before."""
    sources = {(fact.origin or "").partition("#")[0], *(source for source, _ in counted)}
    return sighting.origin.source in sources


@dataclass(frozen=True, slots=True)
class WeighingContext:
    """What weighing needs; `refuse` are sightings that must not count."""

    tx: Transaction
    deps: StoreDependencies
    now: str
    refuse: frozenset[Place]


@dataclass(frozen=True, slots=True)
class PreparedStatement:
    """A statement with the operation that stores it, or the fact that it would become.

    Slow work is done before the transaction.
    """

    statement: Recurring
    store: Callable[[Transaction], Receipt]
    fact: FactCandidate | None = None


def prepare(
    statement: Recurring,
    now: str,
    deps: StoreDependencies,
    trust: Trust,
    fact: FactCandidate | None,
) -> PreparedStatement:
    lesson, last = statement.lesson, statement.sightings[-1]
    days = statement.days
    draft = Draft(
        category=KINDS[lesson.kind].category,
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
    return PreparedStatement(statement, store_operation(draft, now, deps), fact)


def weigh_all(
    prepared: Sequence[PreparedStatement], deps: StoreDependencies, now: str
) -> Callable[[Transaction], tuple[list[WeighedStatement], list[EntryAction | FactAction]]]:
    """The operation that weighs all statements in one transaction."""

    def operation(tx: Transaction) -> tuple[list[WeighedStatement], list[EntryAction | FactAction]]:
        context = WeighingContext(tx, deps, now, undone_places(tx))
        results = [_weigh(context, statement) for statement in prepared]
        return [weighed for weighed, _ in results], [action for _, action in results if action]

    return operation


def _weigh(
    context: WeighingContext, prepared: PreparedStatement
) -> tuple[WeighedStatement, EntryAction | FactAction | None]:
    statement = prepared.statement
    if any(place_of(sighting) in context.refuse for sighting in statement.sightings):
        return left_out(statement, "the owner undid it"), None
    found = _matching_entry(context, statement)
    if found is None and prepared.fact is not None:
        return weigh_fact(context.tx, context.now, statement, prepared.fact)
    if found is None and (home := _written_elsewhere(context, statement)):
        return left_out(statement, f"is already in {home}"), None
    if found is None:
        return _stored(context, prepared)
    if found.entry.archived or found.entry.superseded_by:
        return left_out(statement, "an entry with these words is archived", found.entry.id), None
    new = [
        sighting for sighting in statement.sightings if sighting.origin not in found.entry.origins
    ]
    fresh = {
        sighting.conversation: sighting
        for sighting in new
        if not _seen_in_conversation(found.entry, sighting)
    }
    if not fresh:
        return left_out(statement, "already known from these conversations", found.entry.id), None
    return _reinforced(context, statement, found, list(fresh.values()))


def _stored(
    context: WeighingContext, prepared: PreparedStatement
) -> tuple[WeighedStatement, EntryAction | None]:
    statement = prepared.statement
    receipt = prepared.store(context.tx)
    if not receipt.stored:
        return left_out(statement, receipt.reason or "not stored"), None
    located = context.tx.by_ids([receipt.id])[receipt.id]
    if receipt.deduplicated:  # an entry that says more already contains it
        place = place_of(statement.sightings[-1])
        old = located.entry
        action = EntryAction(old.id, False, old.version, old.strength - 1, (place,))
        return with_verdict(statement, "reinforced", recurrence_reason(statement), old.id), action
    entry = _with_origins(located.entry, statement.sightings)
    context.tx.touch(located, entry)
    places = tuple(place_of(sighting) for sighting in statement.sightings)
    action = EntryAction(entry.id, True, entry.version, entry.strength, places)
    return with_verdict(statement, "stored", recurrence_reason(statement), entry.id), action


def _reinforced(
    context: WeighingContext, statement: Recurring, found: Located, fresh: Sequence[Sighting]
) -> tuple[WeighedStatement, EntryAction]:
    stronger = replace(
        _with_origins(found.entry, fresh), strength=found.entry.strength + len(fresh)
    )
    context.tx.touch(found, stronger)
    context.tx.rehome(Located(found.row, stronger), domain_stem(stronger, context.deps.topics))
    places = tuple(place_of(sighting) for sighting in fresh)
    action = EntryAction(stronger.id, False, stronger.version, found.entry.strength, places)
    return with_verdict(statement, "reinforced", recurrence_reason(statement), stronger.id), action


def _matching_entry(context: WeighingContext, statement: Recurring) -> Located | None:
    """The entry that says it: one taken from the same place, or one with the same text."""
    places = [place_of(sighting) for sighting in statement.sightings]
    wanted = set(content_words(statement.lesson.text))
    taken = [
        entry
        for entry in context.tx.with_origin_lines(places)
        if overlap(wanted, set(content_words(entry.content))) >= MIN_OVERLAP
    ]
    if taken:
        best = max(taken, key=lambda entry: (not entry.archived, entry.strength, entry.id))
        return context.tx.by_ids([best.id])[best.id]
    category = KINDS[statement.lesson.kind].category
    trusts: tuple[Trust, ...] = ("agent", "owner")
    fingerprint = fingerprint_of(statement.lesson.text)
    for trust in trusts:
        for located in context.tx.same_as(category, trust, fingerprint):
            return located
    return None


def _written_elsewhere(context: WeighingContext, statement: Recurring) -> str | None:
    """The file that a flush has written this statement to, if any."""
    for sighting in statement.sightings:
        record = state.lesson_record(context.tx, sighting.lesson.id)
        if record is not None and "/" in record.home:
            return record.home
    return None


def _seen_in_conversation(entry: Entry, sighting: Sighting) -> bool:
    """Whether the entry already has a sighting from the same conversation: it counts once."""
    return any(origin.source == sighting.origin.source for origin in entry.origins)


def _with_origins(entry: Entry, sightings: Sequence[Sighting]) -> Entry:
    new = [sighting.origin for sighting in sightings if sighting.origin not in entry.origins]
    return replace(entry, origins=(*entry.origins, *dict.fromkeys(new)))
