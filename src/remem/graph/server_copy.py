"""Copy the graph to a graph server; what is changed there never comes back.

Everything that remem writes there has the label `Remem` and the property `remem_owner`; nothing
else on the server is touched. Only differences are written, so an interrupted copy can be repeated.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from remem.graph.cypher.values import Node, Relationship
from remem.graph.server import GraphServer
from remem.graph.stored_graph import StoredGraph

if TYPE_CHECKING:
    from neo4j import Session

_BATCH: Final = 500
_LABEL: Final = "Remem"


@dataclass(frozen=True, slots=True)
class SyncReport:
    """The result of a copy to a graph server; `nodes` and `relationships` are its totals now."""

    nodes: int
    relationships: int
    written: int
    removed: int


def copy_graph(
    server: GraphServer, graph: StoredGraph, owner: str, progress: Callable[[str], None]
) -> SyncReport:
    """Make the server's copy of a graph equal to it; `owner` identifies the workspace."""
    with server.driver() as driver, server.session(driver) as session:
        return _Copy(session, owner, progress).run(graph)


class _Copy:
    """Compares the copy on a server with a graph, and writes the differences in batches."""

    def __init__(self, session: Session, owner: str, progress: Callable[[str], None]) -> None:
        self._session, self._owner, self._progress = session, owner, progress
        self._written = self._removed = 0

    def run(self, graph: StoredGraph) -> SyncReport:
        nodes = {str(node.id): node for node in graph.nodes((), {})}
        digests = {
            id_: _digest(sorted(node.labels), node.properties) for id_, node in nodes.items()
        }
        copied_digests = self._digests("MATCH (n:Remem {remem_owner: $owner})")
        self._remove_nodes(id_ for id_ in copied_digests if digests.get(id_) != copied_digests[id_])
        changed = [node for id_, node in nodes.items() if copied_digests.get(id_) != digests[id_]]
        for labels in sorted({tuple(sorted(node.labels)) for node in changed}):
            with_labels = [node for node in changed if tuple(sorted(node.labels)) == labels]
            self._write_nodes(labels, with_labels, digests)

        edges = {_edge_id(edge): edge for edge in graph.all_relationships()}
        copied_digests = self._digests("MATCH (:Remem {remem_owner: $owner})-[n]->()", edges=True)
        self._remove_edges(id_ for id_ in copied_digests if id_ not in edges)
        missing = [(id_, edge) for id_, edge in edges.items() if id_ not in copied_digests]
        for type_ in sorted({edge.type for _, edge in missing}):
            self._write_edges(type_, [(id_, edge) for id_, edge in missing if edge.type == type_])
        return SyncReport(len(nodes), len(edges), self._written, self._removed)

    def _digests(self, match: str, *, edges: bool = False) -> dict[str, str]:
        """Return the digests of what is on the server, by id; relationships have no digest."""
        condition = "WHERE n.remem_id IS NOT NULL" if edges else ""
        query = f"{match} {condition} RETURN n.remem_id AS id, n.remem_digest AS digest"
        return {row["id"]: row["digest"] or "" for row in self._execute(query)}

    def _remove_nodes(self, ids: Iterable[str]) -> None:
        query = "MATCH (n:Remem {remem_owner: $owner}) WHERE n.remem_id IN $ids DETACH DELETE n"
        for batch in _batches(ids):
            self._execute(query, ids=batch)
            self._removed += len(batch)

    def _remove_edges(self, ids: Iterable[str]) -> None:
        query = "MATCH (:Remem {remem_owner: $owner})-[r]->() WHERE r.remem_id IN $ids DELETE r"
        for batch in _batches(ids):
            self._execute(query, ids=batch)
            self._removed += len(batch)

    def _write_nodes(
        self, labels: Sequence[str], nodes: Iterable[Node], digests: Mapping[str, str]
    ) -> None:
        label_text = "".join(f":{_quoted(label)}" for label in (_LABEL, *labels))
        query = f"UNWIND $rows AS row CREATE (n{label_text}) SET n = row"
        rows = (
            {
                **_plain_properties(node.properties),
                "remem_id": str(node.id),
                "remem_owner": self._owner,
                "remem_digest": digests[str(node.id)],
            }
            for node in nodes
        )
        self._write_batches(query, rows)

    def _write_edges(self, type_: str, edges: Iterable[tuple[str, Relationship]]) -> None:
        query = (
            "UNWIND $rows AS row MATCH (a:Remem {remem_owner: $owner, remem_id: row.start}), "
            "(b:Remem {remem_owner: $owner, remem_id: row.end}) "
            f"CREATE (a)-[r:{_quoted(type_)}]->(b) SET r = row.properties"
        )
        rows = (
            {
                "start": str(edge.start),
                "end": str(edge.end),
                "properties": {**_plain_properties(edge.properties), "remem_id": id_},
            }
            for id_, edge in edges
        )
        self._write_batches(query, rows)

    def _write_batches(self, query: str, rows: Iterable[dict[str, Any]]) -> None:
        for batch in _batches(rows):
            self._execute(query, rows=batch)
            self._written += len(batch)
            self._progress(f"{self._written} written")

    def _execute(self, query: str, **parameters: Any) -> list[Mapping[str, Any]]:
        return self._session.execute_write(
            lambda tx: [row.data() for row in tx.run(query, owner=self._owner, **parameters)]
        )


def _batches(items: Iterable[Any]) -> Iterator[list[Any]]:
    iterator = iter(items)
    while batch := list(islice(iterator, _BATCH)):
        yield batch


def _quoted(name: str) -> str:
    """Return a label or type in the quotes of Cypher, so that it may contain any character."""
    return "`" + name.replace("`", "``") + "`"


def _digest(*parts: Any) -> str:
    text = json.dumps([_jsonable(part) for part in parts], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _jsonable(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else value


def _edge_id(edge: Relationship) -> str:
    """Return an id that is the same for the same relationship in every copy."""
    return _digest(str(edge.start), edge.type, str(edge.end), edge.properties)


def _plain_properties(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return properties that a server can store: texts, numbers, and lists of them."""
    return {
        key: value
        for key, value in properties.items()
        if isinstance(value, str | int | float | bool | list)
    }
