"""The graph as its users meet it: relations in, questions answered, history kept, walls held."""

from __future__ import annotations

import json
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from remem import Origin, open_workspace
from remem.app.workspace import Workspace
from remem.errors import InvalidInput
from remem.search.answer.answer import answer_text

WORKS = {"subject": "Ann", "relation": "works at", "object": "Acme"}
ALL = "MATCH (a)-[r]->(b) RETURN a.name, type(r), b.name ORDER BY a.name, type(r), b.name"


@pytest.fixture
def memory(tmp_path: Path) -> Any:
    with open_workspace(tmp_path) as workspace:
        yield workspace


def relations(memory: Workspace, **view: Any) -> list[tuple[Any, ...]]:
    rows = memory.graph.query(ALL, **view).rows
    others = ("MENTIONS", "TAGGED", "STATED", "SUPERSEDES")
    return [row for row in rows if row[1] not in others]


def test_a_relation_is_a_memory_that_can_be_asked_for(memory: Workspace) -> None:
    (kept,) = memory.graph.ingest([WORKS]).kept
    assert memory.entry(kept.id).content == "[[Ann]] works at [[Acme]]"
    assert relations(memory) == [("Ann", "WORKS_AT", "Acme")]


def test_the_same_statement_twice_is_one(memory: Workspace) -> None:
    first, again = memory.graph.ingest([WORKS]), memory.graph.ingest([WORKS])
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
    memory.graph.ingest([statement])
    assert relations(memory) == [("Ann", "WORKS_AT", "Acme")]


def test_the_arguments_of_the_memory_server_are_understood_as_they_are(memory: Workspace) -> None:
    entities = [{"name": "Ann", "entityType": "person", "observations": ["speaks Thai"]}]
    observed = [{"entityName": "Ann", "contents": ["has a dog"]}]
    given = {"from": "Ann", "relationType": "works at", "to": "Acme"}
    kept = memory.graph.ingest(
        [{"entities": entities, "relations": [given]}, {"observations": observed}]
    ).kept
    assert len(kept) == 4
    assert relations(memory) == [("Ann", "WORKS_AT", "Acme")]


def test_entities_with_observations_are_understood(memory: Workspace) -> None:
    memory.graph.ingest([{"name": "Ann", "entityType": "person", "observations": ["speaks Thai"]}])
    assert memory.graph.query("MATCH (p:Person) RETURN p.name").rows == (("Ann",),)
    assert "speaks Thai" in memory.recall("Ann speaks").entries[0].content


@pytest.mark.parametrize(
    "statement", [{}, {"subject": "Ann"}, {"name": "Ann"}, {"subject": "Ann", "object": "B"}]
)
def test_what_cannot_be_understood_is_refused_before_anything_is_kept(
    memory: Workspace, statement: dict[str, str]
) -> None:
    with pytest.raises(InvalidInput, match="statement 2"):
        memory.graph.ingest([WORKS, statement])
    assert relations(memory) == []


def test_an_erased_statement_is_refused_before_anything_is_kept(memory: Workspace) -> None:
    lives = {"subject": "Ada", "relation": "lives in", "object": "Bern"}
    memory.erase(memory.graph.ingest([lives]).kept[0].id)

    with pytest.raises(InvalidInput, match="the owner has erased"):
        memory.graph.ingest([{"subject": "Bo", "relation": "lives in", "object": "Rome"}, lives])

    assert relations(memory) == []


def test_relations_stay_side_by_side_unless_the_owner_declares_one_single_valued(
    tmp_path: Path,
) -> None:
    moves = [
        {"subject": "Ann", "relation": "lives in", "object": city} for city in ("Bern", "Faro")
    ]
    with open_workspace(tmp_path) as memory:
        memory.graph.ingest(moves)
        assert [row[2] for row in relations(memory)] == ["Bern", "Faro"]
    (tmp_path / ".remem" / "config.toml").write_text('single_valued = ["lives_in"]\n')
    with open_workspace(tmp_path) as memory:
        (kept,) = memory.graph.ingest([{**moves[0], "object": "Porto"}]).kept
        assert len(kept.superseded) == 2
        memory.graph.ingest([{"subject": "Bo", "relation": "lives in", "object": "Rome"}])
        now = [row[::2] for row in relations(memory) if row[1] == "LIVES_IN"]
        assert now == [("Ann", "Porto"), ("Bo", "Rome")]
        ended = [row[2] for row in relations(memory, history=True) if row[1] == "LIVES_IN"]
        assert sorted(ended) == ["Bern", "Faro", "Porto", "Rome"]


def test_the_past_can_be_asked_for(memory: Workspace) -> None:
    (old,) = memory.graph.ingest([{**WORKS, "valid_at": "2024-01-01"}]).kept
    new = {**WORKS, "object": "Beta", "valid_at": "2025-06-01", "supersedes": [old.id]}
    memory.graph.ingest([new])
    works = "MATCH (:Concept {name: 'Ann'})-[:WORKS_AT]->(c) RETURN c.name"
    assert memory.graph.query(works).rows == (("Beta",),)
    assert memory.graph.query(works, as_of="2024-12-31").rows == (("Acme",),)
    changes = memory.graph.view("changes", "Ann")
    assert [row[3] for row in changes.rows if row[2] == "WORKS_AT"] == ["Acme", "Beta"]


def test_what_is_forgotten_or_untrusted_is_not_in_the_graph(memory: Workspace) -> None:
    (kept,) = memory.graph.ingest([WORKS]).kept
    memory.forget(kept.id)
    memory.store(category="fact", content="[[Eve]] owns [[Acme]]", trust="untrusted")
    assert relations(memory) == []
    assert relations(memory, untrusted=True) == [("Eve", "OWNS", "Acme")]


def test_views_answer_without_cypher(memory: Workspace) -> None:
    memory.graph.ingest([WORKS, {"subject": "Acme", "relation": "uses", "object": "Rust"}])
    assert memory.graph.view("path", "ann", "Rust").rows == (
        (["Ann", "Acme", "Rust"], ["WORKS_AT", "USES"]),
    )
    shown = {(row[1], row[2]) for row in memory.graph.view("show", "Acme").rows}
    assert shown == {("USES", "Rust"), ("← WORKS_AT", "Ann")}
    assert ("Rust",) in {row[1:] for row in memory.graph.view("neighbours", "Ann").rows}
    with pytest.raises(InvalidInput, match="two names"):
        memory.graph.view("path", "Ann")


def test_a_path_is_sought_over_four_relations_and_says_so_if_there_is_none(
    memory: Workspace,
) -> None:
    names = ["Ann", "Acme", "Rust", "Bonn", "Rhine", "Basel"]
    memory.graph.ingest(
        [
            {"subject": subject, "relation": "uses", "object": object_}
            for subject, object_ in pairwise(names)
        ]
    )
    near = memory.graph.view("path", "Ann", "Rhine")
    assert (near.rows[0][0], near.notes) == (names[:5], ())
    far = memory.graph.view("path", "Ann", "Basel")
    assert (far.rows, far.notes) == ((), ("no connection of at most 4 relations was found",))


def test_an_empty_query_returns_the_schema_with_queries_that_run(memory: Workspace) -> None:
    memory.graph.ingest([WORKS])
    schema = memory.graph.query()
    assert ("type", "WORKS_AT", 1) in schema.rows
    for example in schema.examples:
        memory.graph.query(example)


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
        assert memory.graph.query(leads).rows[0][:2] == ("ann", "Atlas")
        days = "MATCH (e:Episode)-[:MENTIONS]->(x) RETURN e.name, x.name ORDER BY x.name"
        assert memory.graph.query(days).rows == (("2026-03-04", "Atlas"), ("2026-03-04", "ann"))
        facts_of = "MATCH (:Person)-[:HAS_FACT]->(f) RETURN f.text"
        assert memory.graph.query(facts_of).rows == (("Ann likes tea.",),)


def test_a_memory_is_connected_with_the_daily_note_that_it_was_taken_from(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "2026-03-04.md").write_text("The gateway moved to Bonn.\n")
    origin = Origin("memory/2026-03-04.md", 1)
    with open_workspace(tmp_path) as memory:
        memory.store(category="fact", content="The gateway moved to Bonn.", origin=origin)
        memory.store(category="fact", content="It is red.", origin=Origin("memory/2026-03-05.md"))
        found = "MATCH (m:Memory)-[:RECORDED_IN]->(e:Episode) RETURN m.text, e.path"
        assert memory.graph.query(found).rows == (
            ("The gateway moved to Bonn.", "memory/2026-03-04.md"),
        )
        ((_, relation, *_),) = memory.graph.view("show", "2026-03-04").rows
        assert relation == "← RECORDED_IN"


def test_a_view_says_which_name_is_unknown(memory: Workspace) -> None:
    memory.graph.ingest([WORKS])
    assert memory.graph.view("show", "Ann").notes == ()
    assert memory.graph.view("show", "Nobody").notes == ("nothing in the graph is called 'Nobody'",)
    path = memory.graph.view("path", "Ann", "Nobody")
    assert path.notes == ("nothing in the graph is called 'Nobody'",)


def test_a_past_statement_of_a_single_valued_relation_ended_when_the_next_one_began(
    tmp_path: Path,
) -> None:
    (tmp_path / ".remem").mkdir()
    (tmp_path / ".remem" / "config.toml").write_text('single_valued = ["works at"]\n')
    past = {"valid_at": "2019-01-01", **WORKS, "object": "Oldco"}
    older = {"valid_at": "2015-01-01", **WORKS, "object": "Firstco"}
    with open_workspace(tmp_path) as memory:
        now, then, before = memory.graph.ingest([WORKS, past, older]).kept
        assert (now.ended_by, then.ended_by, before.ended_by) == (None, now.id, now.id)
        assert relations(memory) == [("Ann", "WORKS_AT", "Acme")]
        assert ("Ann", "WORKS_AT", "Oldco") in relations(memory, as_of="2020-01-01")
        assert ("Ann", "WORKS_AT", "Acme") not in relations(memory, as_of="2020-01-01")


def test_rows_stop_at_the_budget_and_the_answer_says_so(memory: Workspace) -> None:
    answer = memory.graph.query(
        "UNWIND range(1, 500) AS x RETURN x, 'some words to fill the budget'", token_budget=300
    )
    assert 0 < len(answer.rows) < 500
    assert answer.left_out == 500 - len(answer.rows)
    assert answer.tokens <= 300
    assert "did not fit" in answer.notes[0]


@pytest.mark.parametrize(
    "query",
    [
        "",
        "RETURN 1 AS x",
        "UNWIND range(1, 500) AS x RETURN x, 'words'",
        "MATCH (n) RETURN n",
        "RETURN 1 AS `a rather long name of a column that takes some of the tokens`",
    ],
)
@pytest.mark.parametrize("budget", [100, 130, 300])
def test_the_whole_answer_fits_in_the_budget(memory: Workspace, query: str, budget: int) -> None:
    memory.graph.ingest(MOVES)
    answer = memory.graph.query(query, token_budget=budget)
    assert memory.services.deps.counter.count(answer_text(answer)) <= answer.tokens <= budget


def test_column_names_that_exceed_the_budget_are_refused(memory: Workspace) -> None:
    with pytest.raises(InvalidInput, match="names of the columns do not fit in 100 tokens"):
        memory.graph.query(f"RETURN 1 AS `{' y' * 200}`", token_budget=100)


MOVES = [{"subject": "Ann", "relation": "works at", "object": name} for name in ("Acme", "Beta")]


def test_statements_that_may_replace_others_wait_for_the_owner(memory: Workspace) -> None:
    old, new = (kept.id for kept in memory.graph.ingest(MOVES).kept)
    (conflict,) = memory.graph.conflicts()
    assert {conflict.newer.id, conflict.older.id} == {old, new}
    memory.graph.settle(conflict.newer.id, conflict.older.id, replaces=True)
    assert memory.entry(conflict.older.id).superseded_by == conflict.newer.id
    assert memory.graph.conflicts() == []


def test_a_relation_of_which_both_statements_are_true_is_not_asked_about_again(
    memory: Workspace,
) -> None:
    memory.graph.ingest(MOVES)
    (conflict,) = memory.graph.conflicts()
    memory.graph.settle(conflict.newer.id, conflict.older.id, replaces=False)
    memory.graph.ingest([{**MOVES[0], "subject": "Bo"}, {**MOVES[1], "subject": "Bo"}])
    assert memory.graph.conflicts() == []
    assert len(relations(memory)) == 4
    with pytest.raises(InvalidInput, match="not proposed"):
        memory.graph.settle(conflict.newer.id, conflict.older.id, replaces=True)


def test_a_relation_with_many_objects_is_not_asked_about(memory: Workspace) -> None:
    known = [{"subject": "Ann", "relation": "knows", "object": name} for name in ("Bo", "Cy", "Di")]
    memory.graph.ingest([*known, {"subject": "Bo", "relation": "knows", "object": "Cy"}])
    assert memory.graph.conflicts() == []


def test_what_builds_on_a_replaced_memory_is_marked_everywhere(memory: Workspace) -> None:
    old = memory.store(category="fact", content="The ferry leaves at nine.").id
    plan = memory.store(
        category="project", content="Pack the van before [[Harbour]] opens.", related_to=[old]
    ).id
    memory.store(category="fact", content="The ferry leaves at six now.", supersedes=[old])
    (recalled,) = (entry for entry in memory.recall("pack the van").entries if entry.id == plan)
    assert recalled.possibly_outdated == old
    assert memory.recall(plan).entries[0].possibly_outdated == old
    marked = "MATCH (m:Memory)-[r:MENTIONS]->(x) RETURN m.possibly_outdated, r.possibly_outdated"
    assert memory.graph.query(marked).rows == ((old, old),)
    assert [(entry.id, base) for entry, base in memory.graph.outdated()] == [(plan, old)]
    time.sleep(1.1)  # times are in seconds
    memory.edit(plan, content="Pack the van at five.")
    assert memory.graph.outdated() == []
