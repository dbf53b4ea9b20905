"""How is something put into a JSON text, and taken out again, without touching another byte?"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Final

from remem.text.jsonc import Item, Malformed, Node, parse

_INDENT: Final = re.compile(r"\n([ \t]+)[^\s]")
_LINE_ENDS: Final = "\r\n"


def put(
    text: str, path: Sequence[str | int], value: Any, *, append: bool, wide: bool = False
) -> str:
    """The text with the value at its path; containers that are missing are made.

    A number on the path is an element that is there. `append` adds an element to the array at
    the path, else the last name is a new member.
    """
    root = parse(text, wide=wide)
    if root is None:
        new = _nested(path, [value] if append else value)
        return _with_root(text, new)
    at = root
    for depth, name in enumerate(path):
        if isinstance(name, int):
            _require(at, "array", text, path[:depth])
            at = at.items[name].node
            continue
        _require(at, "object", text, path[:depth])
        found = at.member(name)
        if found is None:
            rest = _nested(path[depth + 1 :], [value] if append else value)
            return _into(text, at, rest, name)
        at = found.node
    if not append:
        return text[: at.start] + _formatted(value, text, at) + text[at.end :]
    _require(at, "array", text, path)
    return _into(text, at, value, None)


def take_out(text: str, container: Node, item: Item) -> str:
    """The text without that item and the comma that belongs to it."""
    end = item.node.end
    index = container.items.index(item)
    before = container.items[index - 1] if index else None
    cuts = []
    if item.comma is not None:
        end = item.comma + 1 if not text[end : item.comma].strip() else end
        if end == item.node.end:
            cuts.append((item.comma, item.comma + 1))
    elif before is not None and before.comma is not None:
        cuts.append((before.comma, before.comma + 1))
    cuts.append(_with_blanks(text, item.start, end))
    for first, last in sorted(cuts, reverse=True):
        text = text[:first] + text[last:]
    return text


def emptied(text: str, container: Node) -> str:
    """The text with nothing at all between the brackets, if there are but blanks."""
    inside = text[container.start + 1 : container.end - 1]
    if container.items or inside.strip():
        return text
    return text[: container.start + 1] + text[container.end - 1 :]


def line_end(text: str) -> str:
    return "\r\n" if 2 * text.count("\r\n") > text.count("\n") else "\n"


def _into(text: str, container: Node, value: Any, key: str | None) -> str:
    """Behind the last item, in the manner of the others."""
    close = container.end - 1
    eol, unit = line_end(text), _unit(text)
    spread = "\n" in text[container.start : close] or not container.items
    outer = _indent_of(text, container.start)
    indent = _item_indent(text, container) or outer + unit
    new = _shown(value, unit if spread else None, eol, indent)
    if key is not None:
        new = f"{json.dumps(key, ensure_ascii=False)}: {new}"
    if not container.items:
        inside = text[container.start + 1 : close].rstrip()
        return f"{text[: container.start + 1]}{inside}{eol}{indent}{new}{eol}{outer}{text[close:]}"
    last = container.items[-1].node.end
    behind = len(text[:close].rstrip())
    gap = f"{eol}{indent}" if spread else " "
    if container.comma is not None:
        return f"{text[:behind]}{gap}{new},{text[behind:]}"
    return f"{text[:last]},{text[last:behind]}{gap}{new}{text[behind:]}"


def _with_blanks(text: str, start: int, end: int) -> tuple[int, int]:
    """What is cut with an item: the blanks before it, or those behind it where another item
    follows on its line. A comment to the end of a line keeps its line end."""
    lead = len(text[:start].rstrip())
    rest = text[end:].lstrip(" \t")
    if not set(_LINE_ENDS) & set(text[lead:start]) and (not rest or rest[0] in _LINE_ENDS + "]}"):
        return lead, end
    if not rest or rest[0] in _LINE_ENDS:
        return lead, end
    return start, len(text) - len(rest)


def _require(node: Node, kind: str, text: str, path: Sequence[str | int]) -> None:
    if node.kind != kind:
        name = ".".join(map(str, path)) or "the whole"
        raise Malformed(f"{name} is not an {kind}", text, node.start)


def _nested(path: Sequence[str | int], value: Any) -> Any:
    for name in reversed(path):
        value = {name: value}
    return value


def _with_root(text: str, value: Any) -> str:
    """A text of blanks and comments keeps them; the document comes behind."""
    eol = line_end(text)
    kept = text.rstrip() if text.strip("\ufeff \t\r\n") else text[: text.startswith("\ufeff")]
    between = eol if kept.strip("\ufeff") else ""
    return f"{kept}{between}{_shown(value, '  ', eol, '')}{eol}"


def _formatted(value: Any, text: str, at: Node) -> str:
    spread = "\n" in text[at.start : at.end]
    return _shown(
        value, _unit(text) if spread else None, line_end(text), _indent_of(text, at.start)
    )


def _shown(value: Any, unit: str | None, eol: str, indent: str) -> str:
    lines = json.dumps(value, indent=unit, ensure_ascii=False).split("\n")
    return f"{eol}{indent}".join(lines)


def _unit(text: str) -> str:
    """The first indentation of the text is that of one level."""
    found = _INDENT.search(text)
    return found[1] if found and found[1].strip("\t") in ("", found[1]) else "  "


def _indent_of(text: str, at: int) -> str:
    """The blanks that the line of a place begins with."""
    line = text[text.rfind("\n", 0, at) + 1 : at].lstrip("\ufeff")
    return line[: len(line) - len(line.lstrip(" \t"))]


def _item_indent(text: str, container: Node) -> str | None:
    """How the last item that begins a line is indented."""
    for item in reversed(container.items):
        line = text[text.rfind("\n", 0, item.start) + 1 : item.start]
        if not line.strip() and item.start - len(line) > container.start:
            return line
    return None
