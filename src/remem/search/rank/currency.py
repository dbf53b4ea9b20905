"""Rank current statements before earlier ones about the same thing.

If a question asks about the past, they come after them. Newer texts get a small advantage over
older ones, a larger advantage if the question asks for the present, and a disadvantage if it asks
about the past. A text that is over, according to its heading or a mark, gets a disadvantage; for a
question about the past, an advantage. If a newer statement replaces an older one, it comes right
before it; for a question about the past, right after it. The older one is marked as earlier if that
is rather certain. A statement is as old as the day of its file, heading or line; without days, the
statement that announces a change is newer, or the statement further down in the file.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import date
from itertools import combinations
from operator import attrgetter
from typing import Final

from remem.model.entry import Entry
from remem.model.passage import Passage
from remem.search.query.intent import Tense, tense_of
from remem.search.query.question import Question
from remem.search.query.terms import Term, TermCoverage
from remem.search.rank.context import CONVERSATIONS
from remem.search.rank.ranking import Candidate, RankedCandidate
from remem.search.rank.statements import (
    MIN_SHARE_OF_CHANGE,
    AnsweringStatement,
    drop_common_labels,
    replaces,
    share_enough,
)

SIGNAL: Final = "current"
_DEPTH: Final = 20
"""Only the first results, up to this number, are compared with each other."""
_WEIGHT: Final[dict[Tense, float]] = {"open": 0.4, "present": 1.5, "past": -1.0}
"""The advantage of the newest over the oldest text, by the time that a question asks about."""
_ENDED_WEIGHT: Final = 0.6
"""The disadvantage of a text that is over; its advantage if the question asks about the past."""
_MAX_GAP: Final = 3.5
"""A text is not moved before another one whose sum of signals is higher by more than this."""
_LEAD: Final = 0.001
"""By how much a moved text then exceeds the other one."""


def prefer_current(
    ranked: Sequence[RankedCandidate],
    question: Question,
    terms: Sequence[Term],
    today: date,
    excluded_signals: Collection[str] = (),
) -> list[RankedCandidate]:
    """Return ranked texts in the order that suits the time that the question asks about.

    Only the best texts are compared. Turns of conversations are left alone, and so are all texts
    if the question names days or the signal is excluded.

    `terms` are the words of the question with their rarity.
    """
    if SIGNAL in excluded_signals or not question.text or question.windows:
        return list(ranked)  # a question about certain days is answered by their texts
    tense = tense_of(question.text)
    first, rest = list(ranked[:_DEPTH]), ranked[_DEPTH:]
    coverage = TermCoverage(terms)
    statements = [AnsweringStatement(result.candidate, coverage, today) for result in first]
    drop_common_labels(statements)
    days = sorted({statement.day for statement in statements if statement.day})
    weight = _WEIGHT[tense]
    adjusted = []
    for result, statement in zip(first, statements, strict=True):
        value = weight * (_recency(result.candidate, statement.day, days) - 0.5)
        if statement.has_ended:
            value += _ENDED_WEIGHT if tense == "past" else -_ENDED_WEIGHT
        applies = result.candidate.kind not in CONVERSATIONS
        adjusted.append(result.with_change(SIGNAL, value) if applies and value else result)
    pairs = sorted(zip(adjusted, statements, strict=True), key=lambda pair: -pair[0].total)
    weights = {term.text: term.weight for term in terms}
    ordered = _order_rivals(pairs, weights, older_first=tense == "past")
    return sorted([*ordered, *rest], key=attrgetter("total"), reverse=True)


def _recency(candidate: Candidate, day: date | None, days: Sequence[date]) -> float:
    """Return how new a text is among the results, from 0 for the first day to 1 for the last.

    A text without a day is in the middle; a curated line without a day holds until it is removed,
    so it counts as newer.
    """
    if day is not None and len(days) > 1:
        return days.index(day) / (len(days) - 1)
    item = candidate.item
    return 0.75 if isinstance(item, Passage) and item.curated and day is None else 0.5


def _order_rivals(
    pairs: Sequence[tuple[RankedCandidate, AnsweringStatement]],
    weights: dict[str, float],
    *,
    older_first: bool,
) -> list[RankedCandidate]:
    """Move statements before the older ones that they replace, and mark those that surely are.

    With `older_first`, the older one is moved before the newer one. If several statements should
    come before one, only the best of them is moved.
    """
    results = [result for result, _ in pairs]
    statements = [statement for _, statement in pairs]
    rivals: dict[int, list[int]] = {}
    replaced = list(_replaced(results))
    for newer, older in [*replaced, *_rival_pairs(results, statements, weights)]:
        if (newer, older) in replaced or _is_surely_earlier(
            statements[older], statements[newer], weights
        ):
            results[older] = results[older]._replace(earlier=True)
        first, second = (older, newer) if older_first else (newer, older)
        rivals.setdefault(second, []).append(first)
    for i, others in sorted(rivals.items()):
        close = [j for j in sorted(others) if 0 <= results[i].total - results[j].total <= _MAX_GAP]
        if close:
            first = _best(close, statements, older_first=older_first)
            gap = results[i].total - results[first].total
            results[first] = results[first].with_change(SIGNAL, gap + _LEAD)
    return results


def _is_surely_earlier(
    older: AnsweringStatement, newer: AnsweringStatement, weights: dict[str, float]
) -> bool:
    """Return whether to mark a statement as earlier.

    A wrong mark does more harm than a wrong place, so it needs more words of the question, and
    another reason than the order of lines in a file: items of a list often differ in a name only.
    """
    signs = (newer.day, newer.changed, newer.has_ended), (older.day, older.changed, older.has_ended)
    return signs[0] != signs[1] and share_enough(newer, older, weights, MIN_SHARE_OF_CHANGE)


def _replaced(results: Sequence[RankedCandidate]) -> Iterator[tuple[int, int]]:
    """Yield pairs of an entry and one that it has replaced."""
    entries = {r.item.id: i for i, r in enumerate(results) if isinstance(r.item, Entry)}
    for older in entries.values():
        newer = entries.get(results[older].entry.superseded_by or "")
        if newer is not None:
            yield newer, older


def _rival_pairs(
    results: Sequence[RankedCandidate],
    statements: Sequence[AnsweringStatement],
    weights: dict[str, float],
) -> Iterator[tuple[int, int]]:
    """Yield pairs of a statement and an older one that it replaces, judged by their words."""
    for i, j in combinations(range(len(results)), 2):
        if not share_enough(statements[i], statements[j], weights):
            continue  # the cheaper check, which nearly all pairs fail
        newer = _newer(results, statements, i, j)
        if newer is None:
            continue
        older = i if newer == j else j
        if replaces(statements[newer], statements[older], weights):
            yield newer, older


def _best(
    rivals: Sequence[int], statements: Sequence[AnsweringStatement], *, older_first: bool
) -> int:
    """Return the newest rival or, with `older_first`, the oldest; of one day, the best ranked."""
    days = [statements[j].day for j in rivals]
    known = [day for day in days if day]
    if not known:
        return rivals[0]
    best_day = min(known) if older_first else max(known)
    return next(j for j, day in zip(rivals, days, strict=True) if day == best_day)


def _newer(
    results: Sequence[RankedCandidate], statements: Sequence[AnsweringStatement], i: int, j: int
) -> int | None:
    """Return which of two results is newer; None if that is unknown or does not apply."""
    one, other = results[i].candidate, results[j].candidate
    if one.kind in CONVERSATIONS or other.kind in CONVERSATIONS:
        return None
    a, b = statements[i], statements[j]
    if a.has_ended != b.has_ended:
        return j if a.has_ended else i
    if a.day and b.day and a.day != b.day:
        return i if a.day > b.day else j
    if not (a.day and b.day) and a.changed != b.changed:
        return i if a.changed else j
    if bool(a.day) != bool(b.day) and _path(one) == _path(other) is not None:
        return i if a.day else j
    return _further_down(one, other, i, j) if a.day == b.day is None else None


def _further_down(first: Candidate, other: Candidate, i: int, j: int) -> int | None:
    a, b = first.item, other.item
    if not isinstance(a, Passage) or not isinstance(b, Passage):
        return None
    if (a.path, a.headings) != (b.path, b.headings):
        return None
    apart = a.end < b.start or b.end < a.start
    return (i if a.start > b.start else j) if apart else None


def _path(candidate: Candidate) -> str | None:
    return candidate.item.path if isinstance(candidate.item, Passage) else None
