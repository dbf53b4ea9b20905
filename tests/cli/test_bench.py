"""Figures on the command line."""

from __future__ import annotations

import json

import pytest

from remem.bench import speed
from remem.bench.speed import Figure, Speed
from tests.cli.conftest import Run


@pytest.fixture(autouse=True)
def measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run takes minutes; what it finds is shown all the same."""
    figures = (
        Figure("recall", 1.2, "at most 1.5", True, "3 ms against 2.5 ms"),
        Figure("server", 2.0, "at most 1.5", False, "2 s against 1 s"),
    )
    found = Speed(100, "2 cores", "3.11", ("a note",), figures)
    monkeypatch.setattr(speed, "measure", lambda entries, progress: found)


def test_a_figure_says_whether_its_goal_is_met(run: Run) -> None:
    lines = run("bench", "speed").stdout.splitlines()

    assert lines[-2:] == [
        "recall: 1.20 (goal at most 1.5: met) 3 ms against 2.5 ms",
        "server: 2.00 (goal at most 1.5: missed) 2 s against 1 s",
    ]


def test_figures_come_as_json_too(run: Run) -> None:
    assert json.loads(run("bench", "speed", "--json").stdout)["figures"][1]["good"] is False
