"""How is a fact put into a JSON text without touching the others?

Key order, indentation, escapes and fields that nobody knows stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from typing import Any, Final

from remem.core.fact import SUPERSEDED
from remem.core.fact_text import LIST, NoFacts
from remem.core.json_edit import put
from remem.core.jsonc import Malformed

_NUMBERED: Final = re.compile(r"(?P<prefix>.+)-(?P<number>\d{1,9})")
_WIDTH: Final = 3


def with_fact(text: str, fact: Mapping[str, Any]) -> str:
    """The text with one more fact behind the others; an empty text becomes a list."""
    return _put(text, _path(text), dict(fact), append=True)


def with_successor(text: str, number: int, successor: str) -> str:
    """The text in which a fact, by its place in the list, was replaced by another."""
    path = _path(text)
    text = _put(text, [*path, number, "status"], SUPERSEDED, append=False)
    return _put(text, [*path, number, "supersededBy"], successor, append=False)


def without_standing(text: str, number: int) -> str:
    """The text in which a fact, by its place in the list, has ended and nothing took its place."""
    return _put(text, [*_path(text), number, "status"], SUPERSEDED, append=False)


def with_tombstone(text: str, number: int, stone: Mapping[str, Any]) -> str:
    """The text in which a fact, by its place in the list, has made way for what stays of it."""
    return _put(text, [*_path(text), number], dict(stone), append=False)


def next_id(ids: Sequence[str], slug: str, elsewhere: Container[str] = ()) -> str:
    """The id after the last: in the file's own manner, never one that was used before."""
    numbered = [match for each in ids if (match := _NUMBERED.fullmatch(each))]
    prefix = numbered[-1]["prefix"] if numbered else slug
    taken = [int(each["number"]) for each in numbered if each["prefix"] == prefix]
    number = max(taken, default=0) + 1
    width = len(numbered[-1]["number"]) if numbered else _WIDTH
    while f"{prefix}-{number:0{width}d}" in elsewhere:
        number += 1
    return f"{prefix}-{number:0{width}d}"


def _path(text: str) -> list[str | int]:
    return [LIST] if text.lstrip("\ufeff \t\r\n").startswith("{") else []


def _put(text: str, path: Sequence[str | int], value: Any, *, append: bool) -> str:
    try:  # Infinity and NaN are no JSON, and yet are written
        return put(text, path, value, append=append, wide=True)
    except Malformed as error:
        raise NoFacts("the JSON is broken", text, error.at) from error
