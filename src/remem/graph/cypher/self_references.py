"""Move properties that refer to their own MATCH into its WHERE.

In `MATCH (a)-->(b {age: a.age})` the value is only known once `a` has been found, but the search
may begin at `b`. Such properties become conditions on the whole match.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, TypeVar

from remem.graph.cypher.syntax import (
    Binary,
    Comparison,
    Expression,
    MapOf,
    NodePattern,
    PathPattern,
    PatternComprehension,
    PatternPredicate,
    Property,
    Quantifier,
    RelationPattern,
    Subquery,
    Variable,
    parts_of,
)

P = TypeVar("P", NodePattern, RelationPattern)
HIDDEN: Final = "\0"
"""The beginning of the names of added variables, which are not part of `*`."""
_WITH_PATTERNS: Final = PatternComprehension | PatternPredicate | Subquery
"""Expressions that may use any variable."""


def separate(
    patterns: Sequence[PathPattern], where: Expression | None
) -> tuple[tuple[PathPattern, ...], Expression | None]:
    """Return the patterns without such properties, and the condition with them added."""
    names = {name for pattern in patterns for name in pattern.variables}
    conditions: list[Expression] = []
    separated = tuple(
        replace(
            pattern,
            nodes=tuple(_separate(node, names, conditions) for node in pattern.nodes),
            relations=tuple(
                _separate(relation, names, conditions) for relation in pattern.relations
            ),
        )
        for pattern in patterns
    )
    for condition in conditions:
        where = condition if where is None else Binary("AND", where, condition, at=condition.at)
    return separated, where


def _separate(part: P, names: set[str], conditions: list[Expression]) -> P:
    """Return the part without the properties that refer to `names`; add those to the conditions."""
    if not isinstance(part.properties, MapOf):
        return part
    items = part.properties.items
    moved = tuple(item for item in items if _refers_to(item[1], names))
    if not moved:
        return part
    variable = part.variable or f"{HIDDEN}{part.at}"
    conditions += [_condition(part, variable, key, value) for key, value in moved]
    kept = tuple(item for item in items if item not in moved)
    return replace(part, variable=variable, properties=MapOf(kept, at=part.properties.at))


def _condition(
    part: NodePattern | RelationPattern, variable: str, key: str, value: Expression
) -> Expression:
    if isinstance(part, NodePattern) or part.hops is None:
        return _equal(variable, key, value)
    item = f"{HIDDEN}{variable}"
    condition = _equal(item, key, value)
    return Quantifier("all", item, Variable(variable, at=part.at), condition, at=value.at)


def _equal(variable: str, key: str, value: Expression) -> Comparison:
    owner = Variable(variable, at=value.at)
    return Comparison(Property(owner, key, at=value.at), (("=", value),), at=value.at)


def _refers_to(expression: Expression, names: set[str]) -> bool:
    return any(
        part.name in names if isinstance(part, Variable) else isinstance(part, _WITH_PATTERNS)
        for part in parts_of(expression)
    )
