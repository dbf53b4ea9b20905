"""Insert, replace and remove values in a JSON text without changing any other byte."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Final

from remem.text.jsonc import JsonItem, JsonNode, Malformed, parse

_INDENT: Final = re.compile(r"\n([ \t]+)[^\s]")
_LINE_ENDS: Final = "\r\n"


def put(
    text: str, path: Sequence[str | int], value: Any, *, append: bool, json5: bool = False
) -> str:
    """Put a value at a path, and create missing containers.

    A number in the path is an existing element. With `append`, the value is added to the array at
    the path; otherwise the last name of the path is the member to set.
    """
    root = parse(text, json5=json5)
    if root is None:
        new = _nest(path, [value] if append else value)
        return _append_root(text, new)
    node = root
    for depth, name in enumerate(path):
        if isinstance(name, int):
            _require(node, "array", text, path[:depth])
            node = node.items[name].node
            continue
        _require(node, "object", text, path[:depth])
        member = node.member(name)
        if member is None:
            rest = _nest(path[depth + 1 :], [value] if append else value)
            return _insert(text, node, rest, name)
        node = member.node
    if not append:
        return text[: node.start] + _format(value, text, node) + text[node.end :]
    _require(node, "array", text, path)
    return _insert(text, node, value, None)


def remove_item(text: str, container: JsonNode, item: JsonItem) -> str:
    """Remove an item and its comma."""
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
    cuts.append(_span_with_blanks(text, item.start, end))
    for first, last in sorted(cuts, reverse=True):
        text = text[:first] + text[last:]
    return text


def strip_empty(text: str, container: JsonNode) -> str:
    """Remove the blanks between the brackets of an empty container."""
    inside = text[container.start + 1 : container.end - 1]
    if container.items or inside.strip():
        return text
    return text[: container.start + 1] + text[container.end - 1 :]


def line_end(text: str) -> str:
    """Return the line ending that most lines of a text have."""
    return "\r\n" if 2 * text.count("\r\n") > text.count("\n") else "\n"


def _insert(text: str, container: JsonNode, value: Any, key: str | None) -> str:
    """Insert a value after the last item, formatted like the others."""
    close = container.end - 1
    eol, indent_unit = line_end(text), _indent_unit(text)
    multiline = "\n" in text[container.start : close] or not container.items
    outer = _indent_of(text, container.start)
    indent = _item_indent(text, container) or outer + indent_unit
    new = _dump(value, indent_unit if multiline else None, eol, indent)
    if key is not None:
        new = f"{json.dumps(key, ensure_ascii=False)}: {new}"
    if not container.items:
        inside = text[container.start + 1 : close].rstrip()
        return f"{text[: container.start + 1]}{inside}{eol}{indent}{new}{eol}{outer}{text[close:]}"
    last = container.items[-1].node.end
    content_end = len(text[:close].rstrip())
    gap = f"{eol}{indent}" if multiline else " "
    if container.comma is not None:
        return f"{text[:content_end]}{gap}{new},{text[content_end:]}"
    return f"{text[:last]},{text[last:content_end]}{gap}{new}{text[content_end:]}"


def _span_with_blanks(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span to cut for an item: with the blanks after it, or else with those before it.

    The blanks after it are cut if an item or a comment follows on its line, so that a comment stays
    on its own line.
    """
    lead = len(text[:start].rstrip())
    rest = text[end:].lstrip(" \t")
    if not set(_LINE_ENDS) & set(text[lead:start]) and (not rest or rest[0] in _LINE_ENDS + "]}"):
        return lead, end
    if not rest or rest[0] in _LINE_ENDS:
        return lead, end
    return start, len(text) - len(rest)


def _require(node: JsonNode, kind: str, text: str, path: Sequence[str | int]) -> None:
    if node.kind != kind:
        name = ".".join(map(str, path)) or "the document"
        raise Malformed(f"{name} is not an {kind}", text, node.start)


def _nest(path: Sequence[str | int], value: Any) -> Any:
    for name in reversed(path):
        value = {name: value}
    return value


def _append_root(text: str, value: Any) -> str:
    """Return a text of blanks and comments with a JSON value appended."""
    eol = line_end(text)
    head = text.rstrip() if text.strip("\ufeff \t\r\n") else text[: text.startswith("\ufeff")]
    gap = eol if head.strip("\ufeff") else ""
    return f"{head}{gap}{_dump(value, '  ', eol, '')}{eol}"


def _format(value: Any, text: str, node: JsonNode) -> str:
    multiline = "\n" in text[node.start : node.end]
    return _dump(
        value,
        _indent_unit(text) if multiline else None,
        line_end(text),
        _indent_of(text, node.start),
    )


def _dump(value: Any, indent_unit: str | None, eol: str, indent: str) -> str:
    lines = json.dumps(value, indent=indent_unit, ensure_ascii=False).split("\n")
    return f"{eol}{indent}".join(lines)


def _indent_unit(text: str) -> str:
    """Return the first indentation of the text, which is the indentation of one level."""
    match = _INDENT.search(text)
    return match[1] if match and match[1].strip("\t") in ("", match[1]) else "  "


def _indent_of(text: str, position: int) -> str:
    """Return the indentation of the line at a position."""
    line = text[text.rfind("\n", 0, position) + 1 : position].lstrip("\ufeff")
    return line[: len(line) - len(line.lstrip(" \t"))]


def _item_indent(text: str, container: JsonNode) -> str | None:
    """Return the indentation of the last item that starts a line."""
    for item in reversed(container.items):
        line = text[text.rfind("\n", 0, item.start) + 1 : item.start]
        if not line.strip() and item.start - len(line) > container.start:
            return line
    return None
