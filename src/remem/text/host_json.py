"""How is a field called in the JSON of a host's contract, and how long is a text there?

Hosts count in UTF-16: a character outside the basic plane is two of theirs.
"""

from __future__ import annotations

from dataclasses import Field
from typing import Any, Final

_NAME: Final = "wire"


def called(name: str) -> dict[str, str]:
    """The metadata of a dataclass field that a host knows by another name."""
    return {_NAME: name}


def name_of(each: Field[Any]) -> str:
    return str(each.metadata.get(_NAME, each.name))


def units(text: str) -> int:
    """The length of a text as hosts count it."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def cut(text: str, limit: int) -> str:
    """As much of the text as is at most `limit` units long; no character is cut in two."""
    coded = text.encode("utf-16-le", "surrogatepass")[: 2 * max(0, limit)]
    if coded and 0xD8 <= coded[-1] <= 0xDB:  # the first half of a pair
        coded = coded[:-2]
    return coded.decode("utf-16-le", "surrogatepass")
