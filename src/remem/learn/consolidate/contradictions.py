"""What cannot both hold? Statements of several conversations, and statements and standing facts.

Both sides are told, each with its places, and what would settle it. What was settled (a fact was
superseded, an entry archived) is not told again.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from remem.learn.consolidate.result import Contradiction, Side
from remem.learn.consolidate.runs import place_of, said_at
from remem.learn.file_updates.facts import Subjects
from remem.model.disagreements import disagreements
from remem.model.fact import Fact
from remem.model.fact_conflicts import Opposed, opposed
from remem.model.recurrence import Recurring
from remem.ports.entries import Reading
from remem.text.words import fold

_MOST: Final = 50


def contradictions_in(
    statements: Sequence[Recurring],
    reading: Reading,
    subjects: Subjects | None,
    *,
    one_speaker: bool,
) -> tuple[Contradiction, ...]:
    """Those with facts first: there a command settles it."""
    settled = frozenset(_settled(statements, reading, subjects))
    open_ = [statement for statement in statements if fold(statement.lesson.text) not in settled]
    facts = (
        {fold(fact.fact): fact for fact in subjects.known.facts if fact.active} if subjects else {}
    )
    found = list(_with_facts(open_, subjects, facts)) if subjects else []
    for disagreement in disagreements(open_, one_speaker=one_speaker):
        earlier, later = _side(disagreement.earlier, facts), _side(disagreement.later, facts)
        found.append(Contradiction(earlier, later, disagreement.rule, disagreement.why))
    unique: dict[frozenset[str], Contradiction] = {}
    for one in found:
        unique.setdefault(frozenset((fold(one.earlier.text), fold(one.later.text))), one)
    return tuple(unique.values())[:_MOST]


def _settled(
    statements: Sequence[Recurring], reading: Reading, subjects: Subjects | None
) -> Iterator[str]:
    """Words that stood in memory, and do not any more."""
    standing = {fold(fact.fact) for fact in subjects.known.facts if fact.active} if subjects else ()
    for fact in subjects.known.facts if subjects else ():
        if not fact.active and fold(fact.fact) not in standing:
            yield fold(fact.fact)
    places = [place_of(sighting) for one in statements for sighting in one.sightings]
    for entry in reading.taken_from(places):
        if entry.archived or entry.superseded_by:
            yield fold(entry.content)


def _with_facts(
    statements: Iterable[Recurring], subjects: Subjects, facts: dict[str, Fact]
) -> Iterator[Contradiction]:
    for statement in statements:
        entity = subjects.subject_of(statement.lesson.text)
        if entity is None or statement.told.hint or not statement.by_a_person:
            continue
        standing = [fact for fact in subjects.known.of(entity) if fact.active]
        new = Fact("", statement.lesson.text, timestamp=statement.last_day)
        for found in opposed(new, standing):
            yield _told(statement, found, facts)


def _told(statement: Recurring, found: Opposed, facts: dict[str, Fact]) -> Contradiction:
    old = found.old
    known = Side(old.fact, (old.origin or old.place,), old.day, old.id)
    mine = _side(statement, facts)
    if old.since and mine.day and old.since[:10] > mine.day:
        return Contradiction(mine, known, found.rule, found.why)
    words = shlex.quote(statement.lesson.text)
    command = f"remem fact supersede {shlex.quote(old.id)} {words}" if found.supersede else None
    return Contradiction(known, mine, found.rule, found.why, command)


def _side(statement: Recurring, facts: dict[str, Fact]) -> Side:
    fact = facts.get(fold(statement.lesson.text))
    return Side(
        statement.lesson.text,
        said_at(statement),
        statement.last_day or None,
        fact.id if fact else None,
    )
