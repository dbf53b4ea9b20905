"""Recognises plain sentences that tell of somebody's life, people, plans and likings.

A sentence that ends in a question may begin with a statement: "I moved to Oslo in May, how do I
register?" Then the beginning counts, word for word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from remem.extract import guards, requests
from remem.extract.patterns.self_english import CORRECTED, HINTED, TOLD
from remem.extract.patterns.self_other import (
    CORRECTED_ABROAD,
    HINTED_ABROAD,
    TOLD_ABROAD,
    TOLD_EUROPEAN,
)
from remem.extract.patterns.shapes_english import BRIEF, DATED, SHAPES
from remem.model.lesson import LessonKind
from remem.text.words import has_grams

_WHEN: Final = re.compile(
    r"(?:(?:(?:last|this|next|past) (?:night|week(?:end)?|month|year|spring|summer|autumn|fall|"
    r"winter|"
    r"\w+day)|yesterday|today|earlier|back in|in (?:\d{4}|january|february|march|april|may|"
    r"june|july|august|september|october|november|december)|on (?:mon|tues|wednes|thurs|fri|"
    r"satur|sun)"
    r"day|(?:a|an|one|two|three|four|five|six|\d+) (?:day|week|month|year)s? ago|since|after|"
    r"when i|"
    r"growing up|as an? (?:child|kid|teenager|student|boy|girl)|over the (?:past|"
    r"last))\b[^,.;]{0,40}?,? )(?=(?:i|we|my|our)\b)",
    re.IGNORECASE,
)
_OWN_FIGURE: Final = re.compile(r"\b(?:my|our)\b.*\d|\d.*\b(?:my|our)\b", re.IGNORECASE)
"""Something of his own, and a number: then even a thought aloud tells something definite."""
_BEHIND: Final[frozenset[str]] = frozenset({"fact", "person"})
_SHORTEST: Final = 4
_SHORTEST_ABROAD: Final = 3
"""Spanish and Russian need no word for "I" or "a"."""
_SHORTEST_GRAMS: Final = 5


_Told = tuple[tuple[LessonKind, re.Pattern[str]], ...]


@cache
def _told() -> _Told:
    return _compiled((*TOLD, *SHAPES))


@cache
def _told_abroad() -> _Told:
    return _compiled((*TOLD_ABROAD, *TOLD_EUROPEAN))


def _compiled(told: Sequence[tuple[LessonKind, str]]) -> _Told:
    return tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in told)


@cache
def _dated() -> re.Pattern[str]:
    return re.compile(DATED, re.IGNORECASE)


@cache
def _brief() -> re.Pattern[str]:
    return re.compile(BRIEF, re.IGNORECASE)


@cache
def _corrected() -> re.Pattern[str]:
    return re.compile(f"(?:{CORRECTED})|(?:{CORRECTED_ABROAD})", re.IGNORECASE)


@cache
def _hinted() -> re.Pattern[str]:
    return re.compile(f"(?:{HINTED})|(?:{HINTED_ABROAD})", re.IGNORECASE)


def kind_told(stated: str) -> LessonKind | None:
    """The kind of statement; None if the words do not show one.

    A thought aloud may be followed by a statement: "I'm looking for earbuds, as I
    lost mine in Chicago".
    """
    if _brief().match(stated):
        return "fact"
    return _told_in_english(stated) or _first(_told_abroad(), stated, 0, _SHORTEST_ABROAD)


def _told_in_english(stated: str) -> LessonKind | None:
    when = _WHEN.match(stated)
    start = when.end() if when else 0
    if kind := _first(_told(), stated, start):
        return kind
    if when and _dated().match(stated, start):
        return "fact"
    behind = (_first(_told(), stated, at) for at in requests.further(stated))
    if kind := next((kind for kind in behind if kind in _BEHIND), None):
        return kind
    return "context" if _OWN_FIGURE.search(stated) and is_hint(stated) else None


def _first(told: _Told, stated: str, start: int, shortest: int = _SHORTEST) -> LessonKind | None:
    if _too_short(stated[start:], shortest):
        return None
    return next((kind for kind, pattern in told if pattern.match(stated, start)), None)


def given_as_reason(question: str) -> str | None:
    """The statement about the asker in a question: "… given that I'm allergic to nuts?"."""
    reason = requests.reason_in(question)
    return reason if reason and _stands_alone(reason, _BEHIND | {"preference"}) else None


def clause_for_itself(stated: str) -> str | None:
    """A clause with a definite statement among others that ask, praise or only feel."""
    definite = filter(guards.is_definite, requests.pieces(stated))
    return next((clause for clause in definite if _stands_alone(clause, _BEHIND)), None)


def _stands_alone(clause: str, kinds: frozenset[str]) -> bool:
    return not (guards.refused(clause) or guards.not_told(clause)) and kind_told(clause) in kinds


def is_correction(stated: str) -> bool:
    """Whether somebody tells the agent how it should have been done."""
    return not _too_short(stated) and _corrected().match(stated) is not None


def is_hint(stated: str) -> bool:
    """Whether somebody thinks aloud of what he may do."""
    return not _too_short(stated) and _hinted().match(stated) is not None


def _too_short(stated: str, shortest: int = _SHORTEST) -> bool:
    if has_grams(stated):
        return len(stated) < _SHORTEST_GRAMS
    return len(stated.split()) < shortest
