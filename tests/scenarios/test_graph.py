"""The graph as its users meet it: relations in, questions answered, history kept, walls held."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from remem import open_workspace
from remem.app.workspace import Workspace
from remem.errors import InvalidInput

WORKS = {"subject": "Ann", "relation": "works at", "object": "Acme"}
ALL = "MATCH (a)-[r]->(b) RETURN a.name, type(r), b.name ORDER BY a.name, type(r), b.name"


@pytest.fixture
def memory(tmp_path: Path) -> Any:
    with open_workspace(tmp_path) as workspace:
        yield workspace


def relations(memory: Workspace, **view: Any) -> list[tuple[Any, ...]]:
    rows = memory.graph_query(ALL, **view).rows
    return [row for row in rows if row[1] not in ("MENTIONS", "TAGGED", "STATED")]


def test_a_relation_is_a_memory_that_can_be_asked_for(memory: Workspace) -> None:
    (kept,) = memory.graph_ingest([WORKS]).kept
    assert memory.entry(kept.id).content == "[[Ann]] works at [[Acme]]"
    assert relations(memory) == [("Ann", "WORKS_AT", "Acme")]


def test_the_same_statement_twice_is_one(memory: Workspace) -> None:
    first, again = memory.graph_ingest([WORKS]), memory.graph_ingest([WORKS])
    assert again.kept[0].known
    assert again.kept[0].id == first.kept[0].id


@pytest.mark.parametrize(
    "statement",
    [
        {"subject": "Ann", "predicate": "works at", "object_value": "Acme"},
        {"from": "Ann", "relationType": "works at", "to": "Acme"},
        {"source": "Ann", "relationType": "works at", "target": "Acme"},
        {"source_node_name": "Ann", "edge_name": "works at", "target_node_name": "Acme"},
    ],
)
def test_the_forms_of_other_servers_are_understood(
    memory: Workspace, statement: dict[str, str]
) -> None:
    memory.graph_ingest([statement])
    assert relations(memory) == [("Ann", "WORKS_AT", "Acme")]


def test_entities_with_observations_are_understood(memory: Workspace) -> None:
    memory.graph_ingest([{"name": "Ann", "entityType": "person", "observations": ["speaks Thai"]}])
    assert memory.graph_query("MATCH (p:Person) RETURN p.name").rows == (("Ann",),)
    assert "speaks Thai" in memory.recall("Ann speaks").entries[0].content


@pytest.mark.parametrize(
    "statement", [{}, {"subject": "Ann"}, {"name": "Ann"}, {"subject": "Ann", "object": "B"}]
)
def test_what_cannot_be_understood_is_refused_before_anything_is_kept(
    memory: Workspace, statement: dict[str, str]
) -> None:
    with pytest.raises(InvalidInput, match="statement 2"):
        memory.graph_ingest([WORKS, statement])
    assert relations(memory) == []


def test_relations_stay_side_by_side_unless_the_owner_declares_one_single_valued(
    tmp_path: Path,
) -> None:
    moves = [
        {"subject": "Ann", "relation": "lives in", "object": city} for city in ("Bern", "Faro")
    ]
    with open_workspace(tmp_path) as memory:
        memory.graph_ingest(moves)
        assert [row[2] for row in relations(memory)] == ["Bern", "Faro"]
    (tmp_path / ".remem" / "config.toml").write_text('single_valued = ["lives_in"]\n')
    with open_workspace(tmp_path) as memory:
        (kept,) = memory.graph_ingest([{**moves[0], "object": "Porto"}]).kept
        assert len(kept.superseded) == 2
        memory.graph_ingest([{"subject": "Bo", "relation": "lives in", "object": "Rome"}])
        now = [row[::2] for row in relations(memory) if row[1] == "LIVES_IN"]
        assert now == [("Ann", "Porto"), ("Bo", "Rome")]
        ended = [row[2] for row in relations(memory, history=True) if row[1] == "LIVES_IN"]
        assert sorted(ended) == ["Bern", "Faro", "Porto", "Rome"]


def test_the_past_can_be_asked_for(memory: Workspace) -> None:
    (old,) = memory.graph_ingest([{**WORKS, "valid_at": "2024-01-01"}]).kept
    new = {**WORKS, "object": "Beta", "valid_at": "2025-06-01", "supersedes": [old.id]}
    memory.graph_ingest([new])
    works = "MATCH (:Concept {name: 'Ann'})-[:WORKS_AT]->(c) RETURN c.name"
    assert memory.graph_query(works).rows == (("Beta",),)
    assert memory.graph_query(works, as_of="2024-12-31").rows == (("Acme",),)
    changes = memory.graph_view("changes", "Ann")
    assert [row[3] for row in changes.rows if row[2] == "WORKS_AT"] == ["Acme", "Beta"]


def test_what_is_forgotten_or_untrusted_is_not_in_the_graph(memory: Workspace) -> None:
    (kept,) = memory.graph_ingest([WORKS]).kept
    memory.forget(kept.id)
    memory.store(category="fact", content="[[Eve]] owns [[Acme]]", trust="untrusted")
    assert relations(memory) == []
    assert relations(memory, untrusted=True) == [("Eve", "OWNS", "Acme")]


def test_views_answer_without_cypher(memory: Workspace) -> None:
    memory.graph_ingest([WORKS, {"subject": "Acme", "relation": "uses", "object": "Rust"}])
    assert memory.graph_view("path", "ann", "Rust").rows == (
        (["Ann", "Acme", "Rust"], ["WORKS_AT", "USES"]),
    )
    shown = {(row[1], row[2]) for row in memory.graph_view("show", "Acme").rows}
    assert shown == {("USES", "Rust"), ("← WORKS_AT", "Ann")}
    assert ("Rust",) in {row[1:] for row in memory.graph_view("neighbours", "Ann").rows}
    with pytest.raises(InvalidInput, match="two names"):
        memory.graph_view("path", "Ann")


def test_an_empty_query_returns_the_schema_with_queries_that_run(memory: Workspace) -> None:
    memory.graph_ingest([WORKS])
    schema = memory.graph_query()
    assert ("type", "WORKS_AT", 1) in schema.rows
    for example in schema.examples:
        memory.graph_query(example)


def test_facts_and_daily_notes_are_part_of_mains_graph(tmp_path: Path) -> None:
    area = tmp_path / "brain" / "areas" / "people" / "ann"
    area.mkdir(parents=True)
    facts = [
        {"id": "ann-001", "fact": "Ann leads Atlas.", "timestamp": "2026-02-01", "status": "active",
         "relation": "leads", "object": "Atlas"},
        {"id": "ann-002", "fact": "Ann likes tea.", "timestamp": "2026-02-02", "status": "active"},
    ]  # fmt: skip
    (area / "items.json").write_text(json.dumps(facts))
    note = tmp_path / "memory" / "2026-03-04.md"
    note.parent.mkdir()
    note.write_text("Talked to Ann about [[Atlas]].\n")
    with open_workspace(tmp_path) as memory:
        leads = "MATCH (p:Person)-[r:LEADS]->(x) RETURN p.name, x.name, r.record"
        assert memory.graph_query(leads).rows[0][:2] == ("ann", "Atlas")
        days = "MATCH (e:Episode)-[:MENTIONS]->(x) RETURN e.name, x.name ORDER BY x.name"
        assert memory.graph_query(days).rows == (("2026-03-04", "Atlas"), ("2026-03-04", "ann"))
        facts_of = "MATCH (:Person)-[:HAS_FACT]->(f) RETURN f.text"
        assert memory.graph_query(facts_of).rows == (("Ann likes tea.",),)


def test_rows_stop_at_the_budget_and_the_answer_says_so(memory: Workspace) -> None:
    answer = memory.graph_query(
        "UNWIND range(1, 500) AS x RETURN x, 'some words to fill the budget'", token_budget=300
    )
    assert 0 < len(answer.rows) < 500
    assert answer.left_out == 500 - len(answer.rows)
    assert answer.tokens <= 300
    assert "did not fit" in answer.notes[0]
