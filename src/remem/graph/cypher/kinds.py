"""The types of expressions, as far as they are known before a query runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from remem.graph.cypher.failures import CypherError
from remem.graph.cypher.syntax import (
    Binary,
    Call,
    Case,
    Comparison,
    Constant,
    CountAll,
    Expression,
    HasLabels,
    IsNull,
    ListOf,
    MapOf,
    Property,
    SliceAccess,
    Unary,
)

UNKNOWN: Final = ("any", "null")
_RESULT_KINDS: Final = {
    "size": "integer",
    "length": "integer",
    "labels": "list",
    "keys": "list",
    "type": "string",
    "nodes": "list",
    "relationships": "list",
    "range": "list",
    "collect": "list",
    "count": "integer",
    "tostring": "string",
    "exists": "boolean",
    "properties": "map",
    "split": "list",
    "startnode": "node",
    "endnode": "node",
}
_ARGUMENT_KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "type": ("relationship",),
    "labels": ("node",),
    "nodes": ("path",),
    "relationships": ("path",),
    "length": ("path", "string", "list"),
    "size": ("string", "list", "map"),
    "properties": ("node", "relationship", "map"),
    "keys": ("node", "relationship", "map"),
    "startnode": ("relationship",),
    "endnode": ("relationship",),
}
_NO_PROPERTIES: Final = ("integer", "float", "string", "boolean", "list", "path")
_LOGIC: Final = ("AND", "OR", "XOR", "NOT")
_ARITHMETIC: Final = ("-", "*", "/", "%", "^")


def refuse(message: str, detail: str, at: int, kind: str = "SyntaxError") -> CypherError:
    """Return the error for a query that is refused at this position."""
    return CypherError(message, detail=detail, position=at, kind=kind)


def with_article(kind: str) -> str:
    """Return the name of a kind with its indefinite article."""
    return f"{'an' if kind[0] in 'aio' else 'a'} {kind}"


def require_condition(kind: str, at: int) -> None:
    """Raise CypherError if an expression of this kind cannot be a condition."""
    _require(kind, ("boolean",), f"a condition cannot be {with_article(kind)}", at)


def takes_conditions(expression: Expression) -> bool:
    """Return whether a pattern can be an operand of an expression."""
    match expression:
        case Binary(operator=operator) | Unary(operator=operator):
            return operator in ("AND", "OR", "XOR", "NOT")
    return isinstance(expression, Case)


def operator_kind(expression: Expression, kinds: Sequence[str]) -> str:
    """Return the type of an operator's value.

    `kinds` are the kinds of its operands, which are checked.
    """
    at = expression.at
    match expression:
        case Unary() | Binary() if expression.operator in _LOGIC:
            for kind in kinds:
                require_condition(kind, at)
            return "boolean"
        case Binary():
            return _binary_kind(expression, kinds)
        case Unary():
            return kinds[0] if kinds[0] in ("integer", "float") else "any"
        case HasLabels():
            _require(
                kinds[0], ("node", "relationship"), f"{with_article(kinds[0])} has no labels", at
            )
        case Property():
            if kinds[0] in _NO_PROPERTIES:
                message = f"{with_article(kinds[0])} has no properties"
                error = "SyntaxError" if kinds[0] == "path" else "TypeError"
                raise refuse(message, "InvalidArgumentType", at, error)
    return _other_kind(expression)


def _binary_kind(expression: Binary, kinds: Sequence[str]) -> str:
    if expression.operator == "IN":
        wanted = f"IN takes a list, not {with_article(kinds[1])}"
        _require(kinds[1], ("list",), wanted, expression.at)
    if expression.operator in _ARITHMETIC:
        for kind in kinds:
            message = f"{with_article(kind)} is not a number"
            _require(kind, ("integer", "float"), message, expression.at)
    return "any" if expression.operator in (*_ARITHMETIC, "+") else "boolean"


def _other_kind(expression: Expression) -> str:
    match expression:
        case HasLabels() | Comparison() | IsNull():
            return "boolean"
        case ListOf() | SliceAccess():
            return "list"
        case MapOf():
            return "map"
        case CountAll():
            return "integer"
    return "any"


def call_kind(call: Call, kinds: Sequence[str]) -> str:
    """Return the type of a function's value; the type of its first argument is checked."""
    takes = _ARGUMENT_KINDS.get(call.name)
    if takes:
        allowed = f"{call.name}() takes a {' or a '.join(takes)}, not {with_article(kinds[0])}"
        _require(kinds[0], takes, allowed, call.at)
    return _RESULT_KINDS.get(call.name, "any")


def item_kind(source: Expression) -> str:
    """Return the type of the items of a list of constants; `any` if they differ."""
    if isinstance(source, ListOf):
        kinds = {item.kind if isinstance(item, Constant) else "any" for item in source.items}
        kinds.discard("null")
        if len(kinds) == 1:
            return kinds.pop()
    return "any"


def _require(kind: str, allowed: Sequence[str], message: str, at: int) -> None:
    if kind not in allowed and kind not in UNKNOWN:
        raise refuse(message, "InvalidArgumentType", at)
