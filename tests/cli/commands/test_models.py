"""Local models: what is there, and what is not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run


def test_the_list_says_what_is_not_installed(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REMEM_MODELS", str(tmp_path))

    *models, folder = run("models", "list").stdout.splitlines()

    assert [line.split()[:3] for line in models] == [
        [name, "not", "installed"] for name in ("minilm", "multilingual")
    ]
    assert folder == f"folder: {tmp_path}"


def test_the_list_can_be_read_by_programs(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REMEM_MODELS", str(tmp_path))

    found = json.loads(run("models", "list", "--json").stdout)

    assert found["folder"] == str(tmp_path)
    assert [model["state"] for model in found["models"]] == ["not installed"] * 2


def test_without_an_action_the_models_are_listed(run: Run) -> None:
    assert run("models").stdout == run("models", "list").stdout


def test_an_unknown_action_is_answered_with_those_that_exist(run: Run) -> None:
    assert "`remem models` has: fetch, list." in run("models", "download").stderr


def test_an_unknown_model_is_refused(run: Run) -> None:
    result = run("models", "fetch", "gpt-17")

    assert result.exit_code == 1
    assert "there is no local model 'gpt-17'" in result.stderr


def test_a_file_without_a_model_is_refused(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REMEM_MODELS", str(tmp_path / "models"))
    (tmp_path / "not.whl").write_text("nothing")

    result = run("models", "fetch", "minilm", "--from", str(tmp_path / "not.whl"))

    assert result.exit_code == 1
    assert result.stderr.startswith("remem: ")
    assert "not installed" in run("models", "list").stdout
