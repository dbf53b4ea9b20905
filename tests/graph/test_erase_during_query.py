"""A query that runs while something is erased does not bring it back.

The erasing process is another workspace handle that acts at the worst moment: after the query has
read the records and before it stores the graph, or after that and before it reads the graph.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from remem import open_workspace
from remem.app.workspace import Workspace
from remem.graph.refresh import refresh
from remem.graph.sources import GraphSources
from tests.entries.traces import traces
from tests.postgres import database_url

STATEMENT = {"subject": "Zanzibar", "relation": "nests near", "object": "Quetzal"}
NAMES = "MATCH (n) RETURN n.name"
Open = Callable[[], Workspace]


@pytest.fixture(params=["sqlite", "postgresql"])
def opener(request: pytest.FixtureRequest, tmp_path: Path) -> Open:
    environment = {"HOME": str(tmp_path)}
    if request.param == "postgresql":
        environment["REMEM_STORE"] = f"{database_url()}&workspace=ws-{uuid4()}"
    return lambda: open_workspace(
        tmp_path, keywords_only=True, background=False, environment=environment
    )


def once(action: Callable[[], object]) -> Callable[[], None]:
    """Return a function that acts at its first call only."""
    pending = [action]

    def act() -> None:
        if pending:
            pending.pop()()

    return act


def names(memory: Workspace) -> set[Any]:
    return {row[0] for row in memory.graph.query(NAMES).rows}


def after_reading(monkeypatch: pytest.MonkeyPatch, act: Callable[[], None]) -> None:
    read = GraphSources.records

    def records(self: GraphSources) -> Any:
        found = read(self)
        act()
        return found

    monkeypatch.setattr(GraphSources, "records", records)


@pytest.mark.parametrize("queried_before", [True, False])
def test_a_memory_erased_while_a_query_reads_it_is_not_stored_again(
    opener: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, queried_before: bool
) -> None:
    with opener() as memory, opener() as other:
        memory.store(category="fact", content="[[Ann]] leads [[Atlas]]")
        if queried_before:
            memory.graph.query()
        (kept,) = memory.graph.ingest([STATEMENT]).kept
        after_reading(monkeypatch, once(lambda: other.erase(kept.id)))
        found = names(memory)
        assert "Atlas" in found
        assert not found & {"Zanzibar", "Quetzal"}
        assert traces(tmp_path) == ""


def test_a_fact_erased_while_a_query_reads_it_is_not_stored_again(
    opener: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    area = tmp_path / "brain" / "areas" / "people" / "ann"
    area.mkdir(parents=True)
    fact = {"id": "ann-001", "fact": "Ann feeds a quetzal.", "timestamp": "2026-02-01"}
    (area / "items.json").write_text(json.dumps([fact | {"status": "active"}]))
    with opener() as memory, opener() as other:
        memory.store(category="fact", content="[[Ann]] leads [[Atlas]]")
        after_reading(monkeypatch, once(lambda: other.erase("ann-001")))
        assert "Atlas" in names(memory)
        assert traces(tmp_path) == ""


def test_a_query_between_whose_parts_something_is_erased_has_a_whole_answer(
    opener: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opener() as memory, opener() as other:
        memory.store(category="fact", content="[[Ann]] leads [[Atlas]]")
        (kept,) = memory.graph.ingest([STATEMENT]).kept
        erase = once(lambda: other.erase(kept.id))

        def then_erase(*given: Any) -> bool:
            done = refresh(*given)
            erase()
            return done

        monkeypatch.setattr("remem.app.services.graph.refresh", then_erase)
        found = names(memory)
        assert {"Ann", "Atlas"} <= found
        assert "Quetzal" not in found
        assert traces(tmp_path) == ""
