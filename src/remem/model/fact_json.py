"""Read a JSON text of facts, and edit it in place.

The list of facts is the whole file, or the member `facts` of an object. Edits leave the order of
keys, the indentation, escapes and unknown fields as they are.
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
FACTS_MEMBER: Final = "facts"
_NUMBERED: Final = re.compile(r"(?P<prefix>.+)-(?P<number>\d{1,9})")
_WIDTH: Final = 3


class MalformedFacts(ValueError):
    """The text is not a list of facts; the message names the line and column."""

    def __init__(self, message: str, text: str, at: int) -> None:
        self.line = text.count("\n", 0, at) + 1
        self.column = at - text.rfind("\n", 0, at)
        super().__init__(f"{message} at line {self.line}, column {self.column}")


def values_in(text: str) -> Iterator[tuple[int, int, Any]]:
    """Yield each element of the list with its first and last line.

    If the text is broken, raise MalformedFacts after the elements before that position.
    """
    at = _list_start(text)
    decoder = json.JSONDecoder()
    line, counted_to, first = 1, 0, True
    while at is not None:
        at = _skip_blanks(text, at)
        if text.startswith("]", at):
            _require_end(text, at + 1)
            return
        if not first:
            at = _skip_blanks(text, _expect(text, at, ","))
        value, end = _decode(decoder, text, at)
        start = line + text.count("\n", counted_to, at)
        line = start + text.count("\n", at, end)
        yield start, line, value
        counted_to = at = end
        first = False


def _list_start(text: str) -> int | None:
    """Return the position after the opening bracket of the list; None for a text without one."""
    at = _skip_blanks(text, 0)
    if text.startswith("[", at):
        return at + 1
    if at == len(text):
        return None
    if not text.startswith("{", at):
        raise MalformedFacts("expected a list or an object", text, at)
    return _member_start(text, at)


def _member_start(text: str, at: int) -> int | None:
    """Return the position after the opening bracket of the list that is a member of an object."""
    decoder = json.JSONDecoder()
    at = _skip_blanks(text, at + 1)
    while not text.startswith("}", at):
        key, end = _decode(decoder, text, at)
        at = _skip_blanks(text, _expect(text, _skip_blanks(text, end), ":"))
        if key == FACTS_MEMBER and text.startswith("[", at):
            return at + 1
        _, end = _decode(decoder, text, at)
        at = _skip_blanks(text, end)
        if not text.startswith("}", at):
            at = _skip_blanks(text, _expect(text, at, ","))
    return None


def _require_end(text: str, at: int) -> None:
    """Raise MalformedFacts if text follows a list that should be the whole file."""
    end = _skip_blanks(text, at)
    if end != len(text) and text[_skip_blanks(text, 0)] == "[":
        raise MalformedFacts("unexpected text after the list", text, end)


def _decode(decoder: json.JSONDecoder, text: str, at: int) -> tuple[Any, int]:
    try:
        return decoder.raw_decode(text, at)
    except json.JSONDecodeError as error:
        raise MalformedFacts("the JSON is broken", text, error.pos) from error
    except (ValueError, RecursionError) as error:
        raise MalformedFacts("the JSON cannot be read", text, at) from error


def _expect(text: str, at: int, mark: str) -> int:
    if not text.startswith(mark, at):
        raise MalformedFacts(f"expected {mark}", text, at)
    return at + 1


def _skip_blanks(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return match.end() if match else at


def with_fact(text: str, fact: Mapping[str, Any]) -> str:
    """Append a fact to the list; an empty text becomes a list."""
    return _put(text, _path(text), dict(fact), append=True)


def with_successor(text: str, number: int, successor: str) -> str:
    """Mark a fact, given by its index in the list, as superseded by another."""
    path = _path(text)
    text = _put(text, [*path, number, "status"], SUPERSEDED, append=False)
    return _put(text, [*path, number, "supersededBy"], successor, append=False)


def with_ended_fact(text: str, number: int) -> str:
    """Mark a fact, given by its index in the list, as ended without a successor."""
    return _put(text, [*_path(text), number, "status"], SUPERSEDED, append=False)


def with_tombstone(text: str, number: int, stone: Mapping[str, Any]) -> str:
    """Replace a fact, given by its index in the list, with its tombstone."""
    return _put(text, [*_path(text), number], dict(stone), append=False)


def next_id(ids: Sequence[str], slug: str, ids_in_other_files: Container[str] = ()) -> str:
    """Return the next unused id, in the style of the ids that the file already has.

    Without such ids, it is made from the slug of the entity.
    """
    numbered = [match for id_ in ids if (match := _NUMBERED.fullmatch(id_))]
    prefix = numbered[-1]["prefix"] if numbered else slug
    numbers = [int(match["number"]) for match in numbered if match["prefix"] == prefix]
    number = max(numbers, default=0) + 1
    width = len(numbered[-1]["number"]) if numbered else _WIDTH
    while f"{prefix}-{number:0{width}d}" in ids_in_other_files:
        number += 1
    return f"{prefix}-{number:0{width}d}"


def _path(text: str) -> list[str | int]:
    return [FACTS_MEMBER] if text.lstrip("\ufeff \t\r\n").startswith("{") else []


def _put(text: str, path: Sequence[str | int], value: Any, *, append: bool) -> str:
    try:  # JSON5, because some programs write Infinity and NaN
        return put(text, path, value, append=append, json5=True)
    except Malformed as error:
        raise MalformedFacts("the JSON is broken", text, error.at) from error
