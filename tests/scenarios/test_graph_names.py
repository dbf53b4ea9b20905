"""Names of things in the graph are merged and separated by statements, in every store."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from remem import open_workspace
from remem.app.workspace import Workspace
from remem.errors import InvalidInput
from tests.commands import output_of
from tests.postgres import database_url

Open = Callable[..., Workspace]


@pytest.fixture(params=["sqlite", "postgresql"])
def opener(request: pytest.FixtureRequest, tmp_path: Path) -> Open:
    environment = {"HOME": str(tmp_path)}
    if request.param == "postgresql":
        environment["REMEM_STORE"] = f"{database_url()}&workspace=ws-{uuid4()}"
    return lambda **given: open_workspace(
        tmp_path, keywords_only=True, background=False, environment=environment, **given
    )


@pytest.fixture
def memory(opener: Open) -> Iterator[Workspace]:
    with opener() as opened:
        tell(opened, "Ann", "works at", "ACME Corp")
        tell(opened, "Bo", "works at", "Acme")
        yield opened


def tell(memory: Workspace, subject: str, relation: str, target: str) -> None:
    memory.graph.ingest([{"subject": subject, "relation": relation, "object": target}])


def workers(memory: Workspace, name: str) -> set[str]:
    query = "MATCH (c {folded: $name})<-[:WORKS_AT]-(p) RETURN p.name"
    return {row[0] for row in memory.graph.query(query, {"name": name}).rows}


def shown(memory: Workspace, name: str) -> set[str]:
    return {row[2] for row in memory.graph.view("show", name).rows if "WORKS_AT" in row[1]}


def test_merged_names_are_one_thing_until_they_are_separated(memory: Workspace) -> None:
    memory.graph.merge("ACME Corp", "Acme")
    assert workers(memory, "acme") == {"Ann", "Bo"}
    assert shown(memory, "ACME Corp") == shown(memory, "Acme") == {"Ann", "Bo"}
    tell(memory, "Cy", "works at", "acme corp")
    tell(memory, "Di", "works at", "Acme")
    assert workers(memory, "acme") == {"Ann", "Bo", "Cy", "Di"}

    (forgotten,) = memory.graph.split("acme corp").forgotten

    assert workers(memory, "acme") == {"Bo", "Di"}
    assert workers(memory, "acme corp") == {"Ann", "Cy"}
    assert memory.history(forgotten.id)[-1].entry.archived
    memory.graph.merge("Acme", "ACME Corp")  # the other way round
    assert workers(memory, "acme corp") == {"Ann", "Bo", "Cy", "Di"}
    assert workers(memory, "acme") == set()


def test_several_names_can_be_one(memory: Workspace) -> None:
    tell(memory, "Cy", "works at", "Acme Inc")
    memory.graph.merge("Acme Inc", "ACME Corp")
    memory.graph.merge("ACME Corp", "Acme")
    assert workers(memory, "acme") == {"Ann", "Bo", "Cy"}
    memory.graph.split("ACME Corp")
    assert workers(memory, "acme corp") == {"Ann", "Cy"}


def test_a_name_can_be_merged_with_an_entity(opener: Open, tmp_path: Path) -> None:
    area = tmp_path / "brain" / "areas" / "companies" / "acme"
    area.mkdir(parents=True)
    fact = {"id": "acme-001", "fact": "Acme makes anvils.", "timestamp": "2026-02-01"}
    (area / "items.json").write_text(json.dumps([fact | {"status": "active"}]))
    query = "MATCH (c:Company)<-[:WORKS_AT]-(p) RETURN c.name, p.name"
    with opener() as memory:
        tell(memory, "Ann", "works at", "ACME Corp")
        memory.graph.merge("ACME Corp", "acme")
        assert memory.graph.query(query).rows == (("acme", "Ann"),)
        memory.graph.split("ACME Corp")
        assert memory.graph.query(query).rows == ()


def test_only_trusted_statements_merge(memory: Workspace, opener: Open) -> None:
    content = "[[ACME Corp]] is the same as [[Acme]]"
    with opener(session="main") as other:
        other.store(category="fact", content=content, trust="untrusted")
    assert workers(memory, "acme") == {"Bo"}


@pytest.mark.parametrize(("name", "into"), [("Nobody", "Acme"), ("acme", "Acme")])
def test_what_cannot_be_merged_is_refused(memory: Workspace, name: str, into: str) -> None:
    with pytest.raises(InvalidInput):
        memory.graph.merge(name, into)
    with pytest.raises(InvalidInput):
        memory.graph.split(name)


def test_likely_names_are_proposed_until_somebody_decides(memory: Workspace) -> None:
    tell(memory, "Cy", "works at", "Acme Labs")  # only begins with the same word
    (pair,) = memory.graph.same_names()
    assert {pair.entity, pair.other} == {"ACME Corp", "Acme"}
    memory.graph.keep_apart("Acme", "ACME Corp")
    assert memory.graph.same_names() == []
    assert workers(memory, "acme") == {"Bo"}
    memory.graph.merge("ACME Corp", "Acme")  # after all
    assert memory.graph.same_names() == []
    memory.graph.split("ACME Corp")
    assert len(memory.graph.same_names()) == 1
    assert memory.graph.conflicts() == []


def test_the_command_merges_and_separates(tmp_path: Path) -> None:
    with open_workspace(tmp_path, keywords_only=True, background=False) as memory:
        tell(memory, "Ann", "works at", "ACME Corp")
        tell(memory, "Bo", "works at", "Acme")
    assert "is the same as" in output_of(tmp_path, "graph", "merge", "ACME Corp", "Acme")
    assert {"Ann", "Bo"} <= set(output_of(tmp_path, "graph", "show", "acme corp").split())
    assert "forgotten" in output_of(tmp_path, "graph", "split", "ACME Corp")
    assert "Ann" not in output_of(tmp_path, "graph", "show", "Acme").split()
