"""Quality on the command line: tables for a person, one object for a program."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.bench.conversation_set import written
from tests.cli.conftest import Run
from tests.deterministic import Deterministic

BY_WORDS = ("bench", "retrieval", "--keyword-only", "--data")


def test_a_row_of_plain_bm25_is_shown_with_the_result(run: Run, tmp_path: Path) -> None:
    lines = run(*BY_WORDS, str(written(tmp_path))).stdout.splitlines()

    assert lines[0].startswith("talks.jsonl.gz: 2 conversations, 6 turns, 4 questions")
    assert [line.split()[0] for line in lines[2:4]] == ["bm25", "remem"]


def test_json_is_one_object_and_with_several_files_a_list(run: Run, tmp_path: Path) -> None:
    file = str(written(tmp_path))

    one = json.loads(run(*BY_WORDS, file, "--json").stdout)
    two = json.loads(run(*BY_WORDS, file, "--data", file, "--json").stdout)

    assert one["all"]["n"] == 4
    assert [item["data"] for item in two] == ["talks.jsonl.gz"] * 2


def test_the_folder_of_the_data_comes_from_the_environment(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path)
    monkeypatch.setenv("REMEM_BENCH", str(tmp_path))

    found = run("bench", "retrieval", "--via", "bm25", "--data", "talks.jsonl.gz", "--json")
    assert json.loads(found.stdout)["adapter"] == "bm25"


def test_an_earlier_run_is_compared(run: Run, tmp_path: Path) -> None:
    file, before = str(written(tmp_path)), tmp_path / "before.json"
    before.write_text(run(*BY_WORDS, file, "--json").stdout)

    assert "R@10: +0.0" in run(*BY_WORDS, file, "--compare", str(before)).stdout


def test_an_unknown_signal_is_refused(run: Run, tmp_path: Path) -> None:
    refused = run(*BY_WORDS, str(written(tmp_path)), "--without", "magic")

    assert refused.exit_code != 0
    assert "unknown signal 'magic'" in refused.stderr


def test_every_signal_is_left_out_in_turn(run: Run, tmp_path: Path) -> None:
    shown = run(*BY_WORDS, str(written(tmp_path)), "--ablate").stdout

    assert "without keyword" in shown
    assert "without person" in shown


def test_token_figures_are_printed_and_plotted(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bench.quality_commands._cached", lambda _folder: Deterministic())
    file, drawing = str(written(tmp_path)), tmp_path / "tokens.svg"

    shown = run("bench", "tokens", "--data", file, "--svg", str(drawing)).stdout

    assert "the whole history costs" in shown
    assert "<svg" in drawing.read_text("utf-8")
