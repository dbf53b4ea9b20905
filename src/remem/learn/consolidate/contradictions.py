"""Find statements in conversations that contradict active facts.

Both sides are reported with their sources and, if there is one, the command that would resolve the
contradiction. Once one side is superseded or archived, the contradiction is not reported again.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import Final

from remem.learn.consolidate.result import (
    ContradictionSide,
    RecurringContradiction,
    places_of,
    sources_of,
)
from remem.learn.file_updates.facts import Subjects
from remem.model.contradictions import FactConflict, find_conflicts
from remem.model.fact import Fact
from remem.model.recurrence import RecurringStatement
from remem.ports.entries import EntryReader
from remem.ports.records import Where
from remem.text.words import fold

_MAX_CONTRADICTIONS: Final = 50


def find_contradictions(
    statements: Sequence[RecurringStatement], reader: EntryReader, subjects: Subjects
) -> tuple[RecurringContradiction, ...]:
    """Return the contradictions between what people said and active facts, without repetitions."""
    outdated = frozenset(_outdated_texts(statements, reader, subjects))
    unique: dict[frozenset[str], RecurringContradiction] = {}
    for statement in statements:
        text = statement.lesson.text
        entity = subjects.subject_of(text) if fold(text) not in outdated else None
        if entity is None or statement.latest.hint or not statement.by_a_person:
            continue
        active = [fact for fact in subjects.known.facts_of(entity) if fact.active]
        new = Fact("", text, timestamp=statement.last_day)
        for conflict in find_conflicts(new, active):
            contradiction = _contradiction(statement, conflict, subjects)
            unique.setdefault(frozenset((fold(text), fold(conflict.old.fact))), contradiction)
    return tuple(unique.values())[:_MAX_CONTRADICTIONS]


def _outdated_texts(
    statements: Sequence[RecurringStatement], reader: EntryReader, subjects: Subjects
) -> Iterator[str]:
    """Yield the folded texts of facts and entries that are no longer active."""
    active = {fold(fact.fact) for fact in subjects.known.facts if fact.active}
    for fact in subjects.known.facts:
        if fold(fact.fact) not in active:
            yield fold(fact.fact)
    places = [place for statement in statements for place in places_of(statement.sightings)]
    for entry in reader.select(Where(state="any", from_lines=tuple(places))):
        if entry.archived or entry.superseded_by:
            yield fold(entry.content)


def _contradiction(
    statement: RecurringStatement, conflict: FactConflict, subjects: Subjects
) -> RecurringContradiction:
    fact, text = conflict.old, statement.lesson.text
    ids = (
        active.id
        for active in subjects.known.facts
        if active.active and fold(active.fact) == fold(text)
    )
    fact_side = ContradictionSide(fact.fact, (fact.origin or fact.place,), fact.day, fact.id)
    statement_side = ContradictionSide(
        text, sources_of(statement), statement.last_day or None, next(ids, None)
    )
    if fact.since and statement_side.day and fact.since[:10] > statement_side.day:
        return RecurringContradiction(statement_side, fact_side, conflict.rule, conflict.why)
    command = f"remem fact supersede {shlex.quote(fact.id)} {shlex.quote(text)}"
    return RecurringContradiction(
        fact_side,
        statement_side,
        conflict.rule,
        conflict.why,
        command if conflict.supersede else None,
    )
