"""How is a fact put into a JSON text without touching the others?

Key order, indentation, escapes and fields that nobody knows stay as they are.

Where in a JSON text does each fact stand? With its lines, as far as the text can be read.

A list of facts is the whole file, or the member `facts` of an object.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any, Final

from remem.model.fact import SUPERSEDED
from remem.text.json_edit import put
from remem.text.jsonc import Malformed

_BLANK: Final = re.compile(r"[ \t\r\n\ufeff]*")
LIST: Final = "facts"


class NoFacts(ValueError):
    """The text is no list of facts; the message says where it ceases to be one."""

    def __init__(self, message: str, text: str, at: int) -> None:
        self.line = text.count("\n", 0, at) + 1
        self.column = at - text.rfind("\n", 0, at)
        super().__init__(f"{message} at line {self.line}, column {self.column}")


def values_in(text: str) -> Iterator[tuple[int, int, Any]]:
    """Each element of the list with its first and last line; NoFacts after those before."""
    at = _behind_bracket(text)
    decoder = json.JSONDecoder()
    line, counted, first = 1, 0, True
    while at is not None:
        at = _blank(text, at)
        if text.startswith("]", at):
            _require_end(text, at + 1)
            return
        if not first:
            at = _blank(text, _expect(text, at, ","))
        value, end = _decoded(decoder, text, at)
        start = line + text.count("\n", counted, at)
        line = start + text.count("\n", at, end)
        yield start, line, value
        counted = at = end
        first = False


def _behind_bracket(text: str) -> int | None:
    """Where the list begins; None for a text that has none."""
    at = _blank(text, 0)
    if text.startswith("[", at):
        return at + 1
    if at == len(text):
        return None
    if not text.startswith("{", at):
        raise NoFacts("neither a list nor an object begins", text, at)
    return _member(text, at)


def _member(text: str, at: int) -> int | None:
    """Behind the bracket of the list that is a member of an object."""
    decoder = json.JSONDecoder()
    at = _blank(text, at + 1)
    while not text.startswith("}", at):
        key, end = _decoded(decoder, text, at)
        at = _blank(text, _expect(text, _blank(text, end), ":"))
        if key == LIST and text.startswith("[", at):
            return at + 1
        _, end = _decoded(decoder, text, at)
        at = _blank(text, end)
        if not text.startswith("}", at):
            at = _blank(text, _expect(text, at, ","))
    return None


def _require_end(text: str, at: int) -> None:
    """A list that is the whole file ends it; behind a member more may follow."""
    end = _blank(text, at)
    if end != len(text) and text[_blank(text, 0)] == "[":
        raise NoFacts("something stands behind the list", text, end)


def _decoded(decoder: json.JSONDecoder, text: str, at: int) -> tuple[Any, int]:
    try:
        return decoder.raw_decode(text, at)
    except json.JSONDecodeError as error:
        raise NoFacts("the JSON is broken", text, error.pos) from error
    except (ValueError, RecursionError) as error:
        raise NoFacts("the JSON cannot be read", text, at) from error


def _expect(text: str, at: int, mark: str) -> int:
    if not text.startswith(mark, at):
        raise NoFacts(f"{mark} is missing", text, at)
    return at + 1


def _blank(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return match.end() if match else at


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
    taken = [int(match["number"]) for match in numbered if match["prefix"] == prefix]
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
