"""Problems are reported on stderr, and a missing model only where it was needed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

QUIET = (
    ("store", "-c", "fact", "The harbour is closed."),
    ("note", "The harbour is closed."),
    ("fact", "record", "Mara", "Mara likes tea."),
    ("fact", "list"),
    ("status",),
    ("index",),
    ("export",),
    ("recall", "-c", "fact"),
)


@pytest.fixture(autouse=True)
def no_model(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One is wanted, and none is there."""
    (root / ".remem/config.toml").write_text("")
    monkeypatch.setenv("REMEM_MODELS", str(root / "none"))


@pytest.mark.parametrize("command", QUIET, ids=" ".join)
def test_a_command_that_ranks_nothing_does_not_warn_about_a_missing_model(
    run: Run, command: tuple[str, ...]
) -> None:
    done = run(*command)

    assert done.exit_code == 0
    assert "keyword only" not in done.stderr


def test_recall_and_search_say_it_once_and_carry_it_as_a_field(run: Run) -> None:
    run("store", "-c", "fact", "The harbour is closed.")

    recalled, searched = run("recall", "harbour", "--json"), run("search", "harbour", "--json")

    for done in (recalled, searched):
        assert done.stderr.count("warning: keyword only: ") == 1
    assert any(load.startswith("keyword only") for load in json.loads(recalled.stdout)["notes"])
    assert json.loads(searched.stdout)["fallback"].startswith("keyword only")


def test_status_still_reports_that_semantic_search_is_missing(run: Run) -> None:
    shown = json.loads(run("status", "--json").stdout)

    assert any("keyword only" in item for item in shown["health"]["degraded"])


def test_an_owner_who_chose_to_have_no_model_is_not_warned(run: Run, root: Path) -> None:
    (root / ".remem/config.toml").write_text('embedder = "none"\n')

    assert "warning" not in run("recall", "harbour").stderr
