"""Which entries hold the question's words? Full text, ranked by BM25.

Live entries have a table of their own, so that archived and untrusted text cannot
change the order of what is trusted, not even through its statistics.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import apsw

from remem.core.filter import Filter
from remem.stores.sqlite.rows import compact

_WEIGHTS: Final = "1.0, 0.6, 0.8"  # content, context, tags


def matches(
    connection: apsw.Connection, terms: Sequence[str], where: Filter, limit: int
) -> tuple[list[tuple[int, float]], int]:
    """The best rows with their scores (higher is better), and how many there are in all."""
    if not terms:
        return [], 0
    found, total = _search(connection, "memory_fts", terms, where, limit)
    if not where.only_live:
        aside, more = _search(connection, "memory_fts_aside", terms, where, limit)
        found = sorted(found + aside, key=lambda hit: -hit[1])[:limit]
        total += more
    return found, total


def _search(
    connection: apsw.Connection, table: str, terms: Sequence[str], where: Filter, limit: int
) -> tuple[list[tuple[int, float]], int]:
    match = " OR ".join(map(quoted, terms))
    condition, values = conditions(where)
    source = table
    if condition:
        source = f"{table} CROSS JOIN memory_entries e ON e.row = {table}.rowid"
        condition = f" AND {condition}"
    hits = f"FROM {source} WHERE {table} MATCH ?{condition}"
    rows = connection.execute(
        f"SELECT {table}.rowid, -bm25({table}, {_WEIGHTS}) AS score {hits} "
        f"ORDER BY score DESC, {table}.rowid LIMIT ?",
        [match, *values, limit],
    )
    found = list(rows)
    if len(found) < limit:
        return found, len(found)
    return found, next(iter(connection.execute(f"SELECT count(*) {hits}", [match, *values])))[0]


def aside(
    connection: apsw.Connection, terms: Sequence[str], condition: str, limit: int
) -> list[int]:
    """Rows that are not live and meet a condition over `memory_entries e`, the best first."""
    found = connection.execute(
        "SELECT memory_fts_aside.rowid FROM memory_fts_aside "
        "CROSS JOIN memory_entries e ON e.row = memory_fts_aside.rowid "
        f"WHERE memory_fts_aside MATCH ? AND {condition} "
        f"ORDER BY bm25(memory_fts_aside, {_WEIGHTS}), memory_fts_aside.rowid LIMIT ?",
        [" OR ".join(map(quoted, terms)), limit],
    )
    return [row for (row,) in found]


def newest(
    connection: apsw.Connection, where: Filter, span: tuple[str, str] | None, limit: int
) -> list[int]:
    """The rows that a filter admits, the most important and then the latest first."""
    condition, values = conditions(where)
    parts = [condition or "TRUE"]
    if where.only_live:
        parts.append("e.live = 1")
    if span:
        parts.append("e.created_at BETWEEN ? AND ?")
        values += span
    found = connection.execute(
        f"SELECT e.row FROM memory_entries e WHERE {' AND '.join(parts)} ORDER BY "
        "instr('critical high medium low', e.priority), e.created_at DESC, e.row DESC LIMIT ?",
        [*values, limit],
    )
    return [row for (row,) in found]


def conditions(where: Filter) -> tuple[str, list[Any]]:
    """A filter as SQL over `memory_entries e`; empty where the live table alone suffices."""
    parts: list[str] = []
    values: list[Any] = []
    if not where.only_live:
        if not where.include_archived:
            parts.append("e.archived = 0 AND e.superseded_by IS NULL")
        if not where.include_untrusted:
            parts.append("e.trust <> 'untrusted'")
    for column, allowed in (("category", where.categories), ("priority", where.priorities)):
        if allowed:
            parts.append(f"e.{column} IN (SELECT value FROM json_each(?))")
            values.append(compact(allowed))
    for tag in where.folded_tags:
        parts.append("e.row IN (SELECT row FROM memory_tags WHERE tag = ?)")
        values.append(tag)
    return " AND ".join(parts), values


def quoted(term: str) -> str:
    return '"' + term.replace('"', '""').replace("\0", " ") + '"'
