"""Find contradictions between statements of several conversations, and with active facts.

Both sides are reported with their sources and, if there is one, the command that would resolve the
contradiction. Once one side is superseded or archived, it is not reported again.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from remem.learn.consolidate.result import Contradiction, Side, places_of, sources_of
from remem.learn.file_updates.facts import Subjects
from remem.model.disagreements import disagreements
from remem.model.fact import Fact
from remem.model.fact_conflicts import Conflict, find_conflicts
from remem.model.recurrence import Recurring
from remem.ports.entries import EntryReader
from remem.text.words import fold

_MAX_CONTRADICTIONS: Final = 50


def find_contradictions(
    statements: Sequence[Recurring],
    reader: EntryReader,
    subjects: Subjects | None,
    *,
    one_speaker: bool,
) -> tuple[Contradiction, ...]:
    """The contradictions; those with facts come first, as a command can resolve them."""
    outdated = frozenset(_outdated_texts(statements, reader, subjects))
    current = [statement for statement in statements if fold(statement.lesson.text) not in outdated]
    facts = (
        {fold(fact.fact): fact for fact in subjects.known.facts if fact.active} if subjects else {}
    )
    found = list(_with_facts(current, subjects, facts)) if subjects else []
    for disagreement in disagreements(current, one_speaker=one_speaker):
        earlier, later = _side(disagreement.earlier, facts), _side(disagreement.later, facts)
        found.append(Contradiction(earlier, later, disagreement.rule, disagreement.why))
    unique: dict[frozenset[str], Contradiction] = {}
    for contradiction in found:
        texts = frozenset((fold(contradiction.earlier.text), fold(contradiction.later.text)))
        unique.setdefault(texts, contradiction)
    return tuple(unique.values())[:_MAX_CONTRADICTIONS]


def _outdated_texts(
    statements: Sequence[Recurring], reader: EntryReader, subjects: Subjects | None
) -> Iterator[str]:
    """Texts of facts and entries that are no longer active."""
    active = {fold(fact.fact) for fact in subjects.known.facts if fact.active} if subjects else ()
    for fact in subjects.known.facts if subjects else ():
        if not fact.active and fold(fact.fact) not in active:
            yield fold(fact.fact)
    places = [place for statement in statements for place in places_of(statement.sightings)]
    for entry in reader.with_origin_lines(places):
        if entry.archived or entry.superseded_by:
            yield fold(entry.content)


def _with_facts(
    statements: Iterable[Recurring], subjects: Subjects, facts: dict[str, Fact]
) -> Iterator[Contradiction]:
    for statement in statements:
        entity = subjects.subject_of(statement.lesson.text)
        if entity is None or statement.latest.hint or not statement.by_a_person:
            continue
        active = [fact for fact in subjects.known.of(entity) if fact.active]
        new = Fact("", statement.lesson.text, timestamp=statement.last_day)
        for conflict in find_conflicts(new, active):
            yield _with_fact(statement, conflict, facts)


def _with_fact(statement: Recurring, conflict: Conflict, facts: dict[str, Fact]) -> Contradiction:
    old = conflict.old
    known = Side(old.fact, (old.origin or old.place,), old.day, old.id)
    new = _side(statement, facts)
    if old.since and new.day and old.since[:10] > new.day:
        return Contradiction(new, known, conflict.rule, conflict.why)
    text = shlex.quote(statement.lesson.text)
    command = f"remem fact supersede {shlex.quote(old.id)} {text}" if conflict.supersede else None
    return Contradiction(known, new, conflict.rule, conflict.why, command)


def _side(statement: Recurring, facts: dict[str, Fact]) -> Side:
    fact = facts.get(fold(statement.lesson.text))
    return Side(
        statement.lesson.text,
        sources_of(statement),
        statement.last_day or None,
        fact.id if fact else None,
    )
