"""Short names for the lines of a batch.

A name costs a reader three tokens instead of sixteen. It is derived from the item alone, so that it
means the same in every batch and in the answer to it.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from typing import Final

_CONSONANTS: Final = "bdfgklmnprstvwxz"
_VOWELS: Final = "aeiou"
_SYLLABLES: Final = 3


def short_name(item: str) -> str:
    """Return a name of three syllables, such as `bodaki`."""
    number = int.from_bytes(hashlib.blake2b(item.encode(), digest_size=8).digest())
    name = ""
    for _ in range(_SYLLABLES):
        number, consonant = divmod(number, len(_CONSONANTS))
        number, vowel = divmod(number, len(_VOWELS))
        name += _CONSONANTS[consonant] + _VOWELS[vowel]
    return name


def named_items(items: Iterable[str]) -> dict[str, str]:
    """Map short names to their items; items whose short names are equal are named in full."""
    different = list(dict.fromkeys(items))
    count = Counter(map(short_name, different))
    return {
        name if count[name] == 1 else item: item
        for item in different
        for name in (short_name(item),)
    }
