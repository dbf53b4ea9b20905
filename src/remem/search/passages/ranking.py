"""Which passage comes first? What it says decides; its age only breaks ties.

Scores are fused, not ranks, and lie between 0 and 1: how much of the question's words a
passage holds, and how near it is in meaning. A threshold is applied to that alone. Only then
a file that is named goes to the front, annotations move a passage between neighbours, and of
two that say the same the newer one wins.

Who speaks in a passage? Read off the beginnings of its lines: `Mara: …`, `- **User:** …`.

A file has no roles and no speakers of its own. Where somebody wrote a conversation down, its
lines begin with names, and what is known of entries by their origin can be known here too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from math import ceil
from typing import Final

from remem.model.entry import ASSISTANT
from remem.model.passage import Passage
from remem.search.query.terms import Term, asks_of_assistant, asks_when, coverage, tells_a_time
from remem.search.rank.signals import in_days
from remem.text.dates import Window
from remem.text.words import fold, words

_SPEAKER: Final = re.compile(
    r"^[ \t]*(?:[-*+>•][ \t]+)?(?:\*\*|__)?([^\W\d_][\w .'’-]{0,30}?)[ \t]*"
    r"(?:\*\*|__)?[:：](?:\*\*|__)?(?=[ \t]|$)",
    re.MULTILINE,
)
_PEOPLE: Final = frozenset({"user", "human", "me"})
_MACHINES: Final = frozenset({ASSISTANT, "ai", "bot", "system", "tool"})
_OFTEN: Final = 3
"""Who begins fewer lines may be a heading or a label."""


def speakers_in(text: str) -> tuple[str, ...]:
    """The names that its lines begin with, in their order."""
    return tuple(fold(name) for name in _SPEAKER.findall(text))


def by_people(speakers: Sequence[str]) -> float:
    """The share of the lines that a person says, where an assistant speaks too; none of a
    passage that does not tell."""
    roles = [name for name in speakers if name in _PEOPLE or name in _MACHINES]
    return sum(name in _PEOPLE for name in roles) / len(roles) if roles else 0.0


def by(person: str | None, speakers: Sequence[str]) -> float:
    """The share of the lines that begin with this name."""
    return speakers.count(person) / len(speakers) if person and speakers else 0.0


def the_one_named(question: str, passages: Iterable[Sequence[str]]) -> str | None:
    """The only one of those who speak that a question names."""
    counted = Counter(name for speakers in passages for name in speakers)
    asked = set(words(question))
    named = [
        name
        for name, lines in counted.items()
        if lines >= _OFTEN
        and name not in _PEOPLE
        and name not in _MACHINES
        and asked & set(words(name))
    ]
    return named[0] if len(named) == 1 else None


_WITH_MODEL: Final = {"text": 0.3, "meaning": 0.3, "tokens": 0.4}
_WITHOUT_VECTOR: Final = 0.9
_VERY_NEAR: Final = 0.7
"""A cosine that means the same thing in other words; nothing is gained above it."""
_TELLING: Final = 0.02
"""A late interaction below this does not tell the candidates apart."""

_SAID: Final = 0.8
"""The share of the words in a text's score; how strong they are in it is the rest."""
_FLOOR: Final = 0.98
_HALF_LIFE_DAYS: Final = 180.0
_DATE: Final = 0.3
_WHEN: Final = 0.1
_PERSON: Final = 0.15
_ROLE: Final = 0.25
"""What moves a passage that tells of the days that are named, tells a time where one is asked
for, was said by the one who is named, or by a person rather than an assistant."""
_IN_PROJECT: Final = 1.15
_FRONT: Final = 0.97
_CALM: Final = 0.93
"""From here on scores come ever closer to the front, and none is like another."""
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
    strongest = max(candidate.keyword for candidate in candidates) or 1.0
    most_telling = max((candidate.tokens or 0.0 for candidate in candidates), default=0.0)
    said = _said(candidates, asked)
    scored: list[tuple[float, Scored]] = []
    for each, speaks in zip(candidates, said, strict=True):
        text = _text_score(each, asked.terms, strongest)
        relevance = _relevance(each, text, most_telling)
        if each.passage.path in asked.named:
            relevance = max(relevance, _FRONT)
        if least is not None and relevance < least:
            continue
        place = _moved(relevance, speaks, each.passage, asked)
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
    quota = ceil(most / 2) if any(scored.passage.source == "memory" for scored in ranked) else most
    taken: list[int] = []
    passed_over: list[int] = []
    talks = 0
    for i, each in enumerate(ranked):
        if len(taken) == most:
            break
        talk = each.passage.is_talk
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


def _said(candidates: Sequence[Candidate], asked: Asked) -> list[float]:
    """What speaks for each beside its words and its meaning, as for an entry."""
    spoken = [speakers_in(candidate.passage.text) for candidate in candidates]
    person = the_one_named(asked.query, spoken)
    when, of_assistant = asks_when(asked.query), asks_of_assistant(asked.query)
    values = []
    for each, speakers in zip(candidates, spoken, strict=True):
        value = _PERSON * by(person, speakers)
        if asked.windows and (day := _day(each.passage)):
            value += _DATE * in_days(day, asked.windows)
        if when and tells_a_time(each.passage.text):
            value += _WHEN
        if not of_assistant:
            value += _ROLE * by_people(speakers)
        values.append(value)
    return values


def _moved(relevance: float, speaks: float, passage: Passage, asked: Asked) -> float:
    """Where it stands among the others; files that are named stand above 2."""
    how = asked.named.get(passage.path)
    if how is not None:
        return 2 + _NAMED[how] + 0.009 * relevance * _freshness(passage, asked.today)
    score = relevance
    if passage.importance is not None:
        score *= 0.875 + 0.025 * passage.importance
    if passage.project and _names_project(asked.query, passage.project):
        score *= _IN_PROJECT
    return (score + speaks) * _freshness(passage, asked.today)


def _shown(place: float) -> float:
    """A place as a score; what is named keeps the highest for itself."""
    if place > 2:
        return place - 2
    beyond = place - _CALM
    return place if beyond <= 0 else _CALM + (_FRONT - _CALM) * beyond / (beyond + _FRONT - _CALM)


def _freshness(passage: Passage, today: date) -> float:
    """Between the floor and 1: it moves nothing but what is all but equal."""
    day = _day(passage)
    if passage.curated or day is None:
        return 1.0
    age = max(0, (today - day).days)
    return float(_FLOOR + (1 - _FLOOR) * 2 ** (-age / _HALF_LIFE_DAYS))


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
