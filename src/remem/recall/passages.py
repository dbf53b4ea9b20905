"""Which passage comes first? What it says decides; its age only breaks ties.

Scores are fused, not ranks, and lie between 0 and 1: how much of the question's words a
passage holds, and how near it is in meaning. A threshold is applied to that alone. Only then
a file that is named goes to the front, annotations move a passage between neighbours, and of
two that say the same the newer one wins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from math import ceil
from typing import Final

from remem.core.passage import Passage
from remem.core.words import fold
from remem.recall.dates import Window
from remem.recall.terms import Term, coverage

_WITH_MODEL: Final = {"text": 0.4, "meaning": 0.2, "tokens": 0.4}
_WITHOUT_VECTOR: Final = 0.9
_VERY_NEAR: Final = 0.7
"""A cosine that means the same thing in other words; nothing is gained above it."""
_TELLING: Final = 0.02
"""A late interaction below this does not tell the candidates apart."""

_SAID: Final = 0.8
"""The share of the words in a text's score; how strong they are in it is the rest."""
_FLOOR: Final = 0.98
_HALF_LIFE_DAYS: Final = 180.0
_ON_THE_DAY: Final = 0.15
_IN_PROJECT: Final = 1.15
_FRONT: Final = 0.97
_NAMED: Final = {"path": 0.99, "name": 0.98, "stem": _FRONT}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage that a leg proposes; `keyword` is 0 where no word was found."""

    row: int
    passage: Passage
    keyword: float = 0.0
    meaning: float | None = None
    tokens: float | None = None


@dataclass(frozen=True, slots=True)
class Scored:
    """`relevance` is what a threshold cuts; `score` is what the order follows."""

    row: int
    passage: Passage
    text: float
    vector: float | None
    relevance: float
    score: float
    by_keyword: bool


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as far as ranking needs it; `named` tells which files it names, and how."""

    query: str
    terms: tuple[Term, ...]
    windows: tuple[Window, ...]
    named: dict[str, str]
    today: date


def rank(candidates: Sequence[Candidate], asked: Asked, least: float | None) -> list[Scored]:
    """Best first. An explicit `least` cuts before anything but relevance counts."""
    if not candidates:
        return []
    strongest = max(each.keyword for each in candidates) or 1.0
    most_telling = max((each.tokens or 0.0 for each in candidates), default=0.0)
    scored: list[tuple[float, Scored]] = []
    for each in candidates:
        text = _text_score(each, asked.terms, strongest)
        relevance = _relevance(each, text, most_telling)
        if each.passage.path in asked.named:
            relevance = max(relevance, _FRONT)
        if least is not None and relevance < least:
            continue
        place = _moved(relevance, each.passage, asked)
        score = max(_shown(place), min(relevance, least or 0.0))
        found = each.keyword > 0
        scored.append(
            (place, Scored(each.row, each.passage, text, each.meaning, relevance, score, found))
        )
    scored.sort(key=lambda each: (-each[0], each[1].passage.path, each[1].passage.start))
    return [each for _, each in scored]


def choose(ranked: Sequence[Scored], most: int) -> list[Scored]:
    """The first so many; but transcripts never take more than half of the places while files
    have something to say, and what was just read is not read again in the next passage."""
    quota = ceil(most / 2) if any(each.passage.source == "memory" for each in ranked) else most
    taken: list[int] = []
    passed_over: list[int] = []
    talks = 0
    for i, each in enumerate(ranked):
        if len(taken) == most:
            break
        talk = each.passage.source == "sessions"
        if (talk and talks >= quota) or any(_overlap(each, ranked[j]) for j in taken):
            passed_over.append(i)
            continue
        talks += talk
        taken.append(i)
    return [ranked[i] for i in sorted([*taken, *passed_over[: most - len(taken)]])]


def _text_score(candidate: Candidate, terms: Sequence[Term], strongest: float) -> float:
    if candidate.keyword <= 0:
        return 0.0
    said = _SAID * coverage(terms, candidate.passage)
    return min(1.0, said + (1 - _SAID) * candidate.keyword / strongest)


def _relevance(candidate: Candidate, text: float, most_telling: float) -> float:
    if candidate.meaning is None:
        return text if most_telling == 0 else _WITHOUT_VECTOR * text
    near = min(1.0, max(0.0, candidate.meaning) / _VERY_NEAR)
    telling = max(0.0, candidate.tokens or 0.0) / most_telling if most_telling > _TELLING else near
    parts = {"text": text, "meaning": near, "tokens": telling}
    return sum(weight * parts[name] for name, weight in _WITH_MODEL.items())


def _moved(relevance: float, passage: Passage, asked: Asked) -> float:
    """Where it stands among the others; files that are named stand above 2."""
    how = asked.named.get(passage.path)
    if how is not None:
        return 2 + _NAMED[how] + 0.009 * relevance * _freshness(passage, asked.today)
    score = relevance
    if passage.importance is not None:
        score *= 0.875 + 0.025 * passage.importance
    if passage.project and _names_project(asked.query, passage.project):
        score *= _IN_PROJECT
    if _on_a_day(passage, asked.windows):
        score += _ON_THE_DAY
    return score * _freshness(passage, asked.today)


def _shown(place: float) -> float:
    """A place as a score; what is named keeps the highest for itself."""
    return place - 2 if place > 2 else min(place, _FRONT - 0.001)


def _freshness(passage: Passage, today: date) -> float:
    """Between the floor and 1: it moves nothing but what is all but equal."""
    day = _day(passage)
    if passage.curated or day is None:
        return 1.0
    age = max(0, (today - day).days)
    return float(_FLOOR + (1 - _FLOOR) * 2 ** (-age / _HALF_LIFE_DAYS))


def _on_a_day(passage: Passage, windows: Sequence[Window]) -> bool:
    day = _day(passage)
    return day is not None and any(each.first <= day <= each.last for each in windows)


def _day(passage: Passage) -> date | None:
    try:
        return date.fromisoformat(passage.day[:10]) if passage.day else None
    except ValueError:
        return None


def _names_project(query: str, projects: str) -> bool:
    asked = f" {fold(query)} "
    return any(f" {fold(key)} " in asked for key in projects.split(";") if key.strip())


def _overlap(one: Scored, other: Scored) -> bool:
    """Whether the two say the same, or share at least half of the shorter one's lines."""
    a, b = one.passage, other.passage
    if a.path != b.path or a.start == a.end == b.start == b.end:  # pieces of one long line
        return a.text == b.text
    shared = min(a.end, b.end) - max(a.start, b.start) + 1
    return shared * 2 >= min(a.end - a.start, b.end - b.start) + 1
