"""Add values to a host's JSON settings, and remove them again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from remem.errors import NotAllowed
from remem.setup.hosts.targets import Before, Unknown, is_blank, refusal, text_of
from remem.text.json_edit import put, remove_item, strip_empty
from remem.text.jsonc import JsonItem, JsonNode, Malformed, parse, to_python


@dataclass(frozen=True, slots=True)
class Addition:
    """A value to add at a path: a member or, with `append`, an element of a list.

    `is_own` recognises the value, whichever version of remem wrote it. A `shared` value may also
    be somebody else's: it is removed only if the record shows that it was not there before.
    If `unless` returns true for the settings, the value is not needed and is not added.
    """

    path: tuple[str, ...]
    value: Any
    is_own: Callable[[Any], bool]
    append: bool = False
    shared: bool = False
    unless: Callable[[Any], bool] | None = None


@dataclass(frozen=True, slots=True)
class JsonFile:
    """JSON settings; `json5` for a host that reads JSON5."""

    path: Path
    additions: tuple[Addition, ...]
    json5: bool = False

    def with_additions(self, data: bytes | None) -> bytes:
        text = self._text(data or b"")
        root = self._root(text)
        settings = to_python(root) if root else {}
        needed = [
            addition
            for addition in self.additions
            if not (addition.unless and addition.unless(settings))
        ]
        if all(self._is_there(text, addition) for addition in needed):
            return data or b""
        for addition in needed:
            if not addition.shared:
                text = self._without(text, addition)
        for addition in needed:
            if self._is_there(text, addition):
                continue
            self._require_absent(text, addition)
            try:
                text = put(
                    text, addition.path, addition.value, append=addition.append, json5=self.json5
                )
            except Malformed as error:
                raise refusal(self.path, f"could not be extended: {error}") from error
        return text.encode()

    def without_additions(self, data: bytes, before: Before) -> bytes | None:
        text = self._text(data)
        old = before if isinstance(before, Unknown) else self._root(self._text(before or b""))
        for addition in self.additions:
            if not addition.shared or self._was_absent(old, addition):
                text = self._without(text, addition)
        if not isinstance(old, Unknown):
            text = self._without_empty_containers(text, old)
        root = self._root(text)
        if not isinstance(before, Unknown) and is_blank(before) and root and not root.items:
            return (
                before if strip_empty(text, root).strip("\ufeff \t\r\n") == "{}" else text.encode()
            )
        return text.encode()

    def _text(self, data: bytes) -> str:
        text = text_of(data, self.path)
        root = self._root(text)
        if root is not None and root.kind != "object":
            raise refusal(self.path, "must contain a JSON object at the top level")
        return text

    def _root(self, text: str) -> JsonNode | None:
        try:
            return parse(text, json5=self.json5)
        except Malformed as error:
            raise refusal(self.path, f"is not JSON: {error}") from error

    def _is_there(self, text: str, addition: Addition) -> bool:
        node = _at(self._root(text), addition.path)
        if node is None:
            return False
        value = to_python(node)
        if addition.append:
            return isinstance(value, list) and addition.value in value
        return bool(value == addition.value)

    def _was_absent(self, old: JsonNode | Unknown | None, addition: Addition) -> bool:
        """Return whether a shared value was absent before; if that is unknown, return False."""
        if isinstance(old, Unknown):
            return False
        node = _at(old, addition.path)
        return node is None or (addition.append and addition.value not in (to_python(node) or ()))

    def _require_absent(self, text: str, addition: Addition) -> None:
        if not addition.append and (existing := _at(self._root(text), addition.path)):
            name = ".".join(addition.path)
            raise NotAllowed(
                f"{self.path} already has a {name} that this workspace did not write: "
                f"{text[existing.start : existing.end][:200]}",
                hint="run `remem disconnect` in the workspace that added it, or remove it by hand",
            )

    def _without(self, text: str, addition: Addition) -> str:
        while own_item := self._find_own_item(text, addition):
            text = remove_item(text, *own_item)
        return text

    def _find_own_item(self, text: str, addition: Addition) -> tuple[JsonNode, JsonItem] | None:
        root = self._root(text)
        if addition.append:
            node = _at(root, addition.path)
            return _find(node, addition.is_own) if node else None
        parent = _at(root, addition.path[:-1])
        item = parent.member(addition.path[-1]) if parent else None
        return (parent, item) if parent and item and addition.is_own(to_python(item.node)) else None

    def _without_empty_containers(self, text: str, old: JsonNode | None) -> str:
        """Remove objects and lists that are empty now and were not there before."""
        for addition in self.additions:
            depth = len(addition.path) if addition.append else len(addition.path) - 1
            for end in range(depth, 0, -1):
                path = addition.path[:end]
                node, parent = _at(self._root(text), path), _at(self._root(text), path[:-1])
                if node is None or parent is None or _at(old, path) is not None:
                    continue
                if node.kind == "scalar" or strip_empty(text, node)[node.start + 1] not in "}]":
                    continue
                item = parent.member(path[-1])
                assert item is not None, "the node was found through it"
                text = remove_item(text, parent, item)
        return text


def _at(node: JsonNode | None, path: Sequence[str]) -> JsonNode | None:
    """Return the value at a path of member names, if there is one."""
    for name in path:
        item = node.member(name) if node is not None else None
        node = item.node if item else None
    return node


def _find(container: JsonNode, is_own: Callable[[Any], bool]) -> tuple[JsonNode, JsonItem] | None:
    """Return the first item that remem wrote, at any depth."""
    for item in container.items:
        if is_own(to_python(item.node)):
            return container, item
        if item.node.items and (node := _find(item.node, is_own)):
            return node
    return None
