"""Generate the spellings that are one typo away from a word.

A typo swaps, doubles, drops or replaces a letter. The first letter is assumed to be correct: it
nearly always is, and this keeps the candidates few.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

_LATIN: Final = "abcdefghijklmnopqrstuvwxyz"
_CYRILLIC: Final = "абвгдежзийклмнопрстуфхцчшщъыьэюяё"
_AFTER_LATIN: Final = "\u0250"
"""Letters from here on belong to other scripts."""


def single_typos(word: str) -> list[str]:
    """Return every spelling, the likelier ones first.

    In scripts whose letters are not listed here, only those that need no new letter.
    """
    letters = _letters_of(word)
    groups = (
        _swapped(word),
        _without_one(word),
        _with_one_more(word, letters),
        _with_one_replaced(word, letters),
    )
    spellings = dict.fromkeys(spelling for group in groups for spelling in group)
    return [spelling for spelling in spellings if spelling != word]


def _letters_of(word: str) -> str:
    if word[:1] < _AFTER_LATIN:
        return _LATIN
    return _CYRILLIC if word[:1] in _CYRILLIC else ""


def _swapped(word: str) -> Iterator[str]:
    for i in range(1, len(word) - 1):
        yield f"{word[:i]}{word[i + 1]}{word[i]}{word[i + 2 :]}"


def _without_one(word: str) -> Iterator[str]:
    for i in range(1, len(word)):
        yield word[:i] + word[i + 1 :]


def _with_one_more(word: str, letters: str) -> Iterator[str]:
    for i in range(1, len(word) + 1):
        for letter in letters:
            yield f"{word[:i]}{letter}{word[i:]}"


def _with_one_replaced(word: str, letters: str) -> Iterator[str]:
    for i in range(1, len(word)):
        for letter in letters:
            yield f"{word[:i]}{letter}{word[i + 1 :]}"
