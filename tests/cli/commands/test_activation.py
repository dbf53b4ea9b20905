"""From files that are there to a memory that agents use, and back, on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

GROUP = "agent:main:telegram:group:-100123"
BEFORE = b"# Agents\r\n\r\nBe kind."
MEMORY = """# Memory

- The wedding venue is the Black Canyon Inn near the river
- David drinks his coffee black in the morning
- The boiler is mended by Mara every October
"""


@pytest.fixture
def agents(root: Path, run: Run) -> Path:
    """A workspace with a memory that is ready to be activated."""
    (root / "MEMORY.md").write_text(MEMORY)
    run("migrate")
    path = root / "AGENTS.md"
    path.write_bytes(BEFORE)
    return path


def test_start_prints_the_text_or_exactly_the_result(run: Run) -> None:
    run("store", "-c", "instruction", "-p", "critical", "Never send mail unasked.")

    text, shown = run("start"), run("start", "--json")

    assert text.stdout.startswith("# Memory Index\n")
    assert "Never send mail unasked." in text.stdout
    result = json.loads(shown.stdout)
    assert result["text"] == text.stdout
    assert result["tokens"] <= result["budget"] == 2000


def test_start_names_what_it_could_not_read(run: Run, root: Path) -> None:
    (root / "memory").mkdir()
    (root / "memory/flush-state.json").write_text("{")

    result = run("start")

    assert result.exit_code == 0
    assert "remem: warning: " in result.stderr
    assert "flush-state.json" not in result.stdout


def test_a_memory_that_is_ready_passes_six_checks(run: Run, agents: Path) -> None:
    run("store", "-c", "fact", "The gate is painted green.")

    result = run("validate")

    assert result.exit_code == 0, result.output
    assert [line[:7] for line in result.stdout.splitlines()] == [f"ok    {i}" for i in range(1, 7)]
    assert "3 of 3 lines that search finds (100%)" in result.stdout
    shown = json.loads(run("validate", "--json").stdout)
    assert shown["passed"] is True
    assert [check["number"] for check in shown["checks"]] == [1, 2, 3, 4, 5, 6]


def test_a_failed_check_gives_its_reason_and_blocks_activation(run: Run, agents: Path) -> None:
    run("store", "-c", "fact", "The gate is painted green.")
    facts = agents.parent / "memory/domains/facts.md"
    facts.write_bytes(facts.read_bytes() + b"```\nnever closed\n")

    result, refused = run("validate"), run("activate", "--yes")

    assert result.exit_code == refused.exit_code == 1
    assert "FAIL  5. Domain files can be read" in result.stdout
    assert "- memory/domains/facts.md: a code block is not closed" in result.stdout
    assert "not ready to be activated (5. Domain files" in refused.stderr
    assert agents.read_bytes() == BEFORE


def test_activate_shows_the_change_and_does_nothing_without_a_yes(run: Run, agents: Path) -> None:
    result = run("activate")

    assert result.exit_code == 1
    assert "+<!-- remem:begin " in result.stdout
    assert "remem activate --yes" in result.stderr
    assert agents.read_bytes() == BEFORE


def test_activate_and_rollback_restore_the_file_byte_for_byte(run: Run, agents: Path) -> None:
    there, again = run("activate", "--yes"), run("activate", "--yes")
    active = agents.read_bytes()
    back, nothing = run("rollback"), run("rollback")

    assert [item.exit_code for item in (there, again, back, nothing)] == [0, 0, 0, 0]
    assert "activated: AGENTS.md" in there.stdout
    assert "already" in again.stdout
    assert active.startswith(BEFORE)
    assert b"memory_recall" in active
    assert "restored exactly" in back.stdout
    assert "has no remem section" in nothing.stdout
    assert agents.read_bytes() == BEFORE


def test_words_in_the_section_are_kept_and_the_copy_is_named(run: Run, agents: Path) -> None:
    run("activate", "--yes")
    agents.write_bytes(agents.read_bytes().replace(b"- Store", b"- Mara too.\r\n- Store"))

    result = run("rollback")

    (line,) = [line for line in result.stdout.splitlines() if "saved in" in line]
    assert b"Mara too." in (agents.parent / line.split()[-1]).read_bytes()
    assert agents.read_bytes() == BEFORE


def test_a_rollback_needs_no_database(run: Run, agents: Path) -> None:
    run("activate", "--yes")
    (agents.parent / ".remem/main/entries.db").write_bytes(b"this was a database once" * 1000)

    assert run("rollback").exit_code == 0
    assert agents.read_bytes() == BEFORE


def test_after_a_rollback_files_are_searched_and_read(run: Run, agents: Path) -> None:
    run("activate", "--yes")
    run("rollback")

    assert "Black Canyon Inn" in run("search", "wedding venue").stdout
    assert "Black Canyon Inn" in run("get", "MEMORY.md").stdout


@pytest.mark.walls
@pytest.mark.parametrize("command", ["validate", "activate", "rollback"])
def test_a_group_is_neither_validated_nor_activated(run: Run, agents: Path, command: str) -> None:
    run("rooms", "map", "telegram:-100123", "garden")

    result = run("--session", GROUP, command)

    assert result.exit_code == 1
    assert "--session" in result.stderr
    assert agents.read_bytes() == BEFORE
