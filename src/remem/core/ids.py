"""What does the id of an entry look like?

Ids are random, never counted: a sequence would tell one scope how much another holds.
They are written in Crockford's base 32 (no i, l, o, u), so that they can be read aloud.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

ENTRY_ID: Final = re.compile(r"mem-[0-9a-hjkmnp-tv-z]{8}")
"""Use `fullmatch`, or `is_entry_id`; `ENTRY_ID.pattern` fits into larger patterns."""

ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"

_CROCKFORD: Final = bytes.maketrans(b"0123456789ABCDEFGHIJKLMNOPQRSTUV", ALPHABET.encode())
_SHIFTS: Final = range(35, -1, -5)


def new_id(random_bytes: Callable[[int], bytes]) -> str:
    """A fresh id from forty random bits; the store refuses one that is taken."""
    bits = int.from_bytes(random_bytes(5), "big")
    return "mem-" + "".join([ALPHABET[bits >> shift & 31] for shift in _SHIFTS])


def new_ids(count: int, random_bytes: Callable[[int], bytes]) -> list[str]:
    """Many of them, from one call for all their bits."""
    from base64 import b32hexencode  # not for who makes one, or none

    written = b32hexencode(random_bytes(5 * count)).translate(_CROCKFORD).decode()
    return [f"mem-{written[at : at + 8]}" for at in range(0, 8 * count, 8)]


def is_entry_id(text: str) -> bool:
    return ENTRY_ID.fullmatch(text) is not None
