"""Where in a JSON text does each value stand? Comments and trailing commas as people write them.

Nothing is taken from the text but positions: who edits with them keeps every other byte. The
wider dialect (JSON5) adds bare names, single quotes and the numbers of JavaScript.
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
_WIDE_NUMBER: Final = re.compile(
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
_DEEPEST: Final = 100


class Malformed(ValueError):
    """The text is not JSON; `at` is the place."""

    def __init__(self, message: str, text: str, at: int) -> None:
        line = text.count("\n", 0, at) + 1
        column = at - (text.rfind("\n", 0, at) + 1) + 1
        super().__init__(f"{message} at line {line}, column {column}")
        self.at = at


@dataclass(frozen=True, slots=True)
class Node:
    """A value from `start` to `end`; `items` are those of an object or an array.

    `comma` is where a comma stands behind the last item, if one does.
    """

    kind: str
    start: int
    end: int
    value: Any = None
    items: tuple[Item, ...] = ()
    comma: int | None = None

    def member(self, key: str) -> Item | None:
        """The last one of that name counts, as it does for every reader."""
        return next((item for item in reversed(self.items) if item.key == key), None)


@dataclass(frozen=True, slots=True)
class Item:
    """A member or an element, from `start` (of its key) on; `comma` is the one behind it."""

    start: int
    node: Node
    key: str | None = None
    comma: int | None = None


def parse(text: str, *, wide: bool = False) -> Node | None:
    """The root of a text; None for one that holds nothing but blanks and comments."""
    reader = _Reader(text, wide)
    at = reader.blank(0)
    if at == len(text):
        return None
    root = reader.value(at, 0)
    end = reader.blank(root.end)
    if end != len(text):
        raise Malformed("something stands behind the end", text, end)
    return root


def plain(node: Node) -> Any:
    """The value that a reader of the text gets."""
    if node.kind == "object":
        return {item.key: plain(item.node) for item in node.items}
    if node.kind == "array":
        return [plain(item.node) for item in node.items]
    return node.value


@dataclass(frozen=True, slots=True)
class _Reader:
    text: str
    wide: bool

    def blank(self, at: int) -> int:
        """The end of blanks and comments."""
        match = _BLANK.match(self.text, at)
        assert match is not None, "the pattern matches nothing too"
        if self.text.startswith("/*", match.end()):
            raise Malformed("a comment has no end", self.text, match.end())
        return match.end()

    def value(self, at: int, depth: int) -> Node:
        if depth > _DEEPEST:
            raise Malformed("it is nested too deep", self.text, at)
        opening = self.text[at : at + 1]
        if opening == "{":
            return self._container("object", "}", at, depth)
        if opening == "[":
            return self._container("array", "]", at, depth)
        return self._scalar(at)

    def _container(self, kind: str, closing: str, at: int, depth: int) -> Node:
        items: list[Item] = []
        place = self.blank(at + 1)
        while not self.text.startswith(closing, place):
            item, place = self._item(kind == "object", place, depth)
            items.append(item)
            if item.comma is None and not self.text.startswith(closing, place):
                raise Malformed(f"a comma or {closing} is missing", self.text, place)
        comma = items[-1].comma if items else None
        return Node(kind, at, place + 1, items=tuple(items), comma=comma)

    def _item(self, named: bool, at: int, depth: int) -> tuple[Item, int]:
        key, place = (self._key(at)) if named else (None, at)
        node = self.value(place, depth + 1)
        end = self.blank(node.end)
        comma = end if self.text.startswith(",", end) else None
        return Item(at, node, key, comma), end if comma is None else self.blank(end + 1)

    def _key(self, at: int) -> tuple[str, int]:
        name = _NAME.match(self.text, at) if self.wide else None
        if name:
            key, end = name[0], name.end()
        else:
            node = self._scalar(at, "a name in quotes")
            if not isinstance(node.value, str):
                raise Malformed("a name in quotes is missing", self.text, at)
            key, end = node.value, node.end
        colon = self.blank(end)
        if not self.text.startswith(":", colon):
            raise Malformed("a colon is missing", self.text, colon)
        return key, self.blank(colon + 1)

    def _scalar(self, at: int, wanted: str = "a value") -> Node:
        if word := _WORD.match(self.text, at):
            return Node("scalar", at, word.end(), _WORDS[word[0]])
        for pattern, read in self._patterns():
            if match := pattern.match(self.text, at):
                try:
                    return Node("scalar", at, match.end(), read(match[0]))
                except ValueError as error:
                    raise Malformed("a text in quotes is broken", self.text, at) from error
        raise Malformed(f"{wanted} is missing", self.text, at)

    def _patterns(self) -> Iterator[tuple[re.Pattern[str], Any]]:
        if self.wide:
            yield _QUOTED, _unquoted
            yield _NUMBER, json.loads
            yield _WIDE_NUMBER, str  # nothing of ours is such a number
        else:
            yield _STRING, json.loads
            yield _NUMBER, json.loads


def _unquoted(text: str) -> str:
    return _ESCAPE.sub(_unescaped, text[1:-1])


def _unescaped(match: re.Match[str]) -> str:
    code = match[1]
    if len(code) > 1 and code[0] in "ux":
        return chr(int(code[1:], 16))
    if code in ("\n", "\r\n", "\r", "\u2028", "\u2029"):
        return ""
    return _PLAIN_ESCAPES.get(code, code)
