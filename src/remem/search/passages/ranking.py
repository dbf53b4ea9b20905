"""Rank passages: relevance decides, age only breaks ties.

Relevance fuses scores, not ranks, and is between 0 and 1: how many of the question's words a
passage covers, and how close it is in meaning. A threshold applies to relevance alone. After that,
files that the question names go first, annotations and speakers move a passage between neighbours,
and of two equal passages the newer one wins.

A file has no roles or speakers of its own. If somebody wrote down a conversation, they are read
from the beginnings of its lines: `Mara: …`, `- **User:** …`.
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
from remem.search.query.terms import Term, asks_about_assistant, asks_when, coverage, mentions_time
from remem.search.rank.signals import window_score
from remem.text.dates import Window
from remem.text.words import fold, words

_SPEAKER: Final = re.compile(
    r"^[ \t]*(?:[-*+>•][ \t]+)?(?:\*\*|__)?([^\W\d_][\w .'’-]{0,30}?)[ \t]*"
    r"(?:\*\*|__)?[:：](?:\*\*|__)?(?=[ \t]|$)",
    re.MULTILINE,
)
_PEOPLE: Final = frozenset({"user", "human", "me"})
_ASSISTANTS: Final = frozenset({ASSISTANT, "ai", "bot", "system", "tool"})
_MIN_LINES: Final = 3
"""A name that begins fewer lines may be a heading or a label."""
_WITH_MODEL: Final = {"text": 0.3, "meaning": 0.3, "tokens": 0.4}
_WITHOUT_VECTOR: Final = 0.9
_SAME_MEANING: Final = 0.7
"""Cosine of texts with the same meaning; higher ones count the same."""
_MIN_INTERACTION: Final = 0.02
"""Lower late-interaction scores do not tell candidates apart."""
_COVERAGE_SHARE: Final = 0.8
"""The share of coverage in the text score; the keyword score is the rest."""
_MIN_FRESHNESS: Final = 0.98
_HALF_LIFE_DAYS: Final = 180.0
_DATE_BONUS: Final = 0.3
_TIME_BONUS: Final = 0.1
_SPEAKER_BONUS: Final = 0.15
_ROLE_BONUS: Final = 0.25
"""Bonuses for passages of the dates in the question, with a time if it asks when, by the speaker it
names, and by a person rather than an assistant."""
_PROJECT_FACTOR: Final = 1.15
_NAMED_FILE_SCORE: Final = 0.97
_COMPRESS_FROM: Final = 0.93
"""Scores above this are compressed below those of named files, keeping them distinct."""
_NAMED_FILE_SCORES: Final = {"path": 0.99, "name": 0.98, "stem": _NAMED_FILE_SCORE}


def speakers_in(text: str) -> tuple[str, ...]:
    """Return the names that the lines begin with, in order."""
    return tuple(fold(name) for name in _SPEAKER.findall(text))


def share_by_people(speakers: Sequence[str]) -> float:
    """Return the share of the lines with a role that a person says, 0 if there are none."""
    roles = [name for name in speakers if name in _PEOPLE or name in _ASSISTANTS]
    return sum(name in _PEOPLE for name in roles) / len(roles) if roles else 0.0


def share_by_speaker(person: str | None, speakers: Sequence[str]) -> float:
    """Return the share of the lines that begin with this name."""
    return speakers.count(person) / len(speakers) if person and speakers else 0.0


def only_speaker_named(question: str, passages: Iterable[Sequence[str]]) -> str | None:
    """Return the speaker that a question names, if it names exactly one."""
    counts = Counter(name for speakers in passages for name in speakers)
    question_words = set(words(question))
    named = [
        name
        for name, lines in counts.items()
        if lines >= _MIN_LINES
        and name not in _PEOPLE
        and name not in _ASSISTANTS
        and question_words & set(words(name))
    ]
    return named[0] if len(named) == 1 else None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage that a search found; `keyword` is 0 if no word matched."""

    row: int
    passage: Passage
    keyword: float = 0.0
    meaning: float | None = None
    tokens: float | None = None


@dataclass(frozen=True, slots=True)
class Scored:
    """A ranked passage: thresholds apply to `relevance`, the order follows `score`."""

    row: int
    passage: Passage
    text: float
    vector: float | None
    relevance: float
    score: float
    by_keyword: bool


@dataclass(frozen=True, slots=True)
class PassageQuery:
    """A parsed question; `named` maps the files that it names to how: path, name or stem."""

    text: str
    terms: tuple[Term, ...]
    windows: tuple[Window, ...]
    named: dict[str, str]
    today: date


def rank(
    candidates: Sequence[Candidate], query: PassageQuery, min_score: float | None
) -> list[Scored]:
    """Rank best first; `min_score` applies to relevance, before anything else counts."""
    if not candidates:
        return []
    strongest = max(candidate.keyword for candidate in candidates) or 1.0
    best_interaction = max((candidate.tokens or 0.0 for candidate in candidates), default=0.0)
    bonuses = _bonuses(candidates, query)
    scored: list[tuple[float, Scored]] = []
    for candidate, bonus in zip(candidates, bonuses, strict=True):
        row, passage, vector = candidate.row, candidate.passage, candidate.meaning
        text = _text_score(candidate, query.terms, strongest)
        relevance = _relevance(candidate, text, best_interaction)
        if passage.path in query.named:
            relevance = max(relevance, _NAMED_FILE_SCORE)
        if min_score is not None and relevance < min_score:
            continue
        position = _position(relevance, bonus, passage, query)
        score = max(_as_score(position), min(relevance, min_score or 0.0))
        by_keyword = candidate.keyword > 0
        result = Scored(row, passage, text, vector, relevance, score, by_keyword)
        scored.append((position, result))
    scored.sort(key=lambda pair: (-pair[0], pair[1].passage.path, pair[1].passage.start))
    return [result for _, result in scored]


def choose(ranked: Sequence[Scored], limit: int) -> list[Scored]:
    """Return the first passages, at most `limit`.

    Transcripts take at most half of the places if there are hits in files, and overlapping passages
    are skipped; skipped ones only fill up what is left.
    """
    quota = (
        ceil(limit / 2) if any(scored.passage.source == "memory" for scored in ranked) else limit
    )
    taken: list[int] = []
    skipped: list[int] = []
    talks = 0
    for i, scored in enumerate(ranked):
        if len(taken) == limit:
            break
        talk = scored.passage.is_talk
        if (talk and talks >= quota) or any(_overlap(scored, ranked[j]) for j in taken):
            skipped.append(i)
            continue
        talks += talk
        taken.append(i)
    return [ranked[i] for i in sorted([*taken, *skipped[: limit - len(taken)]])]


def _text_score(candidate: Candidate, terms: Sequence[Term], strongest: float) -> float:
    if candidate.keyword <= 0:
        return 0.0
    covered = _COVERAGE_SHARE * coverage(terms, candidate.passage)
    return min(1.0, covered + (1 - _COVERAGE_SHARE) * candidate.keyword / strongest)


def _relevance(candidate: Candidate, text: float, best_interaction: float) -> float:
    if candidate.meaning is None:
        return text if best_interaction == 0 else _WITHOUT_VECTOR * text
    closeness = min(1.0, max(0.0, candidate.meaning) / _SAME_MEANING)
    interaction = (
        max(0.0, candidate.tokens or 0.0) / best_interaction
        if best_interaction > _MIN_INTERACTION
        else closeness
    )
    parts = {"text": text, "meaning": closeness, "tokens": interaction}
    return sum(weight * parts[name] for name, weight in _WITH_MODEL.items())


def _bonuses(candidates: Sequence[Candidate], query: PassageQuery) -> list[float]:
    """Return what dates, times, speakers and roles add to each candidate."""
    speakers_of = [speakers_in(candidate.passage.text) for candidate in candidates]
    person = only_speaker_named(query.text, speakers_of)
    when, of_assistant = asks_when(query.text), asks_about_assistant(query.text)
    values = []
    for candidate, speakers in zip(candidates, speakers_of, strict=True):
        value = _SPEAKER_BONUS * share_by_speaker(person, speakers)
        if query.windows and (day := _day(candidate.passage)):
            value += _DATE_BONUS * window_score(day, query.windows)
        if when and mentions_time(candidate.passage.text):
            value += _TIME_BONUS
        if not of_assistant:
            value += _ROLE_BONUS * share_by_people(speakers)
        values.append(value)
    return values


def _position(relevance: float, bonus: float, passage: Passage, query: PassageQuery) -> float:
    """Return the sort key of a passage; those of named files are above 2."""
    naming = query.named.get(passage.path)
    if naming is not None:
        return 2 + _NAMED_FILE_SCORES[naming] + 0.009 * relevance * _freshness(passage, query.today)
    score = relevance
    if passage.importance is not None:
        score *= 0.875 + 0.025 * passage.importance
    if passage.project and _names_project(query.text, passage.project):
        score *= _PROJECT_FACTOR
    return (score + bonus) * _freshness(passage, query.today)


def _as_score(position: float) -> float:
    """Return a position as a score; the highest scores are reserved for named files."""
    if position > 2:
        return position - 2
    excess = position - _COMPRESS_FROM
    if excess <= 0:
        return position
    room = _NAMED_FILE_SCORE - _COMPRESS_FROM
    return _COMPRESS_FROM + room * excess / (excess + _NAMED_FILE_SCORE - _COMPRESS_FROM)


def _freshness(passage: Passage, today: date) -> float:
    """Return a factor close to 1 that only reorders passages that are almost equal."""
    day = _day(passage)
    if passage.curated or day is None:
        return 1.0
    age = max(0, (today - day).days)
    return float(_MIN_FRESHNESS + (1 - _MIN_FRESHNESS) * 2 ** (-age / _HALF_LIFE_DAYS))


def _day(passage: Passage) -> date | None:
    try:
        return date.fromisoformat(passage.day[:10]) if passage.day else None
    except ValueError:
        return None


def _names_project(query: str, projects: str) -> bool:
    padded = f" {fold(query)} "
    return any(f" {fold(key)} " in padded for key in projects.split(";") if key.strip())


def _overlap(one: Scored, other: Scored) -> bool:
    """Whether two passages are equal, or share at least half of the shorter one's lines."""
    a, b = one.passage, other.passage
    if a.path != b.path or a.start == a.end == b.start == b.end:  # pieces of one long line
        return a.text == b.text
    shared = min(a.end, b.end) - max(a.start, b.start) + 1
    return shared * 2 >= min(a.end - a.start, b.end - b.start) + 1
