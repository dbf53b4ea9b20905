"""Graph queries against the same questions in bare SQL, on a graph with hubs and history.

The graph is stored as `memory_graph_query` reads it, and in indexed SQLite tables. Both answer the
same questions in turn; the answers are compared before they are timed. Then statements are ingested
into a memory, and queried there.
"""

from __future__ import annotations

import random
import sqlite3
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from time import process_time
from typing import Any, Final

from bench.timing import Timing, time_in_turn
from remem import open_workspace
from remem.graph.cypher.limits import Limits
from remem.graph.cypher.run import run_query
from remem.graph.stored_graph import StoredGraph
from remem.ports.graph import Contribution, EdgeRow, GraphPart, NodeRow
from remem.store.sqlite.passages import SqlitePassages

_TYPES: Final = ("USES", "KNOWS", "PART_OF", "WORKS_ON")
_QUESTIONS: Final = 200
_LIMITS: Final = Limits(seconds=60)
"""A busy machine needs longer than a user would wait."""
_STATEMENTS: Final = 5_000
_QUERIES: Final[dict[str, tuple[str, str]]] = {
    "one hop, now": (
        "MATCH (n {folded: $x})-[r:USES]->(m) WHERE r.invalid_at IS NULL RETURN m.name",
        "SELECT m.name FROM node n JOIN edge e ON e.src = n.id JOIN node m ON m.id = e.dst "
        "WHERE n.folded = ? AND e.type = 'USES' AND e.invalid_at IS NULL",
    ),
    "two hops": (
        "MATCH (n {folded: $x})-[:KNOWS]->()-[:USES]->(m) RETURN m.name",
        "SELECT m.name FROM node n JOIN edge e ON e.src = n.id AND e.type = 'KNOWS' "
        "JOIN edge f ON f.src = e.dst AND f.type = 'USES' JOIN node m ON m.id = f.dst "
        "WHERE n.folded = ?",
    ),
    "history of a node": (
        "MATCH (n {folded: $x})-[r]->(m) RETURN m.name, r.valid_at, r.invalid_at",
        "SELECT m.name, e.valid_at, e.invalid_at FROM node n JOIN edge e ON e.src = n.id "
        "JOIN node m ON m.id = e.dst WHERE n.folded = ?",
    ),
    "who points to a hub": (
        "MATCH (m)-[r:USES]->(n {folded: $x}) RETURN count(m)",
        "SELECT count(*) FROM node n JOIN edge e ON e.dst = n.id AND e.type = 'USES' "
        "WHERE n.folded = ?",
    ),
}


@dataclass(frozen=True, slots=True)
class GraphRun:
    """The times of the queries, and the processor time of loading, remem first.

    With a memory of so many `statements`: `tool` is a call of the tool if nothing has changed,
    against reading all entries; `after_write` the same after another statement was stored;
    `ingested` is ingesting one statement, against a bare insert that is committed.
    """

    nodes: int
    edges: int
    load: tuple[float, float]
    queries: dict[str, Timing]
    statements: int
    tool: Timing
    after_write: Timing
    ingested: Timing


def measure(nodes: int, edges: int, progress: Callable[[str], None]) -> GraphRun:
    source = random.Random(7)
    rows = [_edge(source, nodes) for _ in range(edges)]
    with tempfile.TemporaryDirectory() as folder:
        progress("loading")
        store = SqlitePassages(Path(folder, "passages.db"))
        start = process_time()
        _load(store, nodes, rows)
        ours = process_time() - start
        start = process_time()
        database = _stored(Path(folder, "bare.db"), nodes, rows)
        bare = process_time() - start
        timings = _time_queries(store, database, nodes, source, progress)
        store.close()
    progress("a memory")
    tool, after_write, ingested = _time_tool(source)
    return GraphRun(nodes, edges, (ours, bare), timings, _STATEMENTS, tool, after_write, ingested)


def _time_queries(
    store: SqlitePassages,
    database: sqlite3.Connection,
    nodes: int,
    source: random.Random,
    progress: Callable[[str], None],
) -> dict[str, Timing]:
    timings: dict[str, Timing] = {}
    for name, (query, sql) in _QUERIES.items():
        progress(name)

        def ask(asked: str, query: str = query) -> list[Any]:
            with store.read() as reader:
                graph = StoredGraph(reader.graph, GraphPart(history=True))
                return list(run_query(graph, query, {"x": asked}, _LIMITS).rows)

        def look_up(asked: str, sql: str = sql) -> list[Any]:
            return database.execute(sql, (asked,)).fetchall()

        hub = name == "who points to a hub"
        names = [f"n{(n % 20) if hub else source.randrange(nodes)}" for n in range(_QUESTIONS)]
        for asked in names[:20]:
            assert sorted(ask(asked), key=repr) == sorted(look_up(asked), key=repr), asked
        timings[name] = time_in_turn(ask, look_up, names)
    return timings


def _time_tool(source: random.Random) -> tuple[Timing, Timing, Timing]:
    """Time the tools on a memory, in turn with the bare parts."""
    with (
        tempfile.TemporaryDirectory() as folder,
        open_workspace(folder, keywords_only=True, background=False) as memory,
    ):
        memory.store_many(
            {"category": "fact", "content": f"[[n{start}]] uses [[n{end}]]"}
            for start, _, end, *_ in (_edge(source, _STATEMENTS) for _ in range(_STATEMENTS))
        )
        query = _QUERIES["one hop, now"][0]
        names = [f"n{source.randrange(_STATEMENTS)}" for _ in range(30)]
        numbers = count()
        bare = _stored(Path(folder, "bare.db"), 1, [])

        def ask(name: str) -> None:
            memory.graph.query(query, {"x": name})

        def ingest(name: str) -> None:
            statement = {"subject": name, "relation": "met", "object": f"m{next(numbers)}"}
            memory.graph.ingest([statement])

        def insert(name: str) -> None:
            row = (0, "MET", next(numbers), name, None)
            bare.execute("INSERT INTO edge VALUES (?, ?, ?, ?, ?)", row)
            bare.commit()

        def read_all(_: str) -> None:
            memory.entries(limit=None)

        tool = time_in_turn(ask, read_all, names)
        ingested = time_in_turn(ingest, insert, names)
        after_write = time_in_turn(_both(ingest, ask), _both(ingest, read_all), names)
        return tool, after_write, ingested


def _both(first: Callable[[str], None], second: Callable[[str], None]) -> Callable[[str], None]:
    def run(name: str) -> None:
        first(name)
        second(name)

    return run


def lines(run: GraphRun) -> list[str]:
    ours, bare = run.load
    found = [
        f"{run.nodes:,} nodes, {run.edges:,} relationships; "
        f"loading {ours / bare:.1f} × bare inserts",
        f"{'query':22} {'remem p50':>10} {'bare SQL':>10} {'ratio':>7} {'cpu':>7}",
    ]
    named = {
        **run.queries,
        f"tool, {run.statements:,} statements": run.tool,
        "tool after a write": run.after_write,
        "ingest one statement": run.ingested,
    }
    for name, timing in named.items():
        found.append(
            f"{name:22} {timing.p50:>7.2f} ms {timing.bare_p50:>7.2f} ms "
            f"{timing.ratio:>7.1f} {timing.cpu_ratio:>7.1f}"
        )
    return [
        *found,
        "(bare: reading all entries, the same after a write, a committed insert)",
    ]


def _edge(source: random.Random, nodes: int) -> tuple[int, str, int, str, str | None]:
    """Return a relationship; a few nodes get most of them."""
    target = min(nodes - 1, int(source.paretovariate(0.5)) - 1)
    year = source.randrange(2015, 2026)
    ended = f"{year + 1}-01-01" if source.random() < 0.2 else None
    return source.randrange(nodes), source.choice(_TYPES), target, f"{year}-01-01", ended


def _load(
    store: SqlitePassages, nodes: int, rows: list[tuple[int, str, int, str, str | None]]
) -> None:
    """Store a graph as a refresh does: one record for each relationship."""
    things = [
        NodeRow(f"n{number}", (), f"n{number}", f"n{number}", shared=True)
        for number in range(nodes)
    ]
    records = {
        f"entry:mem-{number:08}": Contribution(
            "-",
            (things[start], things[end]),
            (EdgeRow(f"n{start}", type_, f"n{end}", "owner", since, until, since, until),),
        )
        for number, (start, type_, end, since, until) in enumerate(rows)
    }
    store.write(lambda tx: tx.graph.replace("-", records, ()))


def _stored(
    path: Path, nodes: int, rows: list[tuple[int, str, int, str, str | None]]
) -> sqlite3.Connection:
    database = sqlite3.connect(path)
    database.executescript(
        "CREATE TABLE node (id INTEGER PRIMARY KEY, name TEXT, folded TEXT);"
        "CREATE TABLE edge (src INTEGER, type TEXT, dst INTEGER, valid_at TEXT, invalid_at TEXT);"
        "CREATE INDEX node_folded ON node (folded);"
        "CREATE INDEX edge_src ON edge (src, type); CREATE INDEX edge_dst ON edge (dst, type);"
    )
    names = ((number, f"n{number}", f"n{number}") for number in range(nodes))
    database.executemany("INSERT INTO node VALUES (?, ?, ?)", names)
    database.executemany("INSERT INTO edge VALUES (?, ?, ?, ?, ?)", rows)
    database.commit()
    return database
