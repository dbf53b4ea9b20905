"""Graph queries against the same questions in bare SQL, on a graph with hubs and history.

The graph is held in memory, as `memory_graph_query` derives it, and in indexed SQLite tables. Both
answer the same questions in turn; the answers are compared before they are timed.
"""

from __future__ import annotations

import random
import sqlite3
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from time import process_time
from typing import Any, Final

from bench.timing import Timing, time_in_turn
from remem import open_workspace
from remem.graph.cypher.run import run_query
from remem.graph.memory_graph import MemoryGraph

_TYPES: Final = ("USES", "KNOWS", "PART_OF", "WORKS_ON")
_QUESTIONS: Final = 200
_ENTRIES: Final = 5_000
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

    `derived` is a whole call of the tool on a memory with so many `entries`, against reading them.
    """

    nodes: int
    edges: int
    load: tuple[float, float]
    entries: int
    derived: Timing
    queries: dict[str, Timing]


def measure(nodes: int, edges: int, progress: Callable[[str], None]) -> GraphRun:
    source = random.Random(7)
    rows = [_edge(source, nodes) for _ in range(edges)]
    progress("loading")
    start = process_time()
    graph = _loaded(nodes, rows)
    ours = process_time() - start
    start = process_time()
    database = _stored(nodes, rows)
    bare = process_time() - start
    timings: dict[str, Timing] = {}
    for name, (query, sql) in _QUERIES.items():
        progress(name)
        ask, look_up = _askers(graph, database, query, sql)
        hub = name == "who points to a hub"
        names = [f"n{(n % 20) if hub else source.randrange(nodes)}" for n in range(_QUESTIONS)]
        for asked in names[:20]:
            assert sorted(ask(asked)) == sorted(look_up(asked)), f"{name}: {asked}"
        timings[name] = time_in_turn(ask, look_up, names)
    progress("a memory")
    return GraphRun(nodes, edges, (ours, bare), _ENTRIES, _time_tool(source), timings)


def _time_tool(source: random.Random) -> Timing:
    """Time the tool on a memory: it derives the graph from the entries for each query."""
    with (
        tempfile.TemporaryDirectory() as folder,
        open_workspace(folder, keywords_only=True, background=False) as memory,
    ):
        memory.store_many(
            {"category": "fact", "content": f"[[n{start}]] uses [[n{end}]]"}
            for start, _, end, *_ in (_edge(source, _ENTRIES) for _ in range(_ENTRIES))
        )
        query = _QUERIES["one hop, now"][0]
        return time_in_turn(
            lambda name: memory.graph_query(query, {"x": name}),
            lambda _: memory.entries(limit=None),
            [f"n{source.randrange(_ENTRIES)}" for _ in range(20)],
        )


def lines(run: GraphRun) -> list[str]:
    ours, bare = run.load
    found = [
        f"{run.nodes:,} nodes, {run.edges:,} relationships; "
        f"loading {ours / bare:.1f} × bare inserts",
        f"{'query':22} {'remem p50':>10} {'bare SQL':>10} {'ratio':>7} {'cpu':>7}",
    ]
    for name, timing in run.queries.items():
        found.append(
            f"{name:22} {timing.p50:>7.2f} ms {timing.bare_p50:>7.2f} ms "
            f"{timing.ratio:>7.1f} {timing.cpu_ratio:>7.1f}"
        )
    found.append(
        f"the tool on {run.entries:,} statements: {run.derived.p50:.0f} ms, "
        f"{run.derived.ratio:.1f} × reading the entries"
    )
    return found


def _edge(source: random.Random, nodes: int) -> tuple[int, str, int, str, str | None]:
    """Return a relationship; a few nodes get most of them."""
    target = min(nodes - 1, int(source.paretovariate(0.5)) - 1)
    year = source.randrange(2015, 2026)
    ended = f"{year + 1}-01-01" if source.random() < 0.2 else None
    return source.randrange(nodes), source.choice(_TYPES), target, f"{year}-01-01", ended


def _loaded(nodes: int, rows: list[tuple[int, str, int, str, str | None]]) -> MemoryGraph:
    graph = MemoryGraph()
    for number in range(nodes):
        name = f"n{number}"
        graph.add_node({"Concept"}, {"name": name, "folded": name}, name)
    for start, type_, end, since, until in rows:
        times = {"valid_at": since, "invalid_at": until, "record": "mem-00000000"}
        graph.connect(f"n{start}", type_, f"n{end}", times)
    return graph


def _stored(nodes: int, rows: list[tuple[int, str, int, str, str | None]]) -> sqlite3.Connection:
    database = sqlite3.connect(":memory:")
    database.executescript(
        "CREATE TABLE node (id INTEGER PRIMARY KEY, name TEXT, folded TEXT);"
        "CREATE TABLE edge (src INTEGER, type TEXT, dst INTEGER, valid_at TEXT, invalid_at TEXT);"
        "CREATE INDEX node_folded ON node (folded);"
        "CREATE INDEX edge_src ON edge (src, type); CREATE INDEX edge_dst ON edge (dst, type);"
    )
    names = ((number, f"n{number}", f"n{number}") for number in range(nodes))
    database.executemany("INSERT INTO node VALUES (?, ?, ?)", names)
    database.executemany("INSERT INTO edge VALUES (?, ?, ?, ?, ?)", rows)
    return database


def _askers(
    graph: MemoryGraph, database: sqlite3.Connection, query: str, sql: str
) -> tuple[Callable[[str], list[Any]], Callable[[str], list[Any]]]:
    def ask(name: str) -> list[Any]:
        return list(run_query(graph, query, {"x": name}).rows)

    def look_up(name: str) -> list[Any]:
        return database.execute(sql, (name,)).fetchall()

    return ask, look_up
