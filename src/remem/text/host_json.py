"""Field names and text lengths in the JSON of a host's contract.

Hosts count in UTF-16: a character outside the basic plane counts twice.
"""

from __future__ import annotations

from dataclasses import Field
from typing import Any, Final

_NAME: Final = "wire"


def named_in_json(name: str) -> dict[str, str]:
    """Return the metadata of a dataclass field that has another name in JSON."""
    return {_NAME: name}


def json_name(field: Field[Any]) -> str:
    return str(field.metadata.get(_NAME, field.name))


def utf16_length(text: str) -> int:
    """Return the length of a text as hosts count it."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def cut_utf16(text: str, limit: int) -> str:
    """Return the longest prefix of at most `limit` units that splits no character."""
    coded = text.encode("utf-16-le", "surrogatepass")[: 2 * max(0, limit)]
    if coded and 0xD8 <= coded[-1] <= 0xDB:  # the first half of a pair
        coded = coded[:-2]
    return coded.decode("utf-16-le", "surrogatepass")
