"""The tables of a scope's graph, in its passage database, and changes to them.

The tables are created when a graph is first written, so that a database without a graph does not
have them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from secrets import token_hex
from typing import Any, Final

from remem.ports.graph import STATED, Contribution, NodeRow
from remem.store.sqlite.graph_snapshot import (
    GENERATION_KEY,
    IS_NAMED,
    MARK_KEY,
    TABLE_NAMES,
    GraphSnapshot,
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
_SHARED: Final = ""
"""The value of the column `record` for nodes that several records name."""


class GraphChanges(GraphSnapshot):
    """Writes the graph through one connection."""

    def replace(
        self, mark: str, changed: Mapping[str, Contribution], removed: Iterable[str]
    ) -> None:
        for statement in _TABLES:
            self._connection.execute(statement)
        outdated = [(record,) for record in (*changed, *removed)]
        named_before = self._nodes_named_by(outdated)
        for table in TABLE_NAMES:
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
        self._remove_unnamed(named_before)
        self._put_meta(MARK_KEY, mark)

    def clear(self) -> bool:
        had_graph = self._has_graph()
        for table in TABLE_NAMES if had_graph else ():
            self._connection.execute(f"DROP TABLE {table}")
        self._found_graph = False
        self._connection.execute("DELETE FROM meta WHERE key = ?", [MARK_KEY])
        self._put_meta(GENERATION_KEY, token_hex(8))
        return had_graph

    def _put_meta(self, key: str, value: str) -> None:
        self._connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", [key, value])

    def _nodes_named_by(self, records: Sequence[tuple[str]]) -> set[str]:
        """Return the ids of the nodes at the ends of the relationships of some records."""
        nodes: set[str] = set()
        for record in records:
            rows = self._connection.execute(
                "SELECT start, end FROM graph_edges WHERE record = ?", record
            )
            nodes.update(id_ for row in rows for id_ in row)
        return nodes

    def _remove_unnamed(self, ids: Iterable[str]) -> None:
        """Remove those of some shared nodes that no record names now."""
        is_named = IS_NAMED.format(s="1")
        self._connection.executemany(
            f"DELETE FROM graph_nodes AS n WHERE n.id = ? AND n.record = '' AND NOT {is_named}",
            ((id_,) for id_ in ids),
        )


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


def _compact(properties: Mapping[str, Any]) -> str:
    present = {key: value for key, value in properties.items() if value is not None}
    return json.dumps(present, ensure_ascii=False, separators=(",", ":")) if present else "{}"
