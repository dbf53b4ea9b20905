"""Rank passages by relevance; age only breaks ties.

Relevance is between 0 and 1. It combines how many of the question's words a passage covers and how
close it is in meaning. A minimum score applies to relevance alone. After that, files that the
question names come first, annotations and speakers reorder passages with similar scores, and of two
equal passages the newer one wins.

A file has no record of roles or speakers. If it contains a conversation, they are read from the
beginnings of its lines: `Mara: …`, `- **User:** …`.
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
from remem.model.passage import Passage, Source
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
"""A name at the beginning of fewer lines may be a heading or a label."""
_WITH_MODEL: Final = {"text": 0.3, "meaning": 0.3, "tokens": 0.4}
_WITHOUT_VECTOR: Final = 0.9
_SAME_MEANING: Final = 0.7
"""The cosine from which two texts are taken to have the same meaning."""
_MIN_INTERACTION: Final = 0.02
"""Lower late-interaction scores do not tell candidates apart."""
_COVERAGE_SHARE: Final = 0.8
"""The share of coverage in the text score; the rest is the keyword score."""
_MIN_FRESHNESS: Final = 0.98
_HALF_LIFE_DAYS: Final = 180.0
_DATE_BONUS: Final = 0.3
_TIME_BONUS: Final = 0.1
_SPEAKER_BONUS: Final = 0.15
_ROLE_BONUS: Final = 0.25
"""Bonuses for passages from the dates in the question, for those that mention a time if it asks
when, for those by the speaker it names, and for those by a person rather than an assistant."""
_PROJECT_FACTOR: Final = 1.15
_NAMED_FILE_SCORE: Final = 0.97
_COMPRESS_FROM: Final = 0.93
"""Scores above this are compressed so that they stay below those of named files, in their order."""
_NAMED_FILE_SCORES: Final = {"path": 0.99, "name": 0.98, "stem": _NAMED_FILE_SCORE}


def speakers_in(text: str) -> tuple[str, ...]:
    """Return the names that the lines begin with, in order."""
    return tuple(fold(name) for name in _SPEAKER.findall(text))


def share_by_people(speakers: Sequence[str]) -> float:
    """Return the share of lines by people among the lines that begin with a role; 0 if there are
    none."""
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
    late_interaction: float | None = None


@dataclass(frozen=True, slots=True)
class Scored:
    """A ranked passage; a minimum score applies to `relevance`, the order follows `score`."""

    row: int
    passage: Passage
    text: float
    vector: float | None
    relevance: float
    score: float
    by_keyword: bool


@dataclass(frozen=True, slots=True)
class PassageQuery:
    """A parsed question; `named` maps each file that it names to `path`, `name` or `stem`."""

    text: str
    terms: tuple[Term, ...]
    windows: tuple[Window, ...]
    named: dict[str, str]
    today: date
    sources: tuple[Source, ...] = ("memory",)


def rank(
    candidates: Sequence[Candidate], query: PassageQuery, min_score: float | None
) -> list[Scored]:
    """Rank from best to worst; `min_score` applies to relevance, before bonuses are added."""
    if not candidates:
        return []
    strongest = max(candidate.keyword for candidate in candidates) or 1.0
    best_interaction = max(
        (candidate.late_interaction or 0.0 for candidate in candidates), default=0.0
    )
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

    At most half of them are from transcripts if there are hits in files, and passages that overlap
    a better one are skipped. Skipped passages are used only if there are too few others.
    """
    quota = (
        ceil(limit / 2) if any(scored.passage.source == "memory" for scored in ranked) else limit
    )
    chosen: list[int] = []
    skipped: list[int] = []
    talks = 0
    for i, scored in enumerate(ranked):
        if len(chosen) == limit:
            break
        talk = scored.passage.is_talk
        if (talk and talks >= quota) or any(_overlap(scored, ranked[j]) for j in chosen):
            skipped.append(i)
            continue
        talks += talk
        chosen.append(i)
    return [ranked[i] for i in sorted([*chosen, *skipped[: limit - len(chosen)]])]


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
        max(0.0, candidate.late_interaction or 0.0) / best_interaction
        if best_interaction > _MIN_INTERACTION
        else closeness
    )
    parts = {"text": text, "meaning": closeness, "tokens": interaction}
    return sum(weight * parts[name] for name, weight in _WITH_MODEL.items())


def _bonuses(candidates: Sequence[Candidate], query: PassageQuery) -> list[float]:
    """Return each candidate's bonus for dates, times, speakers and roles."""
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
    span = _NAMED_FILE_SCORE - _COMPRESS_FROM
    return _COMPRESS_FROM + span * excess / (excess + _NAMED_FILE_SCORE - _COMPRESS_FROM)


def _freshness(passage: Passage, today: date) -> float:
    """Return a factor close to 1, which can only reorder passages with almost equal scores."""
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
