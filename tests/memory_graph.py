"""A graph in memory with any labels, types and properties, to run queries on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any

from remem.graph.cypher.match import Id
from remem.graph.cypher.syntax import Direction
from remem.graph.cypher.values import Node, Relationship
from remem.ports.graph import NodeDetail


class MemoryGraph:
    """Nodes and relationships in the order in which they were added."""

    def __init__(self) -> None:
        self._nodes: dict[Id, Node] = {}
        self._around: dict[Id, list[Relationship]] = defaultdict(list)
        self._numbers = count()

    def node(self, id_: Id, need: NodeDetail = NodeDetail.LABELS) -> Node:
        return self._nodes[id_]

    def nodes(
        self,
        labels: Sequence[str],
        properties: Mapping[str, Any],
    ) -> Iterator[Node]:
        """Return the nodes with these labels; the caller checks their properties."""
        return (node for node in self._nodes.values() if node.labels.issuperset(labels))

    def relationships(
        self,
        node: Id,
        direction: Direction,
        types: Sequence[str],
        need: NodeDetail = NodeDetail.LABELS,
    ) -> Iterator[Relationship]:
        for relationship in self._around.get(node, ()):
            leaves = direction != "in" and relationship.start == node
            arrives = direction != "out" and relationship.end == node
            if (leaves or arrives) and (not types or relationship.type in types):
                yield relationship

    def degree(self, node: Id, direction: Direction, types: Sequence[str]) -> int:
        return sum(1 for _ in self.relationships(node, direction, types))

    def add_node(
        self, labels: Iterable[str], properties: Mapping[str, Any], id_: Id | None = None
    ) -> Node:
        """Add a node, or replace the one with the same id.

        Properties without a value are left out.
        """
        number = next(self._numbers) if id_ is None else id_
        self._nodes[number] = Node(number, frozenset(labels), _with_values(properties))
        return self._nodes[number]

    def connect(
        self, start: Id, type_: str, end: Id, properties: Mapping[str, Any]
    ) -> Relationship:
        relationship = Relationship(
            next(self._numbers), type_, start, end, _with_values(properties)
        )
        for node in dict.fromkeys((start, end)):
            self._around[node].append(relationship)
        return relationship

    def remove(self, item: Node | Relationship) -> None:
        """Remove a relationship, or a node with its relationships."""
        if isinstance(item, Relationship):
            for end in {item.start, item.end}:
                self._around[end].remove(item)
            return
        for relationship in list(self._around.get(item.id, ())):
            self.remove(relationship)
        del self._nodes[item.id]


def _with_values(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in properties.items() if value is not None}
