"""What does a plain sentence tell that lasts? Somebody's life, people, plans and likings.

A sentence that ends in a question may begin with what was told: "I moved to Oslo in May, how do
I register?" Then the beginning counts, word for word.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from remem.core.lesson_kinds import LessonKind
from remem.core.words import has_grams
from remem.extractors.told_abroad import CORRECTED_ABROAD, HINTED_ABROAD, TOLD_ABROAD
from remem.extractors.told_english import CORRECTED, HINTED, TOLD

_LEAD: Final = re.compile(
    r"(?:(?:hey|hi|oh|ah|wow|woah|woohoo|yeah|yep|yes|nope|no|well|so|and|but|also|actually|anyway|"
    r"btw|by the way|speaking of which|speaking of \w+|honestly|okay|ok|great|cool|sure|plus|"
    r"on another note|unfortunately|luckily|thanks|nice|right|lately|recently|for me|as for me|"
    r"übrigens|также|кстати|además|par ailleurs|对了|另外)\b(?:,? [A-Z]\w+(?=[,!]))?[\s,!.:–—-]+)+",
    re.IGNORECASE,
)
_ASKING: Final = re.compile(
    r"(?:,|;| [-–—]|\.)\s+(?:and |but |so |or )?(?:how|what|which|why|where|when|who|can|could|"
    r"would|"
    r"should|do|does|did|is|are|was|were|will|any|have you|right|is there)\b[^,;]*(?:,[^,;]*){0,3}"
    r"[?？]\W*$",
    re.IGNORECASE,
)
_WHEN: Final = re.compile(
    r"(?:(?:(?:last|this|next|past) (?:night|week(?:end)?|month|year|spring|summer|autumn|fall|"
    r"winter|"
    r"\w+day)|yesterday|today|earlier|back in|in (?:\d{4}|january|february|march|april|may|"
    r"june|july|august|september|october|november|december)|on (?:mon|tues|wednes|thurs|fri|"
    r"satur|sun)"
    r"day|(?:a|an|one|two|three|four|five|six|\d+) (?:day|week|month|year)s? ago|since|after|"
    r"when i|"
    r"growing up|over the (?:past|last))\b[^,.;]{0,40}?,? )(?=(?:i|we|my|our)\b)",
    re.IGNORECASE,
)
_CLAUSE: Final = re.compile(
    r"(?:[,;]| [-–—]) (?:and |but |so |as |since |because |which )?(?=(?:i|we|my)\b)"
    r"|,? (?:as|because|since|and) (?=(?:i|my)\b)",
    re.IGNORECASE,
)
"""Where a further clause of somebody begins."""
_BEHIND: Final = frozenset({"fact", "person"})
_SHORTEST: Final = 4
_SHORTEST_GRAMS: Final = 6


@cache
def _told() -> tuple[tuple[LessonKind, re.Pattern[str]], ...]:
    both = (*TOLD, *TOLD_ABROAD)
    return tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in both)


@cache
def _corrected() -> re.Pattern[str]:
    return re.compile(f"(?:{CORRECTED})|(?:{CORRECTED_ABROAD})", re.IGNORECASE)


@cache
def _hinted() -> re.Pattern[str]:
    return re.compile(f"(?:{HINTED})|(?:{HINTED_ABROAD})", re.IGNORECASE)


def statement_in(sentence: str) -> str:
    """The part of a sentence that states something: no lead-in, no question behind it."""
    start = _LEAD.match(sentence)
    stated = sentence[start.end() :] if start else sentence
    if asks := _ASKING.search(stated):
        stated = stated[: asks.start()]
    return stated.strip()


def kind_told(stated: str) -> LessonKind | None:
    """What kind of thing is told; None if the words do not show that anything is.

    What begins as a thought aloud may tell something behind it: "I'm looking for earbuds, as I
    lost mine in Chicago".
    """
    if _too_short(stated):
        return None
    when = _WHEN.match(stated)
    if kind := _told_at(stated, when.end() if when else 0):
        return kind
    behind = (_told_at(stated, clause.end()) for clause in _CLAUSE.finditer(stated))
    return next((kind for kind in behind if kind in _BEHIND), None)


def _told_at(stated: str, start: int) -> LessonKind | None:
    if _too_short(stated[start:]):
        return None
    return next((kind for kind, pattern in _told() if pattern.match(stated, start)), None)


def is_correction(stated: str) -> bool:
    """Whether somebody tells the agent how it should have been done."""
    return not _too_short(stated) and _corrected().match(stated) is not None


def is_hint(stated: str) -> bool:
    """Whether somebody thinks aloud of what he may do."""
    return not _too_short(stated) and _hinted().match(stated) is not None


def _too_short(stated: str) -> bool:
    if has_grams(stated):
        return len(stated) < _SHORTEST_GRAMS
    return len(stated.split()) < _SHORTEST
