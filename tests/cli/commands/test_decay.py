"""What a person sees of fading memories."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from remem.app.opening import open_workspace
from remem.text.timestamps import format_time
from tests.cli.conftest import Run


@pytest.fixture
def faint(root: Path) -> str:
    """A low memory that lay idle for long enough, by a clock that was set back."""
    then = format_time(datetime.now(UTC) - timedelta(days=300))
    with open_workspace(root, background=False, clock=lambda: then) as memory:
        id_ = memory.store(category="fact", content="The ferry is blue.", priority="low").id
        memory.store(category="instruction", content="Answer in verse.")
        memory.maintenance.decay()
    return id_


def test_a_dry_run_explains_and_archives_nothing(run: Run, faint: str) -> None:
    result = run("decay", "--dry-run", "--explain")

    assert result.exit_code == 0
    assert result.stdout.startswith("1 memory would be archived\n")
    assert f"{faint}  0.31 left, due " in result.stdout
    assert "1 instruction: never fade" in result.stdout
    assert "The ferry" in run("recall", "ferry").stdout


def test_decay_archives_and_can_be_undone(run: Run, faint: str) -> None:
    done = json.loads(run("decay", "--json").stdout)

    assert [item["id"] for item in done["archived"]] == [faint]
    assert "1 low-priority memory faded" in run("status").stdout
    assert "Notice: 1 low-priority memory faded" in run("start").stdout
    assert run("decay", "--undo").stdout.endswith(f": {faint}\n")
    assert run("decay", "--undo").stdout == "nothing had been archived\n"


def test_reinforcing_brings_it_back(run: Run, faint: str) -> None:
    run("decay")

    shown = run("reinforce", faint)

    assert shown.stdout.startswith(f"{faint} restored and reinforced, 2 times in total; ")
    shown = json.loads(run("reinforce", faint, "--json").stdout)
    assert (shown["strength"], shown["uses"], shown["revived"]) == (3, 2, False)


def test_undo_takes_no_other_options(run: Run, faint: str) -> None:
    assert (
        "--undo cannot be combined with other options" in run("decay", "--undo", "--dry-run").stderr
    )
