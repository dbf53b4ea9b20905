"""The graph of a scope in its passage database, which is a projection too.

The tables are created when a graph is first written, so that a database without one needs no other
schema.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from secrets import token_hex
from typing import Any, Final

import apsw

from remem.ports.graph import (
    NOTE_PREFIX,
    STATED,
    TAG,
    Contribution,
    EdgeRow,
    FoundEdge,
    GraphPart,
    NodeDetail,
    NodeRow,
)

_TABLES: Final = (
    "CREATE TABLE IF NOT EXISTS graph_records (record TEXT PRIMARY KEY, digest TEXT NOT NULL) "
    "WITHOUT ROWID",
    """CREATE TABLE IF NOT EXISTS graph_nodes (
        id TEXT PRIMARY KEY,
        record TEXT NOT NULL,
        labels TEXT NOT NULL,
        name TEXT NOT NULL,
        folded TEXT NOT NULL,
        trust TEXT NOT NULL,
        valid_at TEXT NOT NULL,
        properties TEXT NOT NULL)""",
    """CREATE TABLE IF NOT EXISTS graph_edges (
        number INTEGER PRIMARY KEY,
        record TEXT NOT NULL,
        start TEXT NOT NULL,
        type TEXT NOT NULL,
        end TEXT NOT NULL,
        trust TEXT NOT NULL,
        valid_at TEXT NOT NULL,
        invalid_at TEXT,
        created_at TEXT,
        expired_at TEXT,
        properties TEXT NOT NULL,
        strength INTEGER NOT NULL)""",
    "CREATE INDEX IF NOT EXISTS graph_node_record ON graph_nodes(record)",
    "CREATE INDEX IF NOT EXISTS graph_node_folded ON graph_nodes(folded) WHERE folded <> ''",
    "CREATE INDEX IF NOT EXISTS graph_node_name ON graph_nodes(name)",
    "CREATE INDEX IF NOT EXISTS graph_node_labels ON graph_nodes(labels)",
    "CREATE INDEX IF NOT EXISTS graph_edge_start ON graph_edges(start, type)",
    "CREATE INDEX IF NOT EXISTS graph_edge_end ON graph_edges(end, type)",
    "CREATE INDEX IF NOT EXISTS graph_edge_record ON graph_edges(record)",
    f"CREATE INDEX IF NOT EXISTS graph_edge_stated ON graph_edges(end) WHERE strength = {STATED}",
)
_NAMES: Final = ("graph_records", "graph_nodes", "graph_edges")
_MARK: Final = "graph"
_GENERATION: Final = "graph generation"
_SHARED: Final = ""
"""The record of nodes that several records name."""
_IS_STATED: Final = (
    f"(EXISTS (SELECT 1 FROM graph_edges s WHERE s.end = n.id AND s.strength = {STATED} AND {{s}}) "
    "OR EXISTS (SELECT 1 FROM graph_edges s WHERE s.start = n.id AND {s}))"
)
_IS_NAMED: Final = (
    f"(EXISTS (SELECT 1 FROM graph_edges s WHERE s.end = n.id AND s.strength >= {TAG} AND {{s}}) "
    "OR EXISTS (SELECT 1 FROM graph_edges s WHERE s.start = n.id AND {s}))"
)
_STORED: Final = "n.id, n.record, n.labels, n.name, n.folded, n.trust, n.valid_at, n.properties"
_NODE: Final = (
    f"{_STORED}, (SELECT group_concat(s.end, ' ') FROM graph_edges s "
    f"WHERE s.start = n.id AND s.type = '' AND {{s}}), n.record <> '' OR {_IS_STATED}"
)
_EDGE: Final = (
    "e.start, e.type, e.end, e.trust, e.valid_at, e.invalid_at, e.created_at, e.expired_at, "
    "e.properties"
)


class GraphSnapshot:
    """Reads the graph through one connection."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._found_graph = False

    def mark(self) -> str:
        return self._meta(_MARK)

    def generation(self) -> str:
        return self._meta(_GENERATION)

    def _meta(self, key: str) -> str:
        rows = self._connection.execute("SELECT value FROM meta WHERE key = ?", [key])
        return next((str(value) for (value,) in rows), "")

    def digests(self) -> dict[str, str]:
        if not self._has_graph():
            return {}
        return dict(self._connection.execute("SELECT record, digest FROM graph_records"))

    def stated_names(self) -> dict[str, str]:
        if not self._has_graph():
            return {}
        stated = _IS_STATED.format(s=f"s.record NOT GLOB '{NOTE_PREFIX}*'")
        return dict(
            self._connection.execute(
                f"SELECT n.folded, n.id FROM graph_nodes n WHERE n.record = '' AND {stated}"
            )
        )

    def node(self, id_: str, view: GraphPart) -> NodeRow | None:
        return next(self.nodes((), {"id": id_}, view), None)

    def nodes(
        self, labels: Sequence[str], equal: Mapping[str, str], view: GraphPart
    ) -> Iterator[NodeRow]:
        if not self._has_graph():
            return
        conditions, values = ["1"], dict(_values(view))
        for column, value in equal.items():
            # the second condition is that of a partial index
            conditions.append(f"n.{column} = :{column} AND n.{column} <> ''")
            values[column] = value
        if labels:
            conditions.append(self._has_label(labels, values))
        if not set(equal) & {"id"}:
            is_named = _IS_NAMED.format(s=_visible_edge("s", view))
            conditions.append(f"(n.record <> '' OR {is_named})")
        columns = _NODE.format(s=_visible_edge("s", view))
        where = " AND ".join((*conditions, _visible_node("n", view)))
        rows = self._connection.execute(
            f"SELECT {columns} FROM graph_nodes n WHERE {where} ORDER BY n.rowid", values
        )
        yield from map(_node, rows)

    def edges(
        self, node: str, *, outgoing: bool, types: Sequence[str], view: GraphPart, need: NodeDetail
    ) -> Iterator[FoundEdge]:
        statement = _edges_of_node(outgoing, len(types), view, need)
        return self._edges(statement, need, _around(node, types, view))

    def degree(
        self, node: str, *, outgoing: bool, types: Sequence[str], view: GraphPart, loops: bool
    ) -> int:
        if not self._has_graph():
            return 0
        statement = _edges_of_node(outgoing, len(types), view, NodeDetail.ID)
        unless_loop = "" if loops else "WHERE start <> end"
        counted = f"SELECT count(*) FROM ({statement}) {unless_loop}"
        rows = self._connection.execute(counted, _around(node, types, view))
        return int(next(iter(rows))[0])

    def all_edges(self, view: GraphPart) -> Iterator[FoundEdge]:
        started = "EXISTS (SELECT 1 FROM graph_nodes a WHERE a.id = e.start AND {})"
        condition = f"e.type <> '' AND {started.format(_visible_node('a', view))}"
        statement = _edges_where(condition, "end", view, NodeDetail.LABELS)
        return self._edges(statement, NodeDetail.LABELS, dict(_values(view)))

    def _edges(
        self, statement: str, need: NodeDetail, values: Mapping[str, Any]
    ) -> Iterator[FoundEdge]:
        if not self._has_graph():
            return
        rows = self._connection.execute(statement, values)
        if need is NodeDetail.ID:
            for number, start, type_, end, far in rows:
                edge = EdgeRow(start, type_, end, "", "")
                yield FoundEdge(number, "", edge, NodeRow(far, (), ""))
            return
        for row in rows:
            edge = EdgeRow._make((*row[3:11], _loaded(row[11]), row[2]))
            yield FoundEdge(row[0], row[1], edge, _node(row[12:]))

    def _has_label(self, labels: Sequence[str], values: dict[str, Any]) -> str:
        """Return the condition that a node has one of the labels, or may have it."""
        stored = [text for (text,) in self._connection.execute(
            "SELECT DISTINCT labels FROM graph_nodes")]  # fmt: skip
        fixed = [text for text in stored if set(labels) & set(text.split())]
        shared = {"Concept", "Topic"} & set(labels)
        fixed += [""] if shared else []
        values["labels"] = json.dumps(fixed)
        values["kinds"] = json.dumps(list(labels))
        return (
            "(n.labels IN (SELECT value FROM json_each(:labels)) OR n.id IN "
            "(SELECT k.start FROM graph_edges k WHERE k.type = '' "
            "AND k.end IN (SELECT value FROM json_each(:kinds))))"
        )

    def _has_graph(self) -> bool:
        if not self._found_graph:
            query = "SELECT 1 FROM sqlite_master WHERE name = ?"
            rows = self._connection.execute(query, [_NAMES[-1]])
            self._found_graph = next(iter(rows), None) is not None
        return self._found_graph


class GraphChanges(GraphSnapshot):
    """Writes the graph through one connection."""

    def replace(
        self, mark: str, changed: Mapping[str, Contribution], removed: Iterable[str]
    ) -> None:
        for statement in _TABLES:
            self._connection.execute(statement)
        outdated = [(record,) for record in (*changed, *removed)]
        touched = self._things_of(outdated)
        for table in _NAMES:
            self._connection.executemany(f"DELETE FROM {table} WHERE record = ?", outdated)
        self._connection.executemany(
            "INSERT INTO graph_records VALUES (?, ?)",
            ((record, new.digest) for record, new in changed.items()),
        )
        self._connection.executemany(
            "INSERT INTO graph_nodes VALUES (?, ?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (id) DO UPDATE "
            "SET name = min(name, excluded.name), properties = excluded.properties",
            (_node_values(record, node) for record, new in changed.items() for node in new.nodes),
        )
        self._connection.executemany(
            "INSERT INTO graph_edges VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (record, *edge[:8], _compact(edge.properties), edge.strength)
                for record, new in changed.items()
                for edge in new.edges
            ),
        )
        self._remove_unnamed(touched)
        self._put(_MARK, mark)

    def clear(self) -> bool:
        had_graph = self._has_graph()
        for table in _NAMES if had_graph else ():
            self._connection.execute(f"DROP TABLE {table}")
        self._found_graph = False
        self._connection.execute("DELETE FROM meta WHERE key = ?", [_MARK])
        self._put(_GENERATION, token_hex(8))
        return had_graph

    def _put(self, key: str, value: str) -> None:
        self._connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", [key, value])

    def _things_of(self, records: Sequence[tuple[str]]) -> set[str]:
        things: set[str] = set()
        for record in records:
            rows = self._connection.execute(
                "SELECT start, end FROM graph_edges WHERE record = ?", record
            )
            things.update(id_ for row in rows for id_ in row)
        return things

    def _remove_unnamed(self, ids: Iterable[str]) -> None:
        """Remove the shared nodes, among some nodes, that no record names now."""
        is_named = _IS_NAMED.format(s="1")
        self._connection.executemany(
            f"DELETE FROM graph_nodes AS n WHERE n.id = ? AND n.record = '' AND NOT {is_named}",
            ((id_,) for id_ in ids),
        )


def _around(node: str, types: Sequence[str], view: GraphPart) -> dict[str, Any]:
    """Return the values of `_edges_of_node`."""
    parameters = {f"type{number}": type_ for number, type_ in enumerate(types)}
    return {**_values(view), "node": node, **parameters}


@lru_cache(maxsize=100)
def _edges_of_node(outgoing: bool, types: int, view: GraphPart, need: NodeDetail) -> str:
    """Return the statement for the relationships of a node that have one of some types."""
    near, far = ("start", "end") if outgoing else ("end", "start")
    names = ", ".join(f":type{number}" for number in range(types))
    condition = f"e.type IN ({names})" if types else "e.type <> ''"
    return _edges_where(f"e.{near} = :node AND {condition}", far, view, need)


def _edges_where(condition: str, far: str, view: GraphPart, need: NodeDetail) -> str:
    whole = f"e.number, e.record, e.strength, {_EDGE}"
    columns = {
        NodeDetail.ID: "e.number, e.start, e.type, e.end, n.id",
        NodeDetail.PROPERTIES: f"{whole}, {_STORED}, NULL, 1",
        NodeDetail.LABELS: f"{whole}, {_NODE}",
    }[need]
    return (
        f"SELECT {columns.format(s=_visible_edge('s', view))} FROM graph_edges e "
        f"CROSS JOIN graph_nodes n ON n.id = e.{far} WHERE {condition} "
        f"AND {_visible_edge('e', view)} AND {_visible_node('n', view)} ORDER BY e.number"
    )


def _visible_edge(alias: str, view: GraphPart) -> str:
    """Return the condition that a view shows a relationship."""
    parts = [] if view.untrusted else [f"{alias}.trust <> 'untrusted'"]
    if not view.history:
        parts.append(
            f"{alias}.expired_at IS NULL"
            if view.as_of is None
            else f"{alias}.valid_at <= :as_of AND ({alias}.invalid_at IS NULL "
            f"OR {alias}.invalid_at > :as_of)"
        )
    return " AND ".join(parts) or "1"


def _visible_node(alias: str, view: GraphPart) -> str:
    parts = [] if view.untrusted else [f"{alias}.trust <> 'untrusted'"]
    if view.as_of is not None:
        parts.append(f"{alias}.valid_at <= :as_of")
    return " AND ".join(parts) or "1"


def _values(view: GraphPart) -> dict[str, Any]:
    return {} if view.as_of is None else {"as_of": view.as_of}


def _node(row: Sequence[Any]) -> NodeRow:
    id_, _, labels, name, folded, trust, valid_at, properties, kinds, stated = row
    if labels or kinds:
        names = tuple(dict.fromkeys(f"{labels} {kinds or ''}".split()))
    else:
        names = ("Concept",) if stated else ("Topic",)
    return NodeRow(id_, names, name, folded, trust, valid_at, _loaded(properties))


def _node_values(record: str, node: NodeRow) -> tuple[Any, ...]:
    return (
        node.id,
        _SHARED if node.shared else record,
        " ".join(sorted(node.labels)),
        node.name,
        node.folded,
        node.trust,
        node.valid_at,
        _compact(node.properties),
    )


def _loaded(properties: str) -> dict[str, Any]:
    return {} if properties == "{}" else json.loads(properties)


def _compact(properties: Mapping[str, Any]) -> str:
    known = {key: value for key, value in properties.items() if value is not None}
    return json.dumps(known, ensure_ascii=False, separators=(",", ":")) if known else "{}"
