"""The stored graph reads only what a query needs, and gives the answers of a graph in memory."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from remem.graph.cypher.match import Graph
from remem.graph.cypher.run import run_query
from remem.graph.stored_graph import StoredGraph
from remem.ports.graph import Contribution, EdgeRow, GraphPart, NodeRow
from remem.store.sqlite.passages import SqlitePassages
from tests.memory_graph import MemoryGraph

NAMES = [f"n{number}" for number in range(12)]
TYPES = ("USES", "KNOWS", "PART_OF")
LABELS = ("Person", "Tool")
QUERIES = [
    "MATCH (n {folded: $x})-[r:USES]->(m) RETURN m.name",
    "MATCH (n {folded: $x})-[:KNOWS]->()-[:USES]->(m) RETURN m.name",
    "MATCH (n {folded: $x})-[r]->(m) RETURN m.name, r.valid_at, labels(m)",
    "MATCH (m)-[r:USES]->(n {folded: $x}) RETURN count(m)",
    "MATCH (n {folded: $x})--() RETURN count(*)",
    "MATCH (n {folded: $x})-->(m) RETURN count(DISTINCT m)",
    "MATCH (n:Tool {folded: $x})<--(m) RETURN count(r)".replace("<--", "<-[r]-"),
    "MATCH (n {folded: $x})--(m:Person) RETURN count(m)",
    "MATCH (n {folded: $x})-->(m) MATCH (m:Tool)-->(o) RETURN o.name",
    "MATCH (n {folded: $x})-[*1..2]->(m) RETURN m.folded, m:Tool",
    "MATCH p = (n {folded: $x})-->()-->(m) RETURN [k IN nodes(p) | k.name], "
    "[k IN nodes(p) | labels(k)], [r IN relationships(p) | r.valid_at]",
    "MATCH (n {folded: $x})-[r]->(m) WITH m AS k, r AS s RETURN k.name, type(s), s.valid_at",
    "MATCH (n {folded: $x}) WHERE (n)-[:USES]->(:Tool) RETURN n.name",
    "MATCH (n {folded: $x}) RETURN [(n)-[r]->(m) WHERE m:Tool | m.name + r.valid_at]",
    "MATCH (n {folded: $x})-[r]->() RETURN startNode(r).name, endNode(r).name, labels(endNode(r))",
    "MATCH (n {folded: $x}) RETURN EXISTS { (n)-->(m) WHERE m.name = 'n3' }, COUNT { (n)--() }",
]


@pytest.fixture(scope="module")
def graphs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Graph, Graph]]:
    """The same graph, in memory and stored; it has loops and several relationships of a pair."""
    source = random.Random(3)
    memory, records = MemoryGraph(), {}
    for name in NAMES:
        label = source.choice(LABELS)
        memory.add_node([label], {"name": name, "folded": name}, name)
        node = NodeRow(name, (label,), name, name)
        records[f"entity:{name}"] = Contribution("-", (node,))
    for number in range(60):
        start, end = source.choices(NAMES, k=2)
        type_, day = source.choice(TYPES), f"2026-01-{source.randrange(1, 28):02}"
        memory.connect(start, type_, end, {"valid_at": day})
        edge = EdgeRow(start, type_, end, "owner", day)
        records[f"entry:{number}"] = Contribution("-", (), (edge,))
    store = SqlitePassages(Path(tmp_path_factory.mktemp("graph"), "passages.db"))
    store.write(lambda tx: tx.graph.replace("-", records, ()))
    with store.read() as reader:
        yield memory, StoredGraph(reader.graph, GraphPart())
    store.close()


@pytest.mark.parametrize("query", QUERIES)
def test_answers_are_those_of_a_graph_in_memory(graphs: tuple[Graph, Graph], query: str) -> None:
    def answers(graph: Graph) -> list[list[Any]]:
        found = [run_query(graph, query, {"x": name}).rows for name in NAMES]
        return [sorted(rows, key=repr) for rows in found]

    memory, stored = graphs
    assert answers(stored) == answers(memory)
    assert any(answers(memory))
