"""The values of a query, with the rules for comparing, sorting and grouping them.

A comparison with null, or between values that cannot be compared, is null: neither true nor false.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from remem.graph.cypher.temporal import KINDS, Duration, Moment

Truth: TypeAlias = "bool | None"


@dataclass(frozen=True, slots=True)
class Node:
    """A named thing; nodes are equal if their ids are."""

    id: int | str
    labels: frozenset[str] = field(compare=False, default=frozenset())
    properties: Mapping[str, Any] = field(compare=False, default_factory=dict)


@dataclass(frozen=True, slots=True)
class Relationship:
    """A directed relationship between two nodes, which are given by their ids."""

    id: int | str
    type: str = field(compare=False)
    start: int | str = field(compare=False)
    end: int | str = field(compare=False)
    properties: Mapping[str, Any] = field(compare=False, default_factory=dict)

    def other(self, node: int | str) -> int | str:
        return self.end if node == self.start else self.start


@dataclass(frozen=True, slots=True)
class Path:
    """A path through the graph; it has one node more than relationships."""

    nodes: tuple[Node, ...]
    relationships: tuple[Relationship, ...]


_ORDER = (
    *("map", "node", "relationship", "list", "path", *KINDS, "duration"),
    *("string", "boolean", "number", "null"),
)


def type_of(value: object) -> str:
    """Return the type of a value, as openCypher names it."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
        case list() | tuple():
            return "list"
        case Node():
            return "node"
        case Relationship():
            return "relationship"
        case Path():
            return "path"
        case Moment() | Duration():
            return value.kind
    return "map"


def is_nan(value: object) -> bool:
    """Return whether a value is the float NaN."""
    return isinstance(value, float) and math.isnan(value)


def equals(left: Any, right: Any) -> Truth:
    """Return whether two values are equal; null if that cannot be known."""
    if left is None or right is None:
        return None
    kind = type_of(left)
    if kind != type_of(right):
        return False
    if kind == "list":
        return _all_equal(left, right) if len(left) == len(right) else False
    if kind == "map":
        if left.keys() != right.keys():
            return False
        return _all_equal(list(left.values()), [right[key] for key in left])
    return bool(left == right)


def _all_equal(left: Sequence[Any], right: Sequence[Any]) -> Truth:
    result: Truth = True
    for left_item, right_item in zip(left, right, strict=True):
        same = equals(left_item, right_item)
        if same is False:
            return False
        if same is None:
            result = None
    return result


def compare(left: Any, right: Any) -> int | None:
    """Return -1, 0 or 1; None if the values cannot be compared."""
    kind = type_of(left)
    if kind != type_of(right):
        return None
    if kind == "list":
        return _compare_lists(left, right)
    if isinstance(left, Moment) and isinstance(right, Moment):
        return (left.key > right.key) - (left.key < right.key)
    if kind not in ("number", "string", "boolean") or is_nan(left) or is_nan(right):
        return None
    return int(left > right) - int(left < right)


def _compare_lists(left: Sequence[Any], right: Sequence[Any]) -> int | None:
    for left_item, right_item in zip(left, right, strict=False):
        if equals(left_item, right_item) is not True:
            return compare(left_item, right_item)
    return (len(left) > len(right)) - (len(left) < len(right))


def is_less(left: Any, operator: str, right: Any) -> Truth:
    """Return the value of `<`, `<=`, `>` or `>=`."""
    if type_of(left) == type_of(right) == "number" and (is_nan(left) or is_nan(right)):
        return False  # NaN is not less or greater than any number
    order = compare(left, right)
    if order is None:
        return None
    if operator in ("<", "<="):
        return order < 0 or (order == 0 and operator == "<=")
    return order > 0 or (order == 0 and operator == ">=")


def contains(item: Any, items: Sequence[Any]) -> Truth:
    """Return the value of `IN`."""
    result: Truth = False
    for other in items:
        same = equals(item, other)
        if same is True:
            return True
        if same is None:
            result = None
    return result


def identity(value: Any) -> Hashable:
    """Return a key that is equal for values that DISTINCT and grouping treat as the same."""
    kind = type_of(value)
    if kind == "list":
        return kind, tuple(identity(item) for item in value)
    if kind == "map":
        return kind, frozenset((key, identity(item)) for key, item in value.items())
    if kind == "path":
        return kind, value.nodes, value.relationships
    if is_nan(value):
        return kind, "NaN"
    return kind, value


def sort_key(value: Any) -> tuple[Any, ...]:
    """Return a key by which ORDER BY sorts values of all types; null is last."""
    kind = type_of(value)
    rank = _ORDER.index(kind)
    if kind == "list":
        return rank, [sort_key(item) for item in value]
    if kind == "map":
        return rank, sorted((key, sort_key(item)) for key, item in value.items())
    if kind in ("node", "relationship"):
        return rank, str(type(value.id)), value.id
    if kind == "path":
        return rank, [sort_key(node) for node in value.nodes], len(value.relationships)
    if kind == "null":
        return (rank,)
    if isinstance(value, Moment):
        return rank, value.key
    if isinstance(value, Duration):
        return rank, value.length
    if is_nan(value):
        return rank, 1, 0
    return (rank, 0, value) if kind == "number" else (rank, value)


def both(left: Truth, right: Truth) -> Truth:
    """Return the value of AND."""
    if left is False or right is False:
        return False
    return None if left is None or right is None else True


def either(left: Truth, right: Truth) -> Truth:
    """Return the value of OR."""
    if left is True or right is True:
        return True
    return None if left is None or right is None else False
