"""What cannot both hold? Statements of several conversations, and statements and standing facts.

Both sides are told, each with its places, and what would settle it. What was settled (a fact was
superseded, an entry archived) is not told again.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from remem.core.disagreement import disagreements
from remem.core.fact import Fact
from remem.core.fact_clash import Opposed, opposed
from remem.core.recurrence import Recurring
from remem.core.words import fold
from remem.maintenance.consolidation.result import Contradiction, Side
from remem.maintenance.consolidation.wording import place_of, said_at
from remem.maintenance.write_back.facts import Subjects
from remem.ports import Reading

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
    open_ = [each for each in statements if fold(each.lesson.text) not in settled]
    facts = (
        {fold(each.fact): each for each in subjects.known.facts if each.active} if subjects else {}
    )
    found = list(_with_facts(open_, subjects, facts)) if subjects else []
    for each in disagreements(open_, one_speaker=one_speaker):
        earlier, later = _side(each.earlier, facts), _side(each.later, facts)
        found.append(Contradiction(earlier, later, each.rule, each.why))
    unique: dict[frozenset[str], Contradiction] = {}
    for one in found:
        unique.setdefault(frozenset((fold(one.earlier.text), fold(one.later.text))), one)
    return tuple(unique.values())[:_MOST]


def _settled(
    statements: Sequence[Recurring], reading: Reading, subjects: Subjects | None
) -> Iterator[str]:
    """Words that stood in memory, and do not any more."""
    standing = {fold(each.fact) for each in subjects.known.facts if each.active} if subjects else ()
    for fact in subjects.known.facts if subjects else ():
        if not fact.active and fold(fact.fact) not in standing:
            yield fold(fact.fact)
    places = [place_of(each) for one in statements for each in one.sightings]
    for entry in reading.taken_from(places):
        if entry.archived or entry.superseded_by:
            yield fold(entry.content)


def _with_facts(
    statements: Iterable[Recurring], subjects: Subjects, facts: dict[str, Fact]
) -> Iterator[Contradiction]:
    for each in statements:
        entity = subjects.subject_of(each.lesson.text)
        if entity is None or each.told.hint or not each.by_a_person:
            continue
        standing = [fact for fact in subjects.known.of(entity) if fact.active]
        new = Fact("", each.lesson.text, timestamp=each.last_day)
        for found in opposed(new, standing):
            yield _told(each, found, facts)


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
