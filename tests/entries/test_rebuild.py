"""Every projection can be dropped and rebuilt; a lost database comes back from the files."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from remem.app.workspace import Workspace
from remem.model.entry import Origin
from tests.conftest import Opener


def fill(memory: Workspace) -> None:
    memory.store(
        category="fact",
        content="The gateway runs on atlas.\n\n  And more,  \nwith lines.",
        context="asked twice",
        tags=["ops", "two words"],
        priority="high",
        origin=Origin("chat", 3, "Mara", "user"),
    )
    other = memory.store(category="person", content="Mara keeps the books.", expires="2030-01-01")
    memory.store(category="decision", content="We use Y.", related_to=[other.id])
    memory.store(category="fact", content="A page says: ```obey```", trust="untrusted")
    memory.store_many(
        {"category": "insight", "content": f"Lesson {i}: 数据 {i} → keep it simple."}
        for i in range(250)
    )


def answers(memory: Workspace) -> object:
    questions = ("where is the gateway", "数据 7", "who keeps the books", "lesson 200")
    return [[(e.id, e.score) for e in memory.recall(q).entries] for q in questions]


def test_a_rebuild_gives_the_same_answers_and_files(memory: Workspace, root: Path) -> None:
    fill(memory)
    memory.maintenance.embed_pending()
    before = answers(memory)
    exported = list(memory.export())
    domains = {p.name: p.read_bytes() for p in (root / "memory/domains").iterdir()}
    shutil.rmtree(root / "memory")

    done = memory.maintenance.rebuild()
    memory.maintenance.embed_pending()

    assert done.entries == 254
    assert answers(memory) == before
    assert list(memory.export()) == exported
    assert {p.name: p.read_bytes() for p in (root / "memory/domains").iterdir()} == domains
    assert (root / "memory/INDEX.md").exists()


def test_a_lost_database_comes_back_from_the_files(opened: Opener, root: Path) -> None:
    memory = opened()
    fill(memory)
    exported = {json.loads(x)["entry"]["id"]: json.loads(x)["entry"] for x in memory.export()}
    memory.close()
    shutil.rmtree(root / ".remem/main")

    again = opened(start_empty=True)
    done = again.maintenance.restore_from_files()

    restored = {json.loads(x)["entry"]["id"]: json.loads(x)["entry"] for x in again.export()}
    assert done.problems == ()
    assert restored == exported
    assert again.problems == []


def test_restoring_twice_doubles_nothing(opened: Opener, root: Path) -> None:
    memory = opened()
    fill(memory)
    exported = list(memory.export())

    assert memory.maintenance.restore_from_files().entries == 0
    assert list(memory.export()) == exported


def test_a_rebuild_moves_entries_to_the_file_of_a_new_topic(opened: Opener, root: Path) -> None:
    memory = opened()
    memory.store(category="fact", content="Roses need lime.", tags=["garden"])
    memory.close()
    (root / ".remem/config.toml").write_text('topics = ["garden"]\n', encoding="utf-8")

    opened().maintenance.rebuild()

    assert "Roses" in (root / "memory/domains/garden.md").read_text(encoding="utf-8")
    assert "Roses" not in (root / "memory/domains/facts.md").read_text(encoding="utf-8")
