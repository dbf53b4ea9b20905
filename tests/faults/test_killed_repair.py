"""A repair, an erasure or a restore that is killed loses nothing, and the next one finishes it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import apsw
import pytest

from remem.app.opening import open_workspace
from remem.files.layout import Layout
from remem.ops.backup import back_up
from tests.tiers import EVERYTHING

pytestmark = pytest.mark.kill

COUNT = 300
STEPS = (1, 5, 11, 18, 30, 46) if EVERYTHING else (5, 18, 46)
"""Where it dies, in this order; what it did before that is not done again."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    (folder / ".remem").mkdir(parents=True)
    (folder / ".remem/config.toml").write_text('embedder = "none"\n')
    with open_workspace(folder, background=False) as memory:
        memory.store_many(
            {"category": "fact", "content": f"Parcel {i} waits."} for i in range(COUNT)
        )
    return folder


def held(root: Path) -> dict[str, str]:
    with open_workspace(root, background=False) as memory:
        lines = [json.loads(line)["entry"] for line in memory.export()]
    return {line["id"]: line["content"] for line in lines}


def killed(root: Path, steps: Iterable[int], *arguments: str) -> list[int]:
    """Give a command again and again, and end it at these steps; those that it came to."""
    program = [sys.executable, "-m", "tests.faults.command_program"]
    died = []
    for step in steps:
        command = [*program, str(step), "--workspace", str(root), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode in (0, 1, -signal.SIGKILL), done.stderr
        if done.returncode == -signal.SIGKILL:
            died.append(step)
    return died


def finished(root: Path, *arguments: str) -> None:
    command = [sys.executable, "-m", "remem", "--workspace", str(root), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_repair_that_is_killed_again_and_again_loses_nothing(root: Path) -> None:
    before, died = held(root), []
    for step in STEPS:
        raw = apsw.Connection(str(root / ".remem/main/entries.db"))
        if next(iter(raw.execute("SELECT count(*) FROM sqlite_schema")))[0]:
            raw.execute("UPDATE memory_entries SET content = 'xxxx' WHERE row = 7")
        raw.close()
        died += killed(root, [step], "doctor", "--repair")

    finished(root, "doctor", "--repair")

    assert died
    assert held(root) == before
    assert not list((root / ".remem/main").glob("mending.*"))
    assert not (root / ".remem/main/exchange.json").exists()


def test_an_erasure_that_is_killed_is_finished_by_the_next(root: Path) -> None:
    before = held(root)
    id_ = next(iter(before))
    assert killed(root, STEPS, "erase", "--yes", id_)

    finished(root, "erase", "--yes", id_)

    assert held(root) == {key: state for key, state in before.items() if key != id_}
    for path in root.rglob("*"):
        assert not path.is_file() or before[id_].encode() not in path.read_bytes(), path


def test_an_erasure_of_a_fact_that_is_killed_is_finished_by_the_next(root: Path) -> None:
    said = "Mara keeps a quetzal behind the observatory."
    with open_workspace(root, background=False) as memory:
        memory.facts.record("Mara", "Mara plays the cello.")
        memory.facts.record("Mara", said)
        memory.maintenance.synthesize()
        memory.services.layers.record_facts()
        memory.search("quetzal")
    assert killed(root, STEPS, "erase", "--yes", "mara-002")

    finished(root, "erase", "--yes", "mara-002")

    items = json.loads((root / "brain/areas/mara/items.json").read_text())
    assert [item["status"] for item in items] == ["active", "erased"]
    for path in root.rglob("*"):
        assert not path.is_file() or b"quetzal" not in path.read_bytes(), path


def test_a_restore_that_is_killed_can_be_done_again_and_what_was_there_is_kept(
    root: Path, tmp_path: Path
) -> None:
    before = held(root)
    back_up(Layout(root), tmp_path / "kept")
    with open_workspace(root, background=False) as memory:
        memory.store(category="fact", content="Said later.")
    assert killed(root, STEPS, "restore", "--force", str(tmp_path / "kept"))

    finished(root, "restore", "--force", str(tmp_path / "kept"))

    assert held(root) == before
    kept = [path.read_text() for path in root.glob(".before-restore.*/memory/domains/facts*.md")]
    assert any("Said later." in text for text in kept)
