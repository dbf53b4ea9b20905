"""Short names for the lines and items of a batch.

A name costs a reader three tokens instead of sixteen. It is derived from the words of a line, or
from an item, so that it means the same in every batch, in the answer to it, and after the line has
been stored.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from typing import Final, NamedTuple

_CONSONANTS: Final = "bdfgklmnprstvwxz"
_VOWELS: Final = "aeiou"
_SYLLABLES: Final = 3


class NamedItem(NamedTuple):
    """Something that needs a name: a hash of its words, where it comes from, and its item."""

    words: int
    place: str
    item: str


def short_name(words: int | str) -> str:
    """Return a name of three syllables, such as `bodaki`."""
    number = int.from_bytes(hashlib.blake2b(str(words).encode(), digest_size=8).digest())
    name = ""
    for _ in range(_SYLLABLES):
        number, consonant = divmod(number, len(_CONSONANTS))
        number, vowel = divmod(number, len(_VOWELS))
        name += _CONSONANTS[consonant] + _VOWELS[vowel]
    return name


class ItemNames:
    """The names of all lines; lines with the same words are named after their places as well."""

    def __init__(self, lines: Iterable[NamedItem]) -> None:
        known = list(lines)
        count = Counter(short_name(words) for words, _ in {line[:2] for line in known})
        self._items: dict[str, str] = {}
        self._names: dict[str, str] = {}
        for words, place, item in known:
            name = short_name(words)
            name = name if count[name] == 1 else short_name(f"{words} {place}")
            self._items.setdefault(name, item)
            self._names[item] = name

    def item(self, name: str) -> str | None:
        """Return the item with a name."""
        return self._items.get(name)

    def name(self, item: str) -> str:
        """Return the name of an item; an item that is not a line is its own name."""
        return self._names.get(item) or short_name(item)
