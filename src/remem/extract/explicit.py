"""Recognise what a person states explicitly and what stays true.

Such statements are wishes and preferences, who somebody is, who belongs to them, who is responsible
for what, and decisions. They begin a sentence, and must not refer to a moment, a plan or something
said before. For names, birthdays and homes, such a reference does not matter.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from remem.model.arguments import LessonKind
from remem.text.pattern_file import PatternFile, pattern_file
from remem.text.words import has_grams

_MAX_LENGTH: Final = 220
_MIN_WORDS: Final = 2
_MIN_CHARACTERS: Final = 5
_SPLICED: Final = re.compile(r",\s+(?:I|we|I'm|we're)\s")
_Kinds = dict[LessonKind, re.Pattern[str]]


def _patterns() -> PatternFile:
    return pattern_file("extract/patterns/explicit")


@cache
def _kinds(table: str) -> _Kinds:
    return {kind: _patterns().compile(source) for kind, source in _patterns()[table].items()}


def explicit_statement(text: str) -> tuple[LessonKind, str] | None:
    """Return the kind and the words of an explicit statement; None if the sentence has none.

    The words are the whole sentence, or only its beginning if it goes on with something else. Two
    statements with only a comma between them are ignored: they are a verse or hasty writing.
    """
    if _SPLICED.search(text):
        return None
    words = _first_clause(text)
    kind = _kind_of(words)
    return (kind, words) if kind else None


def _first_clause(statement: str) -> str:
    next_clause = _patterns().regex("next_clause").search(statement)
    return statement[: next_clause.start()].strip(" ,") if next_clause else statement


def _kind_of(words: str) -> LessonKind | None:
    if len(words) > _MAX_LENGTH or _is_short(words):
        return None
    for kind, pattern in _kinds("fixed").items():
        if pattern.match(words):
            return kind
    for kind, pattern in _kinds("standing").items():
        if (match := pattern.match(words)) and not _is_passing(words, match.end()):
            return kind
    return None


def _is_passing(words: str, start: int) -> bool:
    """Return whether a statement refers to a moment after its first `start` characters."""
    return _patterns().regex("passing").search(words, start) is not None


def _is_short(words: str) -> bool:
    if has_grams(words):
        return len(words) < _MIN_CHARACTERS
    return len(words.split()) < _MIN_WORDS
