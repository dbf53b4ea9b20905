"""Nothing is acknowledged into files that were removed or replaced under an open store."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from remem.app.workspace import Workspace
from tests.conftest import Opener
from tests.faults.resident_program import Resident
from tests.tiers import first_quick

pytestmark = pytest.mark.kill


@pytest.fixture(autouse=True)
def without_model(root: Path) -> None:
    (root / ".remem").mkdir(parents=True)
    (root / ".remem/config.toml").write_text('embedder = "none"\n')


def held(memory: Workspace) -> dict[str, Any]:
    entries = (json.loads(line)["entry"] for line in memory.export())
    return {entry["id"]: entry["content"] for entry in entries}


def remove_folder(folder: Path) -> None:
    """Remove a folder in which a running server may still write a file."""
    for _ in range(100):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
    raise AssertionError(f"{folder} could not be removed")


def remove_state(root: Path) -> None:
    remove_folder(root / ".remem/main")


def remove_everything_of_remem(root: Path) -> None:
    remove_folder(root / ".remem")


def remove_database(root: Path) -> None:
    for path in (root / ".remem/main").glob("entries.db*"):
        path.unlink()


def remove_log(root: Path) -> None:
    (root / ".remem/main/entries.db-wal").unlink(missing_ok=True)


def remove_locks(root: Path) -> None:
    for path in (root / ".remem/main").glob("*.lock"):
        path.unlink()


def replace_by_a_copy(root: Path) -> None:
    """As a sync tool does: a new file with what the database file held, and no log."""
    path = root / ".remem/main/entries.db"
    copy = path.with_name("copy")
    shutil.copyfile(path, copy)
    copy.replace(path)
    path.with_name("entries.db-wal").unlink(missing_ok=True)


REMOVALS = [remove_state, remove_database, remove_log, remove_locks, replace_by_a_copy]


@pytest.mark.parametrize("removal", [*REMOVALS, remove_everything_of_remem])
@pytest.mark.parametrize("ending", first_quick([Resident.kill, Resident.leave]))
def test_every_acknowledged_memory_outlives_the_removal(
    opened: Opener,
    root: Path,
    removal: Callable[[Path], None],
    ending: Callable[[Resident], None],
) -> None:
    with Resident(root) as resident:
        first = [resident.ask("store", category="fact", content=f"Before {i}.") for i in range(5)]
        resident.ask("sync")
        removal(root)
        later = [resident.ask("store", category="fact", content=f"After {i}.") for i in range(5)]
        found = resident.ask("recall", query="before")
        resident.ask("sync")
        ending(resident)

    acknowledged = [answer for answer in (*first, *later) if isinstance(answer, str)]
    assert found is None or "error" not in found
    assert len(acknowledged) == 10
    memory = opened()
    assert set(held(memory)) == set(acknowledged)
    assert memory.problems == []
    text = (root / "memory/domains/facts.md").read_text()
    assert all(text.count(f" ^{id_}\n") == 1 for id_ in acknowledged)
    assert all(text.count(id_[4:]) == 2 for id_ in acknowledged)  # its line and metadata


def test_history_and_archived_entries_outlive_the_removal_too(opened: Opener, root: Path) -> None:
    with Resident(root) as resident:
        id_ = resident.ask("store", category="fact", content="Tea is served at five.")
        resident.ask("store", category="fact", content="Tea is served at five. With milk.")
        gone = resident.ask("store", category="fact", content="Nobody asked for this.")
        resident.ask("forget", id=gone)
        remove_state(root)
        resident.ask("recall", query="tea")
        resident.kill()

    memory = opened()

    assert [version.entry.content for version in memory.history(id_)] == [
        "Tea is served at five.",
        "Tea is served at five. With milk.",
    ]
    assert memory.entry(gone).archived


def test_a_removal_that_removes_the_rescued_copy_too_loses_nothing(
    opened: Opener, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = opened()
    id_ = memory.store(category="fact", content="Tea is served at five.").id
    real, links = os.link, []

    def link(source: Any, target: Any, **options: Any) -> None:
        links.append(target)
        if len(links) == 1:  # as `rm -r` does, if it has listed the folder late
            remove_state(root)
        real(source, target, **options)
        if len(links) == 2:
            remove_state(root)

    remove_state(root)
    monkeypatch.setattr("remem.store.sqlite.presence.os.link", link)

    assert memory.recall("tea").entries[0].id == id_
    assert len(links) == 3


def test_a_workspace_that_was_removed_as_a_whole_does_not_come_back(
    opened: Opener, root: Path
) -> None:
    memory = opened()
    memory.store(category="fact", content="Tea is served at five.")
    remove_folder(root)

    memory.close()

    assert not root.exists()


def test_two_servers_meet_again_in_the_same_new_store(opened: Opener, root: Path) -> None:
    with Resident(root) as one, Resident(root) as two:
        ids = [one.ask("store", category="fact", content="Said to one.")]
        remove_state(root)
        for i in range(4):
            for resident in (one, two):
                ids.append(resident.ask("store", category="fact", content=f"Round {i} {len(ids)}."))
        one.leave()
        two.kill()

    assert set(held(opened())) == set(ids)


def test_a_server_that_ends_leaves_the_log_of_another_database_alone(
    opened: Opener, root: Path
) -> None:
    with Resident(root) as old:
        old.ask("store", category="fact", content="In the old database.")
        old.ask("sync")
        remove_state(root)
        remove_folder(root / "memory")
        with Resident(root) as new:
            answers = [
                new.ask("store", category="fact", content=f"In the new {i}.") for i in range(9)
            ]
            old.leave()
            new.kill()

    # A store may be refused while the old server notices that its files are gone.
    acknowledged = {id_ for id_ in answers if isinstance(id_, str)}
    assert acknowledged, answers
    assert acknowledged <= set(held(opened()))


def test_a_workspace_that_is_gone_is_refused_with_the_reason(root: Path) -> None:
    with Resident(root) as resident:
        resident.ask("store", category="fact", content="Before.")
        root.rename(root.with_name("elsewhere"))

        answer = resident.ask("store", category="fact", content="After.")
        resident.kill()

    assert "was removed" in answer["error"]
    assert not root.exists()


def test_git_leaves_the_state_of_remem_alone(opened: Opener, root: Path) -> None:
    memory = opened()
    id_ = memory.store(category="fact", content="Tea is served at five.").id
    memory.close()
    git = shutil.which("git")
    if git is None:
        pytest.skip("git is not installed")
    for line in (["init", "-q"], ["clean", "-fdq", "--", ".remem"]):
        subprocess.run([git, *line], cwd=root, check=True)

    assert (root / ".remem/main/entries.db").exists()
    assert opened().entry(id_).content == "Tea is served at five."
