"""Decide whether a recurring statement is stored, reinforces something known, or is rejected.

An entry that says the same thing is reinforced once for every new conversation. If that entry was
archived, or the owner undid an earlier run that used the statement, the statement is rejected. A
statement about a known entity becomes a fact, or confirms a fact once for every conversation that
the fact does not come from. A superseded or erased fact is not restored by being mentioned again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from remem.entries.placement import update
from remem.entries.receipt import Receipt
from remem.errors import counted
from remem.learn.consolidate.result import (
    Place,
    WeighedStatement,
    accepted_statement,
    place_of,
    places_of,
    rejected_statement,
)
from remem.learn.consolidate.runs import EntryAction, FactAction, confirming_places
from remem.learn.file_updates.changes import RecordFact
from remem.learn.file_updates.facts import Subjects
from remem.learn.file_updates.routing import TargetScope
from remem.learn.flush import state
from remem.model.entry import Draft, Entry, Trust, lower_trust
from remem.model.fact import Fact
from remem.model.recurrence import (
    MIN_OVERLAP,
    ConversationSighting,
    RecurringStatement,
    is_same_statement,
)
from remem.ports.entries import Transaction
from remem.ports.records import Where
from remem.text.similarity import fingerprint_of, folded_hash, overlap
from remem.text.words import content_words, fold

_KNOWN: Final = "already known from these conversations"
StatementAndAction = tuple[WeighedStatement, EntryAction | FactAction | None]
"""A weighed statement and the change that it made, if any."""


@dataclass(frozen=True, slots=True)
class FactCandidate:
    """The fact that a statement would become, as a `change` to the entity's file.

    `same_fact` is an existing fact that says the same. `erased` means that the owner erased the
    text.
    """

    change: RecordFact
    same_fact: Fact | None
    erased: bool


def fact_candidate(
    statement: RecurringStatement, subjects: Subjects, target: TargetScope, trust: Trust
) -> FactCandidate | None:
    """Return the fact that a statement would become; None if it is not about a known entity."""
    lesson = replace(statement.lesson, trust=lower_trust(trust, "agent"))
    change = subjects.change_for(lesson, replace(target, day=statement.latest.day or target.day))
    if change is None:
        return None
    entity = subjects.subject_of(lesson.text)
    facts = subjects.known.facts_of(entity) if entity else []
    same_fact = _find_same_fact(lesson.text, facts)
    return FactCandidate(change, same_fact, subjects.known.erased(lesson.text))


def _find_same_fact(text: str, facts: Iterable[Fact]) -> Fact | None:
    """Return a fact that says the same in nearly the same words, an active one if possible."""
    text_words = set(content_words(text))
    matches: list[tuple[bool, bool, float, Fact]] = []
    for fact in facts:
        equal = fold(fact.fact) == fold(text)
        shared = overlap(text_words, set(content_words(fact.fact)))
        if (equal or shared >= MIN_OVERLAP) and is_same_statement(fact.fact, text):
            matches.append((fact.active, equal, shared, fact))
    return max(matches, key=lambda match: match[:3])[3] if matches else None


def draft_of(statement: RecurringStatement, now: str, trust: Trust) -> Draft:
    """Return the statement as an entry."""
    lesson, days = statement.lesson, statement.days
    conversations = counted(statement.conversations, "conversation")
    return Draft(
        category=lesson.category,
        content=lesson.text,
        context=f"said in {conversations}, {days[0]} to {days[-1]}" if days else None,
        source="consolidation",
        origin=statement.sightings[-1].origin,
        trust=lower_trust(trust, "agent"),
        created_at=min(lesson.said_at, now) if lesson.said_at else None,
        redacted=lesson.redacted,
    )


@dataclass(frozen=True, slots=True)
class StatementWeigher:
    """Weighs statements in one transaction; `undone` are the sightings of undone runs."""

    tx: Transaction
    topics: Sequence[str]
    now: str
    undone: frozenset[Place]

    def weigh(
        self,
        statement: RecurringStatement,
        store: Callable[[Transaction], Receipt],
        candidate: FactCandidate | None,
    ) -> StatementAndAction:
        """Store, reinforce or reject a statement; `store` stores it as an entry."""
        if any(place_of(sighting) in self.undone for sighting in statement.sightings):
            return rejected_statement(
                statement, "the owner undid an earlier run that used it"
            ), None
        entry = self._matching_entry(statement)
        if entry is not None:
            return self._reinforce(statement, entry)
        if candidate is not None:
            return self._weigh_fact(statement, candidate)
        if file := self._written_elsewhere(statement):
            return rejected_statement(statement, f"already in {file}"), None
        return self._store(statement, store(self.tx))

    def _matching_entry(self, statement: RecurringStatement) -> Entry | None:
        """Return an entry that says the same in the statement's lines, or has the same text."""
        statement_words = set(content_words(statement.lesson.text))
        from_same_lines = [
            entry
            for entry in self.tx.select(
                Where(state="any", from_lines=tuple(places_of(statement.sightings)))
            )
            if overlap(statement_words, set(content_words(entry.content))) >= MIN_OVERLAP
        ]
        if from_same_lines:
            return max(
                from_same_lines, key=lambda entry: (not entry.archived, entry.strength, entry.id)
            )
        category = statement.lesson.category
        fingerprint = fingerprint_of(statement.lesson.text)
        trusts: tuple[Trust, ...] = ("agent", "owner")
        return next(
            (
                match
                for trust in trusts
                for match in self.tx.duplicates("same", category, trust, fingerprint)
            ),
            None,
        )

    def _written_elsewhere(self, statement: RecurringStatement) -> str | None:
        """Return the file that a flush wrote this statement to, if there is one."""
        for sighting in statement.sightings:
            record = state.lesson_record(self.tx, sighting.lesson.id)
            if record is not None and "/" in record.home:
                return record.home
        return None

    def _store(self, statement: RecurringStatement, receipt: Receipt) -> StatementAndAction:
        if not receipt.stored:
            return rejected_statement(statement, receipt.reason or "not stored"), None
        old = self.tx.find([receipt.id])[receipt.id]
        if receipt.deduplicated:  # an entry that says more already contains the statement
            places = places_of(statement.sightings[-1:])
            action = EntryAction(
                old.id, stored=False, version=old.version, strength=old.strength - 1, places=places
            )
            return accepted_statement(statement, "reinforced", entry=old.id), action
        entry = _with_origins(old, statement.sightings)
        update(self.tx, entry)
        places = places_of(statement.sightings)
        action = EntryAction(
            entry.id, stored=True, version=entry.version, strength=entry.strength, places=places
        )
        return accepted_statement(statement, "stored", entry=entry.id), action

    def _reinforce(self, statement: RecurringStatement, old: Entry) -> StatementAndAction:
        """Reinforce an entry once for every conversation that it does not come from yet."""
        if old.archived or old.superseded_by:
            return rejected_statement(
                statement, "an entry with these words is archived", old.id
            ), None
        sightings = _from_other_sources(statement, {origin.source for origin in old.origins})
        if not sightings:
            return rejected_statement(statement, _KNOWN, old.id), None
        new = replace(_with_origins(old, sightings), strength=old.strength + len(sightings))
        update(self.tx, new, self.topics)
        places = places_of(sightings)
        action = EntryAction(
            new.id, stored=False, version=new.version, strength=old.strength, places=places
        )
        return accepted_statement(statement, "reinforced", entry=new.id), action

    def _weigh_fact(
        self, statement: RecurringStatement, candidate: FactCandidate
    ) -> StatementAndAction:
        change, same_fact = candidate.change, candidate.same_fact
        if candidate.erased or self.tx.tombstones(wording_hash=folded_hash(change.text)):
            return rejected_statement(statement, "the owner has erased this text"), None
        if same_fact is None:
            return self._record_fact(statement, change)
        if not same_fact.active:
            why = "a fact with these words is no longer true"
            return rejected_statement(statement, why, fact=same_fact.id), None
        places = confirming_places(self.tx, same_fact.path, same_fact.fact)
        sources = {(same_fact.origin or "").partition("#")[0], *(source for source, _ in places)}
        sightings = _from_other_sources(statement, sources)
        if not sightings:
            return rejected_statement(statement, _KNOWN, fact=same_fact.id), None
        new_places = places_of(sightings)
        action = FactAction(
            same_fact.path, same_fact.fact, same_fact.origin or "", stored=False, places=new_places
        )
        return accepted_statement(statement, "reinforced", fact=same_fact.id), action

    def _record_fact(self, statement: RecurringStatement, change: RecordFact) -> StatementAndAction:
        """Record the change as pending; the fact's file is written after the transaction."""
        if record := state.lesson_record(self.tx, change.id):
            return rejected_statement(statement, f"already written to {record.home}"), None
        state.add_pending(self.tx, [change])
        state.record_lesson(self.tx, change.id, state.LessonRecord(change.file, self.now))
        places = places_of(statement.sightings)
        action = FactAction(change.file, change.text, change.origin, stored=True, places=places)
        return accepted_statement(statement, "stored"), action


def _from_other_sources(
    statement: RecurringStatement, sources: Collection[str]
) -> list[ConversationSighting]:
    """Return the last sighting in each conversation that is not among the sources."""
    new = (sighting for sighting in statement.sightings if sighting.origin.source not in sources)
    return list({sighting.conversation: sighting for sighting in new}.values())


def _with_origins(entry: Entry, sightings: Sequence[ConversationSighting]) -> Entry:
    new = [sighting.origin for sighting in sightings if sighting.origin not in entry.origins]
    return replace(entry, origins=(*entry.origins, *dict.fromkeys(new)))
