"""What a person does about layers that took each other's place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

MEMORY = "# Memory\n\n## 2026-03-04\n\n- Thanks!\n- The spare key hangs behind the clock.\n"


@pytest.fixture
def memory_md(run: Run, root: Path) -> Path:
    run("store", "-c", "fact", "The mill is shut on Mondays.")
    path = root / "MEMORY.md"
    path.write_text(MEMORY)
    return path


def test_chatter_is_a_notice_and_not_a_failure(run: Run, memory_md: Path) -> None:
    result = run("doctor")

    assert result.exit_code == 0
    assert "notice  main: MEMORY.md: 1 line of chatter: L5 (courtesy)" in result.stdout
    assert "repair: `remem doctor --move-chatter` shows the change" in result.stdout


def test_moving_chatter_shows_the_change_asks_and_can_be_undone(
    run: Run, root: Path, memory_md: Path
) -> None:
    refused = run("doctor", "--move-chatter", input="n\n")
    assert refused.exit_code == 1
    assert "-- Thanks!" in refused.stdout
    assert memory_md.read_text() == MEMORY

    done = run("doctor", "--move-chatter", "--yes")

    assert "done: moved 1 line to the daily notes" in done.stdout
    assert "`remem audit --undo` restores MEMORY.md" in done.stderr
    assert memory_md.read_text() == MEMORY.replace("- Thanks!\n", "")
    assert "Thanks!" in (root / "memory/2026-03-04.md").read_text()
    assert "restored exactly" in run("audit", "--undo").stdout
    assert memory_md.read_text() == MEMORY


def test_without_chatter_nothing_is_moved(run: Run, memory_md: Path) -> None:
    memory_md.write_text("# Memory\n")

    assert "has no chatter" in run("doctor", "--move-chatter").stdout


def test_facts_are_compared_with_a_backup(
    run: Run, root: Path, tmp_path: Path, memory_md: Path
) -> None:
    memory_md.unlink()
    items = root / "brain/areas/ada/items.json"
    items.parent.mkdir(parents=True)
    items.write_text('[{"id": "ada-001", "fact": "Ada lives in Porto.", "status": "active"}]')
    kept = tmp_path / "kept.tar.gz"
    run("backup", str(kept))
    items.write_text('[{"id": "ada-001", "fact": "Ada lives in Lisbon.", "status": "active"}]')

    looked = run("doctor", "--against", str(kept))
    repaired = run("doctor", "--against", str(kept), "--repair")

    assert looked.exit_code == 1
    assert "damage  main: facts: 1 earlier fact is missing" in looked.stdout
    assert repaired.exit_code == 0
    assert [load["status"] for load in json.loads(items.read_text())] == ["active", "superseded"]
