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
"""A query that looks up this many nodes of a graph with no more relationships reads them all."""


class StoredGraph:
    """A view of the graph; it is valid as long as its reader is open."""

    def __init__(self, reader: GraphReader, view: GraphPart) -> None:
        self._reader = reader
        self._view = view
        self._nodes: dict[Id, tuple[NodeDetail, Node]] = {}
        self._looked_up = 0
        self._edges: dict[bool, dict[str, list[FoundEdge]]] | None = None

    def node(self, id_: Id, need: NodeDetail = NodeDetail.LABELS) -> Node:
        if need is NodeDetail.ID:
            return Node(id_)
        known = self._nodes.get(id_)
        if known is not None and known[0] >= need:
            return known[1]
        row = self._reader.node(str(id_), self._view)
        assert row is not None, "a relationship leads to a node that is shown"
        return self._keep(row)

    def nodes(self, labels: Sequence[str], properties: Mapping[str, Any]) -> Iterator[Node]:
        """Return the nodes that can have these labels and properties."""
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
            for one in self._edges_of(str(node), outgoing, types, need):
                is_loop = one.edge.start == one.edge.end
                if direction != "both" or outgoing or not is_loop:
                    if need is not NodeDetail.ID:
                        self._keep(one.other, need)
                    yield _relationship(one, need)

    def degree(self, node: Id, direction: Direction, types: Sequence[str]) -> int:
        sides = [outgoing for outgoing in (True, False) if direction != ("out", "in")[outgoing]]
        return sum(
            self._reader.degree(
                str(node),
                outgoing=outgoing,
                types=types,
                view=self._view,
                loops=len(sides) == 1 or outgoing,
            )
            for outgoing in sides
        )

    def all_relationships(self) -> Iterator[Relationship]:
        for edge in self._reader.all_edges(self._view):
            self._keep(edge.other)
            yield _relationship(edge, NodeDetail.LABELS)

    def label_counts(self) -> Counter[str]:
        return Counter(label for node in self.nodes((), {}) for label in node.labels)

    def type_counts(self) -> Counter[str]:
        return Counter(one.type for one in self.all_relationships())

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
        return [one for one in edges if one.edge.type in types] if types else edges

    def _read_all(self) -> None:
        edges = list(islice(self._reader.all_edges(self._view), _MAX_RELATIONSHIPS + 1))
        if len(edges) <= _MAX_RELATIONSHIPS:
            self._edges = {True: defaultdict(list), False: defaultdict(list)}
            for one in edges:
                self._edges[True][one.edge.start].append(one)
                self._edges[False][one.edge.end].append(one)

    def _keep(self, row: NodeRow, need: NodeDetail = NodeDetail.LABELS) -> Node:
        known = self._nodes.get(row.id)
        if known is None or known[0] < need:
            known = self._nodes[row.id] = need, _node(row)
        return known[1]


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
    about = {
        "record": found_edge.record.removeprefix(_ENTRY),
        "trust": edge.trust,
        **edge.properties,
    }
    if place := about.pop("place", None):
        about["record"] = place
    known = {key: value for key, value in {**times, **about}.items() if value is not None}
    return Relationship(found_edge.number, edge.type, edge.start, edge.end, known)
