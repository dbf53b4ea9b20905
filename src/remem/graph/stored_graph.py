"""The stored graph of a scope, as queries read it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from remem.graph.cypher.match import Id
from remem.graph.cypher.syntax import Direction
from remem.graph.cypher.values import Node, Relationship
from remem.ports.graph import FoundEdge, GraphPart, GraphReader, NodeDetail, NodeRow

_INDEXED: Final = ("id", "name", "folded")
"""The properties by which nodes are looked up."""
_ENTRY: Final = "entry:"
_MIN_LOOKUPS: Final = 50
_MAX_RELATIONSHIPS: Final = 5_000
"""Once a query has looked up `_MIN_LOOKUPS` nodes, it reads all relationships of the graph, if
there are no more than this."""


class StoredGraph:
    """A view of the graph; it is valid as long as its reader is open."""

    def __init__(self, reader: GraphReader, view: GraphPart) -> None:
        self._reader = reader
        self._view = view
        self._nodes: dict[Id, tuple[NodeDetail, Node]] = {}
        self._looked_up = 0
        self._edges: dict[bool, dict[str, list[FoundEdge]]] | None = None
        """The outgoing (True) and incoming (False) relationships of all nodes, once read."""

    def node(self, id_: Id, need: NodeDetail = NodeDetail.LABELS) -> Node:
        if need is NodeDetail.ID:
            return Node(id_)
        cached = self._nodes.get(id_)
        if cached is not None and cached[0] >= need:
            return cached[1]
        row = self._reader.node(str(id_), self._view)
        assert row is not None, "a relationship leads to a node that is shown"
        return self._keep(row)

    def nodes(self, labels: Sequence[str], properties: Mapping[str, Any]) -> Iterator[Node]:
        """Return the nodes that may have these labels and properties; the caller checks them."""
        equal = {
            key: value
            for key, value in properties.items()
            if key in _INDEXED and isinstance(value, str)
        }
        if "id" in equal:  # the id of an entry; the ids of other nodes are not a property
            equal["id"] = f"{_ENTRY}{equal['id']}"
        rows = self._reader.nodes(() if equal else labels[:1], equal, self._view)
        return map(self._keep, rows)

    def relationships(
        self,
        node: Id,
        direction: Direction,
        types: Sequence[str],
        need: NodeDetail = NodeDetail.LABELS,
    ) -> Iterator[Relationship]:
        for outgoing in (True, False):
            if direction == ("in" if outgoing else "out"):
                continue
            for found in self._edges_of(str(node), outgoing, types, need):
                is_loop = found.edge.start == found.edge.end
                if direction != "both" or outgoing or not is_loop:  # a loop is yielded once
                    if need is not NodeDetail.ID:
                        self._keep(found.other, need)
                    yield _relationship(found, need)

    def degree(self, node: Id, direction: Direction, types: Sequence[str]) -> int:
        def count(*, outgoing: bool, loops: bool = True) -> int:
            return self._reader.degree(
                str(node), outgoing=outgoing, types=types, view=self._view, loops=loops
            )

        if direction == "both":
            return count(outgoing=True) + count(outgoing=False, loops=False)  # a loop counts once
        return count(outgoing=direction == "out")

    def all_relationships(self) -> Iterator[Relationship]:
        for edge in self._reader.all_edges(self._view):
            self._keep(edge.other)
            yield _relationship(edge, NodeDetail.LABELS)

    def label_counts(self) -> Counter[str]:
        return Counter(label for node in self.nodes((), {}) for label in node.labels)

    def type_counts(self) -> Counter[str]:
        return Counter(relationship.type for relationship in self.all_relationships())

    def _edges_of(
        self, node: str, outgoing: bool, types: Sequence[str], need: NodeDetail
    ) -> Iterable[FoundEdge]:
        """Return the relationships that start or end at a node.

        A query that looks up many nodes of a small graph reads all relationships at once.
        """
        self._looked_up += 1
        if self._looked_up == _MIN_LOOKUPS:
            self._read_all()
        if self._edges is None:
            return self._reader.edges(
                node, outgoing=outgoing, types=types, view=self._view, need=need
            )
        edges = self._edges[outgoing].get(node, ())
        return [found for found in edges if found.edge.type in types] if types else edges

    def _read_all(self) -> None:
        edges = list(islice(self._reader.all_edges(self._view), _MAX_RELATIONSHIPS + 1))
        if len(edges) <= _MAX_RELATIONSHIPS:
            self._edges = {True: defaultdict(list), False: defaultdict(list)}
            for found in edges:
                self._edges[True][found.edge.start].append(found)
                self._edges[False][found.edge.end].append(found)

    def _keep(self, row: NodeRow, need: NodeDetail = NodeDetail.LABELS) -> Node:
        """Return the node of a row, and cache it."""
        cached = self._nodes.get(row.id)
        if cached is None or cached[0] < need:
            cached = self._nodes[row.id] = need, _node(row)
        return cached[1]


def _node(row: NodeRow) -> Node:
    properties = {"name": row.name, **row.properties}
    if row.folded:
        properties["folded"] = row.folded
    return Node(row.id, frozenset(row.labels), properties)


def _relationship(found_edge: FoundEdge, need: NodeDetail) -> Relationship:
    edge = found_edge.edge
    if need is NodeDetail.ID:
        return Relationship(found_edge.number, edge.type, edge.start, edge.end)
    times = {
        "valid_at": edge.valid_at,
        "invalid_at": edge.invalid_at,
        "created_at": edge.created_at,
        "expired_at": edge.expired_at,
    }
    origin = {
        "record": found_edge.record.removeprefix(_ENTRY),
        "trust": edge.trust,
        **edge.properties,
    }
    if place := origin.pop("place", None):
        origin["record"] = place
    properties = {key: value for key, value in {**times, **origin}.items() if value is not None}
    return Relationship(found_edge.number, edge.type, edge.start, edge.end, properties)
