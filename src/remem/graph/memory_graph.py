"""A graph in memory, with the lookups that queries need."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any, Final

from remem.graph.cypher.match import Id
from remem.graph.cypher.syntax import Direction
from remem.graph.cypher.values import Node, Relationship

_INDEXED: Final = ("id", "name", "folded")
"""The properties by which nodes are looked up."""


class MemoryGraph:
    """Nodes and relationships with any labels, types and properties."""

    def __init__(self) -> None:
        self._nodes: dict[Id, Node] = {}
        self._by_label: dict[str, list[Node]] = defaultdict(list)
        self._by_value: dict[tuple[str, Any], list[Node]] = defaultdict(list)
        self._around: dict[Id, list[Relationship]] = defaultdict(list)
        self._numbers = count()

    def __contains__(self, id_: Id) -> bool:
        return id_ in self._nodes

    def node(self, id_: Id) -> Node:
        return self._nodes[id_]

    def nodes(self, labels: Sequence[str], properties: Mapping[str, Any]) -> Iterator[Node]:
        """Return the nodes that can have these labels and properties, from the smallest list."""
        lists = [self._by_label.get(label, []) for label in labels]
        for key, value in properties.items():
            if key in _INDEXED and isinstance(value, str):
                lists.append(self._by_value.get((key, value), []))
        return iter(min(lists, key=len) if lists else self._nodes.values())

    def relationships(
        self, node: Id, direction: Direction, types: Sequence[str]
    ) -> Iterator[Relationship]:
        for one in self._around.get(node, ()):
            leaves = direction != "in" and one.start == node
            arrives = direction != "out" and one.end == node
            if (leaves or arrives) and (not types or one.type in types):
                yield one

    def all_relationships(self) -> Iterator[Relationship]:
        for node, around in self._around.items():
            yield from (one for one in around if one.start == node)

    def add_node(
        self, labels: Iterable[str], properties: Mapping[str, Any], id_: Id | None = None
    ) -> Node:
        """Add a node; properties without a value are left out."""
        known = {key: value for key, value in properties.items() if value is not None}
        number = next(self._numbers) if id_ is None else id_
        node = Node(number, frozenset(labels), known)
        self._nodes[node.id] = node
        for label in node.labels:
            self._by_label[label].append(node)
        for key in _INDEXED:
            if isinstance(value := known.get(key), str):
                self._by_value[key, value].append(node)
        return node

    def connect(
        self, start: Id, type_: str, end: Id, properties: Mapping[str, Any]
    ) -> Relationship:
        known = {key: value for key, value in properties.items() if value is not None}
        one = Relationship(next(self._numbers), type_, start, end, known)
        self._around[start].append(one)
        if end != start:
            self._around[end].append(one)
        return one

    def replace_labels(self, id_: Id, labels: Iterable[str]) -> None:
        """Give a node other labels."""
        old = self._nodes[id_]
        new = Node(id_, frozenset(labels), old.properties)
        self._nodes[id_] = new
        for label in old.labels:
            self._by_label[label].remove(old)
        for label in new.labels:
            self._by_label[label].append(new)
        for key in _INDEXED:
            same = self._by_value.get((key, old.properties.get(key)), [])
            same[:] = [new if node == old else node for node in same]

    def label_counts(self) -> Counter[str]:
        return Counter({label: len(nodes) for label, nodes in self._by_label.items() if nodes})

    def type_counts(self) -> Counter[str]:
        return Counter(one.type for one in self.all_relationships())
