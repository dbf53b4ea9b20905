"""`remem graduate` lists, shows what it would change, asks, and takes it back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

MEMORY = "# M\n\n## Rules\n\n- Never push to main on Fridays.\n"
BACKUP = "Always run the backup before an upgrade."


@pytest.fixture(autouse=True)
def noted_twice(root: Path) -> None:
    (root / "memory").mkdir()
    (root / "MEMORY.md").write_text(MEMORY)
    for day in ("2026-11-01", "2026-11-05"):
        (root / f"memory/{day}.md").write_text(f"# {day}\n\n- {BACKUP}\n- HEARTBEAT_OK\n")


def id_of(run: Run) -> str:
    found: str = json.loads(run("graduate", "--json").stdout)["proposals"][0]["id"]
    return found


def test_it_lists_with_reasons_and_evidence_and_changes_nothing(run: Run, root: Path) -> None:
    shown = run("graduate").stdout

    assert f"{id_of(run)}  {BACKUP}" in shown
    assert "reasons: stated as a rule; said on 2 days: 2026-11-01, 2026-11-05" in shown
    assert "sources: memory/2026-11-01.md#L3, memory/2026-11-05.md#L3" in shown
    assert "section: Rules" in shown
    assert "1 proposal among 1 statement" in shown
    assert (root / "MEMORY.md").read_text() == MEMORY


def test_it_shows_the_change_and_asks(run: Run, root: Path) -> None:
    refused = run("graduate", "--apply", id_of(run), input="n\n")
    assert refused.exit_code == 1
    assert f"+- {BACKUP}" in refused.stdout
    assert (root / "MEMORY.md").read_text() == MEMORY

    applied = run("graduate", "--apply", id_of(run), input="y\n")
    assert applied.exit_code == 0
    assert (root / "MEMORY.md").read_text() == f"{MEMORY}- {BACKUP}\n"

    assert "was restored exactly" in run("graduate", "--undo").stdout
    assert (root / "MEMORY.md").read_text() == MEMORY


def test_what_is_declined_stays_away(run: Run) -> None:
    declined = run("graduate", "--decline", id_of(run))

    assert "declined grad-" in declined.stdout
    assert "0 proposals among 1 statement, 1 declined" in run("graduate").stdout


def test_json_works_for_every_action(run: Run, root: Path) -> None:
    id_ = id_of(run)

    applied = json.loads(run("graduate", "--apply", id_, "--yes", "--json").stdout)
    undone = json.loads(run("graduate", "--undo", "--json").stdout)
    declined = json.loads(run("graduate", "--decline", id_, "--json").stdout)

    assert applied["kept"].startswith(".remem/main/graduate/")
    assert undone["how"] == "restored"
    assert [item["id"] for item in declined["declined"]] == [id_]
    assert run("graduate", "--apply", id_, "--json").exit_code == 2


def test_it_explains_what_is_not_proposed(run: Run, root: Path) -> None:
    (root / "memory/2026-11-09.md").write_text("# 2026-11-09\n\n- Never answer without a source.\n")

    shown = run("graduate", "--explain").stdout

    assert "Never answer without a source." in shown
    assert "said once, on 2026-11-09; neither used nor said again" in shown
