"""Read-only Cypher: what queries answer, what is refused, and that limits stop them."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.graph.cypher.failures import CypherError, LimitReached
from remem.graph.cypher.limits import Limits
from remem.graph.cypher.run import run_query
from tests.memory_graph import MemoryGraph
from tests.tables import each_row

TCK = os.environ.get("REMEM_TCK", "")


@pytest.fixture
def graph() -> MemoryGraph:
    """Ann and Bo work at Acme, which uses Rust; Bo knows Ann; Cy is alone."""
    made = MemoryGraph()
    people = {
        name: made.add_node(["Person"], {"name": name, "age": age}, name)
        for name, age in (("Ann", 31), ("Bo", 45), ("Cy", None))
    }
    acme = made.add_node(["Company"], {"name": "Acme"}, "Acme")
    rust = made.add_node(["Tool"], {"name": "Rust"}, "Rust")
    for name, since in (("Ann", "2024-03-01"), ("Bo", "2020-01-01")):
        made.connect(people[name].id, "WORKS_AT", acme.id, {"since": since})
    made.connect(acme.id, "USES", rust.id, {})
    made.connect("Bo", "KNOWS", "Ann", {})
    return made


def rows(graph: MemoryGraph, query: str, **parameters: Any) -> list[tuple[Any, ...]]:
    return list(run_query(graph, query, parameters).rows)


@each_row(
    ("query", "expected"),
    [
        ("MATCH (p:Person) RETURN p.name ORDER BY p.name", [("Ann",), ("Bo",), ("Cy",)]),
        ("MATCH (p:Person) WHERE p.age > 40 RETURN p.name", [("Bo",)]),
        ("MATCH (p:Person) WHERE p.age IS NULL RETURN p.name", [("Cy",)]),
        ("MATCH (:Tool)<-[:USES]-(c)<-[:WORKS_AT]-(p) RETURN count(p)", [(2,)]),
        ("MATCH (p:Person) WHERE NOT (p)--() RETURN p.name", [("Cy",)]),
        ("MATCH (p {name: 'Ann'})-[*1..2]->(t:Tool) RETURN t.name", [("Rust",)]),
        ("MATCH (p:Person) OPTIONAL MATCH (p)-[:KNOWS]->(q) RETURN p.name, q.name ORDER BY p.name",
         [("Ann", None), ("Bo", "Ann"), ("Cy", None)]),
        ("MATCH (c)<-[r:WORKS_AT]-(p) WITH c, max(r.since) AS last RETURN c.name, last",
         [("Acme", "2024-03-01")]),
        ("UNWIND [3, 1, 2] AS x WITH x ORDER BY x DESC LIMIT 2 RETURN collect(x)", [([3, 2],)]),
        ("RETURN [x IN range(1, 5) WHERE x % 2 = 1 | x * x] AS squares", [([1, 9, 25],)]),
        ("RETURN any(x IN [1, null] WHERE x = 2) AS unknown", [(None,)]),
        ("MATCH (p:Person) WHERE exists((p)-[:KNOWS]->()) RETURN p.name", [("Bo",)]),
        ("RETURN toString(1e20) AS a, toString(0.5) AS b", [("1.0E20", "0.5")]),
        ("RETURN CASE WHEN 1 < 2 THEN 'yes' ELSE 'no' END AS answer", [("yes",)]),
        ("MATCH p = (:Person {name: 'Bo'})-->()-->() RETURN length(p) AS n ORDER BY n",
         [(2,), (2,)]),
        ("RETURN 1 AS x UNION RETURN 1 AS x UNION RETURN 2 AS x", [(1,), (2,)]),
        ("MATCH (p:Person) RETURN DISTINCT p:Person AS is_one", [(True,)]),
        ("MATCH (c:Company) RETURN [(c)<--(p) | p.age] AS ages", [([31, 45],)]),
        ("MATCH (c:Company) WHERE EXISTS { (c)-[:USES]->() } RETURN c {.name} AS c",
         [({"name": "Acme"},)]),
    ],
)  # fmt: skip
def test_a_query_answers(graph: MemoryGraph, query: str, expected: list[tuple[Any, ...]]) -> None:
    assert rows(graph, query) == expected


def test_values_are_bound_and_never_become_syntax(graph: MemoryGraph) -> None:
    hostile = "Ann' OR 1=1 //"
    assert rows(graph, "MATCH (p {name: $name}) RETURN p", name=hostile) == []
    assert rows(graph, "MATCH (p {name: $name}) RETURN p.age", name="Ann") == [(31,)]


@each_row(
    ("query", "detail", "said"),
    [
        ("CREATE (n)", "InvalidClauseComposition", "CREATE is not supported"),
        ("MATCH (n) SET n.x = 1", "InvalidClauseComposition", "SET is not supported"),
        ("MATCH (n) DETACH DELETE n", "InvalidClauseComposition", "DETACH is not supported"),
        ("CALL db.labels()", "InvalidClauseComposition", "CALL is not supported"),
        ("LOAD CSV FROM 'file:///etc/passwd' AS x RETURN x", "InvalidClauseComposition", "LOAD"),
        ("MATCH (n) RETURN apoc.load.json('file:///x')", "UnknownFunction", "apoc.load.json"),
        ("MATCH (n) WHERE n.name =~ '.*' RETURN n", "UnexpectedSyntax", "regular expressions"),
        ("MATCH (n) RETURN m", "UndefinedVariable", "m is not defined"),
        ("MATCH (n) RETURN", "UnexpectedSyntax", "the end of the query"),
        ("MATCH (n)", "InvalidClauseComposition", "RETURN"),
        ("RETURN $who", "MissingParameter", "$who"),
        ("RETURN size(1, 2)", "InvalidNumberOfArguments", "size()"),
        ("MATCH (n) WHERE count(n) > 1 RETURN n", "InvalidAggregation", "WHERE"),
        ("MATCH (n) RETURN ＭＡＴＣＨ", "UndefinedVariable", "ＭＡＴＣＨ"),
    ],
)
def test_what_is_refused_names_the_place(
    graph: MemoryGraph, query: str, detail: str, said: str
) -> None:
    with pytest.raises(CypherError) as refused:
        run_query(graph, query)
    assert refused.value.detail == detail
    assert said in str(refused.value)


@each_row(
    "query",
    [
        "UNWIND range(1, 1000) AS a UNWIND range(1, 1000) AS b UNWIND range(1, 1000) AS c RETURN a",
        "UNWIND range(1, 90000) AS a UNWIND range(1, 90000) AS b RETURN count(*)",
        "RETURN reduce(t = 0, x IN range(1, 90000) | t + size([y IN range(1, 900) | y])) AS t",
        "MATCH (a), (b), (c), (d), (e), (f), (g), (h), (i), (j), (k), (l) RETURN count(*)",
    ],
)
def test_a_runaway_query_is_stopped(graph: MemoryGraph, query: str) -> None:
    limits = Limits(seconds=0.3, values=200_000, rows=10**9)
    with pytest.raises(LimitReached):
        run_query(graph, query, limits=limits)


def test_too_many_rows_are_cut_and_reported(graph: MemoryGraph) -> None:
    result = run_query(graph, "UNWIND range(1, 100) AS x RETURN x", limits=Limits(rows=10))
    assert len(result.rows) == 10
    assert result.cut


@each_row("opening", ["(", "[", "NOT ", "-", "{a: ", "[x IN "])
def test_deep_nesting_is_refused(graph: MemoryGraph, opening: str) -> None:
    with pytest.raises(CypherError):
        run_query(graph, f"RETURN {opening * 3000}1")


_PIECES = st.sampled_from(
    "MATCH RETURN WHERE WITH UNWIND AS OR NOT IN ( ) [ ] { } : , . .. | + - * / = < > $ ' \" ` "
    "n r 1 2.5 null true count(*) (a) -[r]-> 'x' range(1,3) CREATE // /* */ \\ \u202e ﷽ 0x".split()
)


@given(st.lists(_PIECES, max_size=25).map(" ".join) | st.text(max_size=60))
def test_any_text_is_answered_or_refused(text: str) -> None:
    made = MemoryGraph()
    made.add_node(["A"], {"name": "a"})
    with suppress(CypherError):
        run_query(made, text, limits=Limits(seconds=2))


@pytest.mark.skipif(not TCK, reason="REMEM_TCK names no folder with openCypher's feature files")
def test_the_compatibility_kit_passes() -> None:
    from scripts import opencypher_tck

    assert opencypher_tck.share_passed(Path(TCK)) >= 0.99
