"""Short names for the lines and items of a batch.

A name costs three tokens, an item sixteen. The name is made from the words of a line, or from an
item, so that it is the same in every batch, in the answer to it, and after the line was stored.
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
    """A line that needs a name: the hash of its words, where it comes from, and its item."""

    words_hash: int
    place: str
    item: str


def short_name(source: int | str) -> str:
    """Return a name of three syllables, such as `bodaki`, made from a number or a text."""
    number = int.from_bytes(hashlib.blake2b(str(source).encode(), digest_size=8).digest())
    name = ""
    for _ in range(_SYLLABLES):
        number, consonant = divmod(number, len(_CONSONANTS))
        number, vowel = divmod(number, len(_VOWELS))
        name += _CONSONANTS[consonant] + _VOWELS[vowel]
    return name


class ItemNames:
    """The names of all lines; if lines would have the same name, their places are used too."""

    def __init__(self, lines: Iterable[NamedItem]) -> None:
        known = list(lines)
        count = Counter(short_name(words_hash) for words_hash, _ in {line[:2] for line in known})
        self._items: dict[str, str] = {}
        self._names: dict[str, str] = {}
        for words_hash, place, item in known:
            name = short_name(words_hash)
            name = name if count[name] == 1 else short_name(f"{words_hash} {place}")
            self._items.setdefault(name, item)
            self._names[item] = name

    def item(self, name: str) -> str | None:
        """Return the item with this name, if there is one."""
        return self._items.get(name)

    def name(self, item: str) -> str:
        """Return the name of an item; that of an item that is not a line is made from the item."""
        return self._names.get(item) or short_name(item)
