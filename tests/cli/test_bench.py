"""Figures on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench import speed
from bench.speed import Figure, Speed
from tests.cli.conftest import Run


@pytest.fixture(autouse=True)
def measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run takes minutes; what it finds is shown all the same."""
    figures = (
        Figure("recall", 1.2, "at most 1.5", True, "3 ms against 2.5 ms"),
        Figure("server", 2.0, "at most 1.5", False, "2 s against 1 s"),
    )
    found = Speed(100, "2 cores", "3.11", ("a note",), figures)
    monkeypatch.setattr(speed, "measure", lambda entries, encoded, progress: found)


def test_a_figure_says_whether_its_goal_is_met(run: Run) -> None:
    lines = run("bench", "speed").stdout.splitlines()

    assert lines[-2:] == [
        "recall: 1.20 (goal at most 1.5: met) 3 ms against 2.5 ms",
        "server: 2.00 (goal at most 1.5: missed) 2 s against 1 s",
    ]


def test_figures_come_as_json_too(run: Run) -> None:
    assert json.loads(run("bench", "speed", "--json").stdout)["figures"][1]["good"] is False


@pytest.mark.parametrize("sizes", ["many", "1000,", "50", "1000,50"])
def test_a_size_that_cannot_be_measured_is_refused(run: Run, sizes: str) -> None:
    result = run("bench", "speed", "--entries", sizes)

    assert result.exit_code == 2
    assert "--entries" in result.stderr


def test_a_plot_needs_several_sizes(run: Run, root: Path) -> None:
    result = run("bench", "speed", "--svg", str(root / "plot.svg"))

    assert (result.exit_code, (root / "plot.svg").exists()) == (2, False)


@pytest.mark.model
def test_search_is_measured_in_the_files_of_a_workspace(run: Run, root: Path) -> None:
    notes = "".join(f"- The {word} lamp hangs above the long table\n" for word in ("red", "blue"))
    (root / "MEMORY.md").write_text(f"# Lamps\n\n{notes}", encoding="utf-8")

    result = run("bench", "speed", "--search-in", str(root))

    assert "2 passages" in result.stdout
    assert "search p50 / bare parts: " in result.stdout
    assert "(goal ≤ 2.5: " in result.stdout


def test_how_often_outdated_texts_come_first_is_printed(run: Run) -> None:
    lines = run("bench", "currency", "--keyword-only").stdout.splitlines()

    assert lines[0] == "keywords only: outdated before current"
    assert lines[1].split()[:4] == ["choosing", lines[1].split()[1], "of", "40"]
