"""Recognise queries that only count relationships, which need not be read one by one."""

from __future__ import annotations

from typing import NamedTuple

from remem.graph.cypher.syntax import (
    Call,
    CountAll,
    MatchClause,
    NodePattern,
    PathPattern,
    Projection,
    Query,
    Return,
)


class CountedPattern(NamedTuple):
    """A pattern whose matches are counted; the node at the position `at` is looked up."""

    pattern: PathPattern
    at: int


def counted_pattern(query: Query) -> CountedPattern | None:
    """Return what a query such as `MATCH ({name: $x})<-[:USES]-(m) RETURN count(m)` counts.

    The result is None if the query does anything else.
    """
    match query.parts:
        case (
            (
                MatchClause(patterns=(pattern,), where=None, optional=False),
                Return(projection=projection),
            ),
        ):
            if _only_counts(projection, pattern) and _is_plain(pattern):
                return _looked_up(pattern)
    return None


def _only_counts(projection: Projection, pattern: PathPattern) -> bool:
    if len(projection.items) != 1 or projection.skip is not None or projection.limit is not None:
        return False
    match projection.items[0].expression:
        case CountAll():
            return True
        case Call(name="count", distinct=False, arguments=(argument,)):
            return getattr(argument, "name", None) in pattern.variables
    return False


def _is_plain(pattern: PathPattern) -> bool:
    """Return whether a pattern is a single relationship without conditions."""
    if pattern.variable is not None or len(pattern.relations) != 1:
        return False
    relation, (start, end) = pattern.relations[0], pattern.nodes
    same = start.variable is not None and start.variable == end.variable
    return relation.hops is None and relation.properties is None and not same


def _looked_up(pattern: PathPattern) -> CountedPattern | None:
    """Return the pattern with the node to look up; its neighbour must match any node."""
    for at, other in ((0, 1), (1, 0)):
        if pattern.nodes[at].properties is not None and _is_any(pattern.nodes[other]):
            return CountedPattern(pattern, at)
    return None


def _is_any(node: NodePattern) -> bool:
    return not node.labels and node.properties is None
