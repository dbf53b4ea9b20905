"""What may somebody have meant who made one slip? A letter twisted, doubled, lost or mistaken.

The first letter is taken to be right: it nearly always is, and so the guesses stay few.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

_LATIN: Final = "abcdefghijklmnopqrstuvwxyz"
_CYRILLIC: Final = "абвгдежзийклмнопрстуфхцчшщъыьэюяё"
_AFTER_LATIN: Final = "\u0250"
"""From here on letters are of other scripts."""


def one_slip_away(word: str) -> list[str]:
    """Every spelling, the likelier slips first. In scripts whose letters are not listed here,
    only what takes no new letter."""
    letters = _letters_of(word)
    kinds = (_twisted(word), _too_many(word), _lost(word, letters), _mistaken(word, letters))
    return [each for each in dict.fromkeys(s for kind in kinds for s in kind) if each != word]


def _letters_of(word: str) -> str:
    if word[:1] < _AFTER_LATIN:
        return _LATIN
    return _CYRILLIC if word[:1] in _CYRILLIC else ""


def _twisted(word: str) -> Iterator[str]:
    for i in range(1, len(word) - 1):
        yield f"{word[:i]}{word[i + 1]}{word[i]}{word[i + 2 :]}"


def _too_many(word: str) -> Iterator[str]:
    for i in range(1, len(word)):
        yield word[:i] + word[i + 1 :]


def _lost(word: str, letters: str) -> Iterator[str]:
    for i in range(1, len(word) + 1):
        for letter in letters:
            yield f"{word[:i]}{letter}{word[i:]}"


def _mistaken(word: str, letters: str) -> Iterator[str]:
    for i in range(1, len(word)):
        for letter in letters:
            yield f"{word[:i]}{letter}{word[i + 1 :]}"
