"""Parse a JSON text into the positions of its values, with comments and trailing commas.

An editor that uses these positions leaves every other byte unchanged. The wider dialect (JSON5)
adds unquoted names, single quotes and the numbers of JavaScript.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

_BLANK: Final = re.compile(r"(?:[\s\ufeff]|//[^\r\n\u2028\u2029]*|/\*.*?\*/)*", re.DOTALL)
_STRING: Final = re.compile(r'"(?:[^"\\\r\n]|\\.)*"')
_QUOTED: Final = re.compile(
    r"'(?:[^'\\\r\n]|\\(?:\r\n|.))*'|\"(?:[^\"\\\r\n]|\\(?:\r\n|.))*\"", re.DOTALL
)
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![\w.])")
_JSON5_NUMBER: Final = re.compile(
    r"[+-]?(?:0[xX][0-9a-fA-F]+|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|Infinity|NaN)"
    r"(?![\w.])"
)
_NAME: Final = re.compile(r"[^\W\d][\w$\u200c\u200d]*|[$_][\w$\u200c\u200d]*")
_WORDS: Final = {"true": True, "false": False, "null": None}
_WORD: Final = re.compile(r"(?:true|false|null)\b")
_ESCAPE: Final = re.compile(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\r\n|.)", re.DOTALL)
_PLAIN_ESCAPES: Final = {
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "0": "\0",
}
_MAX_DEPTH: Final = 100


class Malformed(ValueError):
    """The text is not JSON; `at` is the position of the error."""

    def __init__(self, message: str, text: str, at: int) -> None:
        line = text.count("\n", 0, at) + 1
        column = at - (text.rfind("\n", 0, at) + 1) + 1
        super().__init__(f"{message} at line {line}, column {column}")
        self.at = at


@dataclass(frozen=True, slots=True)
class JsonNode:
    """A JSON value, at `start` to `end` of its text.

    `kind` is "object", "array" or "scalar". `items` are the members of an object or the elements of
    an array; `comma` is the position of a trailing comma after them. `value` is that of a scalar.
    """

    kind: str
    start: int
    end: int
    value: Any = None
    items: tuple[JsonItem, ...] = ()
    comma: int | None = None

    def member(self, key: str) -> JsonItem | None:
        """Return the member of this name; if there are several, the last, as JSON parsers do."""
        return next((item for item in reversed(self.items) if item.key == key), None)


@dataclass(frozen=True, slots=True)
class JsonItem:
    """A member of an object or an element of an array.

    `start` is the position of its key, if it has one; `comma` that of the comma after it.
    """

    start: int
    node: JsonNode
    key: str | None = None
    comma: int | None = None


def parse(text: str, *, json5: bool = False) -> JsonNode | None:
    """Return the root value, or None for a text of only blanks and comments."""
    reader = _Reader(text, json5)
    at = reader.skip_blanks(0)
    if at == len(text):
        return None
    root = reader.parse_value(at, 0)
    end = reader.skip_blanks(root.end)
    if end != len(text):
        raise Malformed("unexpected text after the end", text, end)
    return root


def to_python(node: JsonNode) -> Any:
    """Return the value of a node as a Python value, as `json.loads` would."""
    if node.kind == "object":
        return {item.key: to_python(item.node) for item in node.items}
    if node.kind == "array":
        return [to_python(item.node) for item in node.items]
    return node.value


@dataclass(frozen=True, slots=True)
class _Reader:
    text: str
    json5: bool

    def skip_blanks(self, at: int) -> int:
        """Return the end of the blanks and comments at a position."""
        match = _BLANK.match(self.text, at)
        assert match is not None, "the pattern also matches an empty text"
        if self.text.startswith("/*", match.end()):
            raise Malformed("a comment is not closed", self.text, match.end())
        return match.end()

    def parse_value(self, at: int, depth: int) -> JsonNode:
        if depth > _MAX_DEPTH:
            raise Malformed("too deeply nested", self.text, at)
        opening = self.text[at : at + 1]
        if opening == "{":
            return self._parse_container("object", "}", at, depth)
        if opening == "[":
            return self._parse_container("array", "]", at, depth)
        return self._parse_scalar(at)

    def _parse_container(self, kind: str, closing: str, at: int, depth: int) -> JsonNode:
        items: list[JsonItem] = []
        position = self.skip_blanks(at + 1)
        while not self.text.startswith(closing, position):
            item, position = self._parse_item(kind == "object", position, depth)
            items.append(item)
            if item.comma is None and not self.text.startswith(closing, position):
                raise Malformed(f"a comma or {closing} is missing", self.text, position)
        comma = items[-1].comma if items else None
        return JsonNode(kind, at, position + 1, items=tuple(items), comma=comma)

    def _parse_item(self, named: bool, at: int, depth: int) -> tuple[JsonItem, int]:
        key, position = self._parse_key(at) if named else (None, at)
        node = self.parse_value(position, depth + 1)
        end = self.skip_blanks(node.end)
        comma = end if self.text.startswith(",", end) else None
        return JsonItem(at, node, key, comma), end if comma is None else self.skip_blanks(end + 1)

    def _parse_key(self, at: int) -> tuple[str, int]:
        name = _NAME.match(self.text, at) if self.json5 else None
        if name:
            key, end = name[0], name.end()
        else:
            node = self._parse_scalar(at, "a name in quotes")
            if not isinstance(node.value, str):
                raise Malformed("a name in quotes is missing", self.text, at)
            key, end = node.value, node.end
        colon = self.skip_blanks(end)
        if not self.text.startswith(":", colon):
            raise Malformed("a colon is missing", self.text, colon)
        return key, self.skip_blanks(colon + 1)

    def _parse_scalar(self, at: int, expected: str = "a value") -> JsonNode:
        if word := _WORD.match(self.text, at):
            return JsonNode("scalar", at, word.end(), _WORDS[word[0]])
        for pattern, read in self._patterns():
            if match := pattern.match(self.text, at):
                try:
                    return JsonNode("scalar", at, match.end(), read(match[0]))
                except ValueError as error:
                    raise Malformed("a quoted string is invalid", self.text, at) from error
        raise Malformed(f"{expected} is missing", self.text, at)

    def _patterns(self) -> Iterator[tuple[re.Pattern[str], Any]]:
        if self.json5:
            yield _QUOTED, _unquote
            yield _NUMBER, json.loads
            yield _JSON5_NUMBER, str  # kept as text: remem never uses such a number
        else:
            yield _STRING, json.loads
            yield _NUMBER, json.loads


def _unquote(text: str) -> str:
    return _ESCAPE.sub(_unescape, text[1:-1])


def _unescape(match: re.Match[str]) -> str:
    code = match[1]
    if len(code) > 1 and code[0] in "ux":
        return chr(int(code[1:], 16))
    if code in ("\n", "\r\n", "\r", "\u2028", "\u2029"):
        return ""
    return _PLAIN_ESCAPES.get(code, code)
