"""Where in a JSON text does each fact stand? With its lines, as far as the text can be read.

A list of facts is the whole file, or the member `facts` of an object.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

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
