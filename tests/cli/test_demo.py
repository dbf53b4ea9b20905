"""Every claim of the demo holds, and a wrong one fails it."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from examples.demo import command
from examples.demo.stage import Stage
from remem.cli.main import remem


@pytest.mark.slow
def test_every_claim_of_the_demo_holds(tmp_path: Path) -> None:
    result = CliRunner().invoke(remem, ["demo", "--keep", str(tmp_path / "kept")])

    assert result.exit_code == 0, result.output
    assert "✗" not in result.output
    assert result.output.count("✓") == 33
    assert (tmp_path / "kept/workspace/memory/domains/preferences.md").is_file()


def test_a_claim_that_does_not_hold_fails_the_demo(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story(stage: Stage) -> None:
        stage.log.touch()
        stage.claim("the weather on Mars is remembered", False)

    monkeypatch.setattr(command, "run_story", story)

    result = CliRunner().invoke(remem, ["demo"])

    assert result.exit_code == 1
    assert "✗ the weather on Mars is remembered" in result.output


def test_a_folder_that_cannot_be_created_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    result = CliRunner().invoke(remem, ["demo", "--keep", str(tmp_path / "file/kept")])

    assert result.exit_code == 1
    assert "cannot be created: Not a directory" in result.stderr


def test_the_demo_refuses_a_folder_that_is_not_empty(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")

    result = CliRunner().invoke(remem, ["demo", "--keep", str(tmp_path)])

    assert result.exit_code == 1
    assert "is not an empty folder" in result.stderr
