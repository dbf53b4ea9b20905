"""A person sees what the memory costs, and changes it with open eyes."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest

from tests.admin.audit.test_audit import AGENTS, TWICE
from tests.admin.audit.test_sources import written
from tests.cli.conftest import Run
from tests.tables import each_row


@pytest.fixture
def path(root: Path) -> Path:
    written(root, {"MEMORY.md": TWICE, "AGENTS.md": AGENTS})
    return root / "MEMORY.md"


def test_one_sentence_and_a_chart_say_what_it_costs(path: Path, run: Run) -> None:
    shown = run("audit").stdout

    assert shown.startswith("every conversation starts with ")
    assert "█" in shown
    assert "duplicates: 3" in shown
    assert "contradictions: 1" in shown
    assert "noise: 1" in shown
    assert "remem audit --recommend" in shown
    assert "no agent is connected yet" in shown


def test_recommendations_name_their_saving_and_their_risk(path: Path, run: Run) -> None:
    shown = run("audit", "--recommend").stdout

    assert "1. drop 2 lines of MEMORY.md repeated word for word elsewhere: L8, L10" in shown
    assert "risk low; remem audit --apply 1" in shown
    assert "by hand" in shown


def test_json_is_the_tools_answer(path: Path, run: Run) -> None:
    shown = json.loads(run("audit", "--json", "--scope", "memory_md", "--recommend").stdout)

    assert {"analysis", "headline", "recommendations"} <= set(shown)
    assert all(item["source"].startswith("MEMORY.md") for item in shown["analysis"]["breakdown"])


def test_a_list_that_is_cut_says_how_much_of_it_the_json_contains(root: Path, run: Run) -> None:
    topics = (
        "tea jam oak fir elm ash yew fig nut rye oat fox owl elk bee cod eel ram ewe hen".split()
    )
    lines = [f"- The {a} of the {b} is kept in the cellar" for a, b in product(topics[:5], topics)]
    written(root, {"MEMORY.md": "\n".join(["# Notes", *lines[:30], *lines[:30]]) + "\n"})

    shown = run("audit").stdout
    listed = json.loads(run("audit", "--json").stdout)

    assert listed["left_out"]["duplicates"] > 0
    assert f"--json lists the first {len(listed['analysis']['duplicates'])}" in shown


def test_a_recommendation_is_shown_asked_for_and_applied(path: Path, run: Run) -> None:
    refused = run("audit", "--apply", "1", input="n\n")
    assert refused.exit_code == 1
    assert "-- The backup runs every night" in refused.stdout
    assert path.read_text() == TWICE

    done = run("audit", "--apply", "1", input="y\n")
    promised = done.stdout.split("tokens saved: ")[1].split(" ")
    assert promised[0] == promised[2]
    assert path.read_text() != TWICE

    undone = run("audit", "--undo")
    assert "restored exactly" in undone.stdout
    assert path.read_text() == TWICE


def test_scripts_can_agree_with_an_option(path: Path, run: Run) -> None:
    assert run("audit", "--apply", "1", "--yes").exit_code == 0
    assert path.read_text() != TWICE


def test_edits_made_since_are_kept(path: Path, run: Run) -> None:
    run("audit", "--apply", "1", "--yes")
    path.write_text(path.read_text() + "- mine\n")

    assert "your later edits were kept" in run("audit", "--undo").stdout
    assert path.read_text() == TWICE + "- mine\n"


@each_row(
    ("arguments", "code", "says"),
    [
        (["--apply", "99"], 1, "there is no recommendation 99"),
        (["--apply", "0"], 2, "0"),
        (["--undo"], 1, "there is nothing to undo"),
        (["--apply", "1", "--undo"], 2, "are mutually exclusive"),
        (["--apply", "1", "--json"], 2, "only be combined with --yes"),
        (["--scope", "everything"], 1, "scope 'everything' is unknown"),
    ],
)
def test_contradictory_options_are_refused(
    path: Path, run: Run, arguments: list[str], code: int, says: str
) -> None:
    result = run("audit", *arguments)

    assert result.exit_code == code
    assert says in result.stderr
    assert path.read_text() == TWICE


def test_control_characters_in_memory_md_are_escaped(path: Path, run: Run) -> None:
    evil = "- The gate \x1b[2J is red and the roof is green.\n"
    path.write_text(f"## A \x1b[31m\n{evil}{evil}")

    assert "\x1b[2J" not in run("audit", "--recommend").stdout
    assert "\x1b[2J" not in run("audit", "--apply", "1", "--yes").stdout


def test_duplicate_entries_are_left_to_the_owner(run: Run) -> None:
    run("store", "-c", "decision", "The ledger moves to SQLite.")
    assert "curate" not in run("audit", "--recommend").stdout

    run("store", "-c", "fact", "The ledger moves to SQLite.")

    assert "`remem curate --topic duplicate`" in run("audit", "--recommend").stdout


def test_an_empty_workspace_costs_little_and_says_so(root: Path, run: Run) -> None:
    shown = run("audit", "--recommend")

    assert shown.exit_code == 0
    assert "there is nothing to recommend" in shown.stdout
