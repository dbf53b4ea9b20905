"""Which candidate comes first? A short list of named signals, weighted in one place.

The three legs (keywords, meaning, late interaction) are put on one scale within the
candidates and added: their scores are fused, not their ranks. What the store knows about
an entry only moves it between neighbours; age never hides the only right answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from math import exp, fsum, log2, sqrt
from typing import Final

from remem.core.entry import Entry
from remem.core.moments import day
from remem.core.words import fold
from remem.recall.question import Question

WEIGHTS: Final = {
    "keyword": 0.2,
    "meaning": 0.3,
    "tokens": 0.75,
    "person": 1.0,
    "date": 1.0,
    "category": 0.3,
    "priority": 0.1,
    "recency": 0.1,
    "strength": 0.05,
}
"""With a model. The legs stand as measured for memories without neighbours."""

KEYWORD_ONLY: Final = {**WEIGHTS, "keyword": 1.0, "meaning": 0.0, "tokens": 0.0}

_KEYWORD_SPREAD: Final = 0.15
_MEANING_SPREAD: Final = 0.05
_TOKENS_SPREAD: Final = 0.02

_PRIORITY: Final = {"critical": 2.0, "high": 1.0, "medium": 0.0, "low": -1.0}
_HALF_LIFE_DAYS: Final = 180.0
_AFTER_DAYS: Final = 12.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entry that may answer, with what each leg found; None where a leg has nothing."""

    row: int
    entry: Entry
    keyword: float = 0.0
    meaning: float | None = None
    tokens: float | None = None


@dataclass(frozen=True, slots=True)
class Ranked:
    entry: Entry
    score: float
    why: Mapping[str, float]
    cosine: float | None = None


def rank(candidates: Sequence[Candidate], question: Question, now: str) -> list[Ranked]:
    """Best first; ties keep the order of the rows."""
    if not candidates:
        return []
    weights = WEIGHTS if any(each.meaning is not None for each in candidates) else KEYWORD_ONLY
    legs = {
        "keyword": standard(
            [each.keyword for each in candidates],
            _KEYWORD_SPREAD * max(each.keyword for each in candidates),
        ),
        "meaning": standard([each.meaning for each in candidates], _MEANING_SPREAD),
        "tokens": standard([each.tokens for each in candidates], _TOKENS_SPREAD),
    }
    today = day(now)
    ranked = []
    for i, candidate in enumerate(candidates):
        signals = {name: values[i] for name, values in legs.items()}
        signals |= {name: signal(candidate.entry, question, today) for name, signal in _SIGNALS}
        why = {name: weights[name] * value for name, value in signals.items()}
        score = _squash(sum(why.values()))
        ranked.append(Ranked(candidate.entry, score, why, candidate.meaning))
    return sorted(ranked, key=lambda each: -each.score)


def standard(values: Sequence[float | None], least: float) -> list[float]:
    """Standard scores; what a leg does not know counts as its lowest.

    `least` is the smallest spread that says something: candidates that a leg hardly tells
    apart stay close together, and other signals decide. A lone candidate has nothing to be
    compared with: what found it counts as one.
    """
    if len(values) == 1:
        return [1.0 if values[0] else 0.0]
    lowest = min((value for value in values if value is not None), default=0.0)
    filled = [lowest if value is None else value for value in values]
    mean = fsum(filled) / len(filled)
    deviation = sqrt(fsum((value - mean) ** 2 for value in filled) / len(filled))
    spread = max(deviation, least, 1e-9)
    return [(value - mean) / spread for value in filled]


def _person(entry: Entry, question: Question, _: date) -> float:
    """The one person the question names spoke, or the entry is tagged with the name."""
    if len(question.names) != 1:
        return 0.0
    speakers = {fold(origin.speaker) for origin in entry.origins if origin.speaker}
    tags = {fold(tag) for tag in entry.tags}
    return 1.0 if question.names & (speakers | tags) else 0.0


def _date(entry: Entry, question: Question, _: date) -> float:
    """Said within the days that the question names, or soon after them."""
    if not question.windows:
        return 0.0
    said = day(entry.created_at)
    late = min(
        0 if window.first <= said <= window.last else _days_after(said, window.first, window.last)
        for window in question.windows
    )
    return exp(-late / _AFTER_DAYS) if late < 5 * _AFTER_DAYS else 0.0


def _days_after(said: date, first: date, last: date) -> int:
    return (said - last).days if said > last else 100 * (first - said).days


def _category(entry: Entry, question: Question, _: date) -> float:
    return 1.0 if entry.category in question.categories else 0.0


def _priority(entry: Entry, _: Question, __: date) -> float:
    return _PRIORITY[entry.priority]


def _recency(entry: Entry, _: Question, today: date) -> float:
    age = max(0, (today - day(entry.updated_at)).days)
    return float(2 ** (-age / _HALF_LIFE_DAYS))


def _strength(entry: Entry, _: Question, __: date) -> float:
    return log2(1 + entry.strength + entry.uses) - 1


_Signal = Callable[[Entry, Question, date], float]
_SIGNALS: Final[tuple[tuple[str, _Signal], ...]] = (
    ("person", _person),
    ("date", _date),
    ("category", _category),
    ("priority", _priority),
    ("recency", _recency),
    ("strength", _strength),
)


def _squash(total: float) -> float:
    return 1 / (1 + exp(-max(-30.0, min(30.0, total))))
