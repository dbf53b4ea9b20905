"""Read the graph of a scope from its passage database."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

import apsw

from remem.ports.graph import (
    NOTE_PREFIX,
    STATED,
    TAG,
    EdgeRow,
    FoundEdge,
    GraphPart,
    NodeDetail,
    NodeRow,
)

TABLE_NAMES: Final = ("graph_records", "graph_nodes", "graph_edges")
MARK_KEY: Final = "graph"
GENERATION_KEY: Final = "graph generation"
_IS_STATED: Final = (
    f"(EXISTS (SELECT 1 FROM graph_edges s WHERE s.end = n.id AND s.strength = {STATED} AND {{s}}) "
    "OR EXISTS (SELECT 1 FROM graph_edges s WHERE s.start = n.id AND {s}))"
)
IS_NAMED: Final = (
    f"(EXISTS (SELECT 1 FROM graph_edges s WHERE s.end = n.id AND s.strength >= {TAG} AND {{s}}) "
    "OR EXISTS (SELECT 1 FROM graph_edges s WHERE s.start = n.id AND {s}))"
)
"""The conditions that some relationship states something about the node `n`, or names it. `{s}` is
filled in with a condition on these relationships, `s`."""
_NODE_COLUMNS: Final = (
    "n.id, n.record, n.labels, n.name, n.folded, n.trust, n.valid_at, n.properties"
)
_NODE_WITH_LABELS: Final = (
    f"{_NODE_COLUMNS}, (SELECT group_concat(s.end, ' ') FROM graph_edges s "
    f"WHERE s.start = n.id AND s.type = '' AND {{s}}), n.record <> '' OR {_IS_STATED}"
)
_EDGE_COLUMNS: Final = (
    "e.start, e.type, e.end, e.trust, e.valid_at, e.invalid_at, e.created_at, e.expired_at, "
    "e.properties"
)


class GraphSnapshot:
    """Reads the graph through one connection."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._found_graph = False

    def mark(self) -> str:
        return self._meta(MARK_KEY)

    def generation(self) -> str:
        return self._meta(GENERATION_KEY)

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
        conditions, values = ["1"], _values_of_view(view)
        for column, value in equal.items():
            # the second condition lets SQLite use a partial index
            conditions.append(f"n.{column} = :{column} AND n.{column} <> ''")
            values[column] = value
        if labels:
            conditions.append(self._has_label(labels, values))
        if not set(equal) & {"id"}:
            is_named = IS_NAMED.format(s=_visible_edge("s", view))
            conditions.append(f"(n.record <> '' OR {is_named})")
        columns = _NODE_WITH_LABELS.format(s=_visible_edge("s", view))
        where = " AND ".join((*conditions, _visible_node("n", view)))
        rows = self._connection.execute(
            f"SELECT {columns} FROM graph_nodes n WHERE {where} ORDER BY n.rowid", values
        )
        yield from map(_node, rows)

    def edges(
        self, node: str, *, outgoing: bool, types: Sequence[str], view: GraphPart, need: NodeDetail
    ) -> Iterator[FoundEdge]:
        statement = _edges_of_node(outgoing, len(types), view, need)
        return self._edges(statement, need, _values_for(node, types, view))

    def degree(
        self, node: str, *, outgoing: bool, types: Sequence[str], view: GraphPart, loops: bool
    ) -> int:
        if not self._has_graph():
            return 0
        statement = _edges_of_node(outgoing, len(types), view, NodeDetail.ID)
        condition = "" if loops else "WHERE start <> end"
        count = f"SELECT count(*) FROM ({statement}) {condition}"
        rows = self._connection.execute(count, _values_for(node, types, view))
        return int(next(iter(rows))[0])

    def all_edges(self, view: GraphPart) -> Iterator[FoundEdge]:
        start_is_visible = (
            "EXISTS (SELECT 1 FROM graph_nodes a WHERE a.id = e.start "
            f"AND {_visible_node('a', view)})"
        )
        condition = f"e.type <> '' AND {start_is_visible}"
        statement = _edges_where(condition, "end", view, NodeDetail.LABELS)
        return self._edges(statement, NodeDetail.LABELS, _values_of_view(view))

    def _edges(
        self, statement: str, need: NodeDetail, values: Mapping[str, Any]
    ) -> Iterator[FoundEdge]:
        if not self._has_graph():
            return
        rows = self._connection.execute(statement, values)
        if need is NodeDetail.ID:
            for number, start, type_, end, other in rows:
                edge = EdgeRow(start, type_, end, "", "")
                yield FoundEdge(number, "", edge, NodeRow(other, (), ""))
            return
        for row in rows:
            edge = EdgeRow._make((*row[3:11], _loaded(row[11]), row[2]))
            yield FoundEdge(row[0], row[1], edge, _node(row[12:]))

    def _has_label(self, labels: Sequence[str], values: dict[str, Any]) -> str:
        """Return the condition that a node has one of the labels, and add its values to `values`.

        `Concept` and `Topic` are not stored, so their condition admits all nodes without a label.
        """
        rows = self._connection.execute("SELECT DISTINCT labels FROM graph_nodes")
        matching = [text for (text,) in rows if set(labels) & set(text.split())]
        if {"Concept", "Topic"} & set(labels):
            matching.append("")
        values["labels"] = json.dumps(matching)
        values["kinds"] = json.dumps(list(labels))
        return (
            "(n.labels IN (SELECT value FROM json_each(:labels)) OR n.id IN "
            "(SELECT k.start FROM graph_edges k WHERE k.type = '' "
            "AND k.end IN (SELECT value FROM json_each(:kinds))))"
        )

    def _has_graph(self) -> bool:
        if not self._found_graph:
            query = "SELECT 1 FROM sqlite_master WHERE name = ?"
            rows = self._connection.execute(query, [TABLE_NAMES[-1]])
            self._found_graph = next(iter(rows), None) is not None
        return self._found_graph


def _values_for(node: str, types: Sequence[str], view: GraphPart) -> dict[str, Any]:
    """Return the values of the statement that `_edges_of_node` returns."""
    parameters = {f"type{number}": type_ for number, type_ in enumerate(types)}
    return {**_values_of_view(view), "node": node, **parameters}


@lru_cache(maxsize=100)
def _edges_of_node(outgoing: bool, type_count: int, view: GraphPart, need: NodeDetail) -> str:
    """Return the statement for the relationships of a node.

    If `type_count` is not 0, it is for those that have one of so many types.
    """
    near_end, far_end = ("start", "end") if outgoing else ("end", "start")
    types = ", ".join(f":type{number}" for number in range(type_count))
    condition = f"e.type IN ({types})" if types else "e.type <> ''"
    return _edges_where(f"e.{near_end} = :node AND {condition}", far_end, view, need)


def _edges_where(condition: str, far_end: str, view: GraphPart, need: NodeDetail) -> str:
    """Return the statement for relationships that meet a condition.

    The nodes are those at their `far_end`.
    """
    all_columns = f"e.number, e.record, e.strength, {_EDGE_COLUMNS}"
    columns = {
        NodeDetail.ID: "e.number, e.start, e.type, e.end, n.id",
        NodeDetail.PROPERTIES: f"{all_columns}, {_NODE_COLUMNS}, NULL, 1",
        NodeDetail.LABELS: f"{all_columns}, {_NODE_WITH_LABELS}",
    }[need]
    return (
        f"SELECT {columns.format(s=_visible_edge('s', view))} FROM graph_edges e "
        f"CROSS JOIN graph_nodes n ON n.id = e.{far_end} WHERE {condition} "
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
    """Return the condition that a view shows a node."""
    parts = [] if view.untrusted else [f"{alias}.trust <> 'untrusted'"]
    if view.as_of is not None:
        parts.append(f"{alias}.valid_at <= :as_of")
    return " AND ".join(parts) or "1"


def _values_of_view(view: GraphPart) -> dict[str, Any]:
    return {} if view.as_of is None else {"as_of": view.as_of}


def _node(row: Sequence[Any]) -> NodeRow:
    id_, _, labels, name, folded, trust, valid_at, properties, kinds, stated = row
    if labels or kinds:
        all_labels = tuple(dict.fromkeys(f"{labels} {kinds or ''}".split()))
    else:
        all_labels = ("Concept",) if stated else ("Topic",)
    return NodeRow(id_, all_labels, name, folded, trust, valid_at, _loaded(properties))


def _loaded(properties: str) -> dict[str, Any]:
    return {} if properties == "{}" else json.loads(properties)
