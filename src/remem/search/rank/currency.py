"""Put the statement that holds now before earlier ones about the same thing.

Newer texts get a small advantage over older ones, a larger one if the question asks for the
present, and a disadvantage if it asks about the past. What a heading or mark says is over comes
later. If two texts speak of the same thing, the older one comes right after the newer one and is
marked as earlier. A fact holds until its successor begins: a later note that covers less of the
question does not replace it. A text is as old as the day of its file, heading or line; without
days, lines further down in a file are newer.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence, Set
from datetime import date
from functools import lru_cache
from operator import attrgetter
from typing import Final

from remem.model.entry import Entry, headings_in
from remem.model.passage import Passage
from remem.search.query.question import Question
from remem.search.query.tense import Tense, tense_of
from remem.search.rank.context import CONVERSATIONS
from remem.search.rank.ranking import Candidate, Ranked
from remem.search.rank.signals import passage_day, text_of
from remem.text.line_status import is_over, line_status
from remem.text.note_dates import date_in_name, mentions
from remem.text.timestamps import date_of
from remem.text.words import STOP_WORDS, words

SIGNAL: Final = "current"
_DEPTH: Final = 20
"""Only so many results are compared with each other."""
_WEIGHT: Final[dict[Tense, float]] = {"open": 0.4, "present": 1.5, "past": -1.0}
"""The advantage of the newest over the oldest text."""
_OVER: Final = 0.6
"""The disadvantage of a text that says it is over."""
_MAX_GAP: Final = 2.0
"""Texts whose sums of signals differ by more are not equally good answers."""
_SAME_MEANING: Final = 0.7
_SAME_WORDS: Final = 0.5
_MIN_WORDS: Final = 3
_BELOW: Final = 0.001


def prefer_current(
    ranked: Sequence[Ranked],
    question: Question,
    today: date,
    excluded_signals: Collection[str] = (),
) -> list[Ranked]:
    """Return ranked texts with the current ones first; turns of conversations are left alone."""
    if SIGNAL in excluded_signals or not question.text or question.windows:
        return list(ranked)  # a question about certain days is answered by their texts
    tense = tense_of(question.text)
    first, rest = list(ranked[:_DEPTH]), ranked[_DEPTH:]
    days = [_day(result.candidate, today) for result in first]
    known = sorted({day for day in days if day})
    weight = _WEIGHT[tense]
    changed = []
    for result, day in zip(first, days, strict=True):
        value = weight * (_recency(result.candidate, day, known) - 0.5)
        if _is_over(result.candidate):
            value += _OVER if tense == "past" else -_OVER
        applies = result.candidate.kind not in CONVERSATIONS
        changed.append(result.with_change(SIGNAL, value) if applies and value else result)
    order = sorted(range(len(changed)), key=lambda i: -changed[i].total)
    dated = [(changed[i], days[i]) for i in order]
    paired = _older_after_newer(dated, question.names, older_first=tense == "past")
    return sorted([*paired, *rest], key=attrgetter("total"), reverse=True)


def _recency(candidate: Candidate, day: date | None, known: Sequence[date]) -> float:
    """Return how new a text is among the results, from 0 to 1.

    A curated line without a date holds until it is removed, so it counts as new.
    """
    if day is not None and len(known) > 1:
        return known.index(day) / (len(known) - 1)
    item = candidate.item
    return 0.75 if isinstance(item, Passage) and item.curated and day is None else 0.5


def _older_after_newer(
    dated: Sequence[tuple[Ranked, date | None]], names: Set[str], *, older_first: bool
) -> list[Ranked]:
    """Mark texts that have a newer one about the same thing, and put the right one first.

    `names` are those in the question: a text without a name that the other has is about something
    else.
    """
    results = [result for result, _ in dated]
    days = [day for _, day in dated]
    for j in range(len(results)):
        for i in range(j):
            if (newer := _newer(results, days, i, j)) is None:
                continue
            older = i if newer == j else j
            better, worse = (older, newer) if older_first else (newer, older)
            gap = results[worse].total - results[better].total
            one, other = results[better].candidate, results[worse].candidate
            if gap > _MAX_GAP or not _same_thing(one, other, names):
                continue
            if _still_holds(results[older].candidate, results[newer].candidate):
                continue
            results[older] = results[older]._replace(earlier=True)
            if gap >= 0:
                results[worse] = results[worse].with_change(SIGNAL, -gap - _BELOW)
    return results


def _newer(results: Sequence[Ranked], days: Sequence[date | None], i: int, j: int) -> int | None:
    """Return which of two results is newer; None if that is unknown or does not apply."""
    one, other = results[i].candidate, results[j].candidate
    if one.kind in CONVERSATIONS or other.kind in CONVERSATIONS:
        return None
    first, second = days[i], days[j]
    if first and second and first != second:
        return i if first > second else j
    over = _is_over(one), _is_over(other)
    if over[0] != over[1]:
        return j if over[0] else i
    a, b = one.item, other.item
    if not isinstance(a, Passage) or not isinstance(b, Passage) or a.path != b.path:
        return None
    apart = a.end < b.start or b.end < a.start
    return (i if a.start > b.start else j) if apart and first == second else None


def _same_thing(better: Candidate, worse: Candidate, names: Set[str]) -> bool:
    if names & (_all_words(worse) - _all_words(better)):
        return False
    one, other = better, worse
    if (
        one.pooled is not None
        and other.pooled is not None
        and float(one.pooled @ other.pooled) >= _SAME_MEANING
    ):
        return True
    a, b = _words(text_of(one.item)), _words(text_of(other.item))
    shorter = min(len(a), len(b))
    return shorter >= _MIN_WORDS and len(a & b) >= _SAME_WORDS * shorter


def _still_holds(older: Candidate, newer: Candidate) -> bool:
    """Return whether a fact remains the answer although a newer text speaks of the same thing.

    A later note that covers less of the question mentions the same thing, but replaces nothing.
    """
    if not _is_fact(older) or _is_fact(newer):
        return False
    if older.coverage is None or newer.coverage is None:
        return False
    return newer.coverage < older.coverage


def _is_fact(candidate: Candidate) -> bool:
    item = candidate.item
    return isinstance(item, Passage) and item.path.endswith(".json")


def _day(candidate: Candidate, today: date) -> date | None:
    """Return the day of a text: of its file or heading, or the latest one that it names."""
    item = candidate.item
    if isinstance(item, Passage):
        return passage_day(item) or _day_in(item.text, today)
    for origin in item.origins:
        if origin.position is not None:  # migrated: the time of storing says nothing
            return date_in_name(origin.source) or _day_in(item.content, today)
    return date_of(item.created_at)


@lru_cache(maxsize=2_048)
def _day_in(text: str, today: date) -> date | None:
    days = [day for m in mentions(text) if m.year and (day := m.on(m.year)) and day <= today]
    return max(days, default=None)


def _is_over(candidate: Candidate) -> bool:
    """Return whether a heading above a text, or the text itself, says that it no longer holds."""
    item = candidate.item
    headings = headings_in(item.context) if isinstance(item, Entry) else item.headings
    return any(map(is_over, headings)) or line_status(text_of(item)) == "superseded"


def _all_words(candidate: Candidate) -> frozenset[str]:
    """Return the words of a text and of the headings above it."""
    item = candidate.item
    if isinstance(item, Entry):
        return _words(" ".join((item.content, item.context or "", *item.tags)))
    return _words(f"{item.path} {item.in_context}")


@lru_cache(maxsize=2_048)
def _words(text: str) -> frozenset[str]:
    return frozenset(word for word in words(text) if word not in STOP_WORDS)
