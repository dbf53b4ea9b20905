"""The stored graph follows the records: it is the same as one that is derived from scratch."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from remem import open_workspace
from remem.app.workspace import Workspace
from remem.graph.sources import GraphSources
from tests.tiers import first_quick

ALL = (
    "MATCH (a)-[r]->(b) RETURN labels(a) AS l, a.name, type(r), labels(b) AS m, b.name, "
    "properties(r) AS p"
)
NODES = "MATCH (n) RETURN labels(n), properties(n)"
NAMES = ("Ann", "Bo", "Acme", "Atlas", "Rust")


def opened(folder: Path, **given: Any) -> Workspace:
    return open_workspace(folder, keywords_only=True, background=False, **given)


def graph(memory: Workspace, **view: Any) -> list[str]:
    rows = [
        row
        for query in (ALL, NODES)
        for row in memory.graph.query(query, token_budget=100_000, **view).rows
    ]
    return sorted(json.dumps(row, sort_keys=True) for row in rows)


def rebuilt(memory: Workspace, **view: Any) -> list[str]:
    memory.services.passages.write(lambda tx: tx.graph.clear())
    return graph(memory, **view)


def change_something(memory: Workspace, folder: Path, source: random.Random) -> None:
    """Change the records in one of the ways in which people and agents do."""
    one, other = source.choices(NAMES, k=2)
    live = [entry.id for entry in memory.entries(limit=None)]
    some = [source.choice(live)] if live else []
    match source.randrange(8):
        case 0 | 1:
            statement = {"subject": one, "relation": "works with", "object": other}
            memory.graph.ingest([statement])
        case 2:
            statement = {"subject": one, "relation": "leads", "object": other, "supersedes": some}
            memory.graph.ingest([statement])
        case 3:
            memory.store(
                category="fact", content=f"{one} {source.random()}", tags=[other], related_to=some
            )
        case 4 if some:
            memory.forget(some[0])
        case 5:
            kind = {"name": one, "entityType": source.choice(["person", "tool"])}
            memory.graph.ingest([kind])
        case 6:
            note = folder / "memory" / f"2026-03-{source.randrange(1, 28):02}.md"
            note.write_text(f"Met {one}, see [[{other}]].\n")
        case _:
            area = folder / "brain" / "areas" / "people" / one.lower()
            area.mkdir(parents=True, exist_ok=True)
            fact = {"id": "x-001", "fact": f"{one} likes {other}.", "timestamp": "2026-02-01"}
            (area / "items.json").write_text(json.dumps([fact | {"status": "active"}]))


@pytest.mark.parametrize("seed", first_quick(range(4)))
def test_after_any_changes_the_graph_is_the_one_that_the_records_give(
    tmp_path: Path, seed: int
) -> None:
    source = random.Random(seed)
    with opened(tmp_path) as memory:
        memory.store(category="fact", content="The first.")
        for _ in range(25):
            change_something(memory, tmp_path, source)
            for view in ({}, {"history": True}, {"untrusted": True, "as_of": "2026-03-10"}):
                now = graph(memory, **view)
                assert now == rebuilt(memory, **view)
            assert graph(memory) == graph(memory)


def test_records_are_read_again_only_after_a_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[int] = []
    read = GraphSources.records
    monkeypatch.setattr(GraphSources, "records", lambda self: reads.append(1) or read(self))
    with opened(tmp_path) as memory:
        memory.graph.ingest([{"subject": "Ann", "relation": "leads", "object": "Atlas"}])
        for _ in range(3):
            memory.graph.query("MATCH (n {folded: 'ann'}) RETURN n.name")
        assert len(reads) == 1
    with opened(tmp_path) as again:  # another process
        assert again.graph.query("MATCH (n {folded: 'ann'}) RETURN n.name").rows == (("Ann",),)
        assert len(reads) == 1
        again.store(category="fact", content="Something else.")
        again.graph.query()
        assert len(reads) == 2
