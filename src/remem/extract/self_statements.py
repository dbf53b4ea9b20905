"""Recognise plain sentences about the speaker: their life, people, plans and preferences."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from remem.extract.sentences import clause_starts
from remem.model.arguments import LessonKind
from remem.text.pattern_file import PatternFile, pattern_file
from remem.text.words import has_grams

_OWN_NUMBER: Final = re.compile(r"\b(?:my|our)\b.*\d|\d.*\b(?:my|our)\b", re.IGNORECASE)
"""A number next to "my" or "our": with it, even a thought aloud says something definite."""
_LASTING_KINDS: Final = frozenset({"fact", "person"})
_MIN_WORDS: Final = 4
_MIN_CHARACTERS: Final = 5


def _patterns() -> PatternFile:
    return pattern_file("extract/patterns/self_statements")


@dataclass(frozen=True, slots=True)
class _Table:
    """A pattern for each kind of lesson, and the number of words that a statement needs."""

    min_words: int
    kinds: dict[LessonKind, re.Pattern[str]]


@cache
def _tables() -> tuple[_Table, ...]:
    tables = []
    for name in ("english", "other"):
        table = _patterns()[name]
        kinds = {kind: _patterns().compile(source) for kind, source in table["kinds"].items()}
        tables.append(_Table(table["min_words"], kinds))
    return tuple(tables)


def statement_kind(statement: str) -> LessonKind | None:
    """Return the kind of lesson in a statement; None if its words do not show one.

    A thought aloud may be followed by a statement: "I'm looking for earbuds, as I lost mine".
    """
    patterns = _patterns()
    if patterns.regex("brief").match(statement):
        return "fact"
    date = patterns.regex("begins_with_date").match(statement)
    start = date.end() if date else 0
    if kind := _kind_at(statement, start):
        return kind
    if date and patterns.regex("deed").match(statement, start):
        return "fact"
    for at in clause_starts(statement):
        if (kind := _kind_at(statement, at)) in _LASTING_KINDS:
            return kind
    return "context" if _OWN_NUMBER.search(statement) and is_thought_aloud(statement) else None


def _kind_at(statement: str, start: int) -> LessonKind | None:
    for table in _tables():
        if _is_short(statement[start:], table.min_words):
            continue
        for kind, pattern in table.kinds.items():
            if pattern.match(statement, start):
                return kind
    return None


def is_correction(statement: str) -> bool:
    """Return whether somebody tells the agent how it should have done something."""
    return not _is_short(statement) and _patterns().regex("correction").match(statement) is not None


def is_thought_aloud(statement: str) -> bool:
    """Return whether somebody thinks aloud about what they may do."""
    return (
        not _is_short(statement) and _patterns().regex("thought_aloud").match(statement) is not None
    )


def _is_short(statement: str, min_words: int = _MIN_WORDS) -> bool:
    if has_grams(statement):
        return len(statement) < _MIN_CHARACTERS
    return len(statement.split()) < min_words
