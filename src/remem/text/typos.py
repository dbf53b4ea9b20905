"""Generate the spellings that are one typo away from a word.

A typo swaps two letters, or adds, drops or replaces one. The first letter is assumed to be correct:
it nearly always is, and this keeps the number of spellings small.
"""

from __future__ import annotations

from typing import Final

_LATIN: Final = "abcdefghijklmnopqrstuvwxyz"
_CYRILLIC: Final = "абвгдежзийклмнопрстуфхцчшщъыьэюяё"
_AFTER_LATIN: Final = "\u0250"
"""The first letter that does not belong to the Latin script."""


def single_typos(word: str) -> list[str]:
    """Return every spelling that is one typo away from a word, more likely ones first.

    For scripts other than Latin and Cyrillic, these are only the spellings without a new letter.
    """
    letters = _letters_of(word)
    splits = [(word[:at], word[at:]) for at in range(1, len(word) + 1)]
    swapped = [f"{left}{right[1]}{right[0]}{right[2:]}" for left, right in splits if right[1:]]
    dropped = [f"{left}{right[1:]}" for left, right in splits if right]
    added = [f"{left}{letter}{right}" for left, right in splits for letter in letters]
    replaced = [
        f"{left}{letter}{right[1:]}" for left, right in splits if right for letter in letters
    ]
    spellings = dict.fromkeys([*swapped, *dropped, *added, *replaced])
    return [spelling for spelling in spellings if spelling != word]


def _letters_of(word: str) -> str:
    if word[:1] < _AFTER_LATIN:
        return _LATIN
    return _CYRILLIC if word[:1] in _CYRILLIC else ""
