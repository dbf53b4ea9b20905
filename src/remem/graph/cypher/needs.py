"""Determine how much of nodes and relationships a query uses, so that no more is read.

Reading the labels of a node costs most, because they are computed from what is stated about it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from remem.graph.cypher.syntax import (
    Call,
    NodePattern,
    PathPattern,
    Property,
    Query,
    RelationPattern,
    Variable,
)
from remem.ports.graph import NodeDetail

Needs = Mapping[str, NodeDetail]
"""What is needed of the variables of a query; of one that is not listed, only its identity."""


def needs_of(query: Query) -> Needs:
    """Return what a checked query needs of each of its variables."""
    needs: dict[str, NodeDetail] = {}
    for name, need in _uses(query):
        needs[name] = max(need, needs.get(name, NodeDetail.ID))
    return needs


def need_of(pattern: NodePattern, needs: Needs) -> NodeDetail:
    """Return what is needed of the nodes that a pattern matches."""
    return max(_own_need(pattern), needs.get(pattern.variable or "", NodeDetail.ID))


def relation_need(pattern: RelationPattern, needs: Needs) -> NodeDetail:
    """Return what is needed of relationships: their identity, or their properties too."""
    need = max(_own_need(pattern), needs.get(pattern.variable or "", NodeDetail.ID))
    return min(need, NodeDetail.PROPERTIES)


def _own_need(pattern: NodePattern | RelationPattern) -> NodeDetail:
    if isinstance(pattern, NodePattern) and pattern.labels:
        return NodeDetail.LABELS
    return NodeDetail.ID if pattern.properties is None else NodeDetail.PROPERTIES


def _uses(part: Any) -> Iterator[tuple[str, NodeDetail]]:
    """Yield the variables that a part of a query uses, and what it needs of them."""
    match part:
        case Variable():
            yield part.name, NodeDetail.LABELS
        case Property(base=Variable(name=name)):
            yield name, NodeDetail.PROPERTIES
        case Call(name="count", arguments=(Variable(),)):
            return  # counting only needs to know whether it is null
        case PathPattern(variable=str()):
            for name in part.variables:  # the path contains them
                yield name, NodeDetail.LABELS
            yield from _inside(part)
        case NodePattern() | RelationPattern():
            yield part.variable or "", _own_need(part)
            yield from _inside(part)
        case _:
            yield from _inside(part)


def _inside(part: Any) -> Iterator[tuple[str, NodeDetail]]:
    items: Iterable[Any] = ()
    if isinstance(part, tuple):
        items = part
    elif is_dataclass(part):
        items = [getattr(part, item.name) for item in fields(part)]
    for item in items:
        yield from _uses(item)
