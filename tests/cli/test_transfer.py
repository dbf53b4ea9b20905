"""Memory leaves and enters as JSON Lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from remem.cli.group import remem
from tests.cli.conftest import Run


def test_what_is_exported_comes_back_the_same(run: Run, tmp_path: Path) -> None:
    run("store", "-c", "fact", "Tea is at five.", "-t", "tea")
    run("store", "-c", "fact", "Tea is at five. Cake too.")
    file, other = tmp_path / "out.jsonl", str(tmp_path / "other")

    assert run("export", str(file)).exit_code == 0
    runner = CliRunner()
    runner.invoke(remem, ["init", other])
    done = runner.invoke(remem, ["--workspace", other, "import", str(file)])
    again = runner.invoke(remem, ["--workspace", other, "import", str(file)])

    assert done.stdout.startswith("1 line: 1 stored")
    assert again.stdout.startswith("1 line: 0 stored, 0 merged, 1 already there")
    back = runner.invoke(remem, ["--workspace", other, "export"]).stdout
    assert back == file.read_text() == run("export").stdout


def test_a_hyphen_is_standard_output(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run("store", "-c", "fact", "Tea is at five.")

    assert run("export", "-").stdout == run("export").stdout != ""
    assert not (tmp_path / "-").exists()


def test_plain_memories_can_be_piped_in(run: Run) -> None:
    line = json.dumps({"category": "fact", "content": "Zoë lives in Köln."})

    assert run("import", "-", input=f"{line}\n\n{line}\n").stdout.startswith("2 lines: 1 stored")
    assert "Zoë lives in Köln." in run("recall", "Zoë").stdout


def test_one_bad_line_and_nothing_is_imported(run: Run) -> None:
    result = run("import", "-", input='{"category":"fact","content":"good"}\n{"category":1}\n')

    assert result.exit_code == 1
    assert "line 2" in result.stderr
    assert run("export").stdout == ""


def test_an_import_can_be_marked_as_strangers_words(run: Run) -> None:
    line = '{"category":"fact","content":"Lunch is free."}'

    run("import", "-", "--trust", "untrusted", input=line)

    assert "Lunch is free." in run("review").stdout


def test_a_file_that_is_not_there_is_an_error(run: Run, tmp_path: Path) -> None:
    result = run("import", str(tmp_path / "nothing.jsonl"))

    assert result.exit_code == 1
    assert "cannot be read: No such file" in result.stderr


def test_a_failed_export_leaves_the_old_file(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "out.jsonl"
    run("store", "-c", "fact", "Tea is at five.")
    run("export", str(file))
    before = file.read_bytes()

    def full(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    result = run("export", str(file))

    assert result.exit_code == 1
    assert "cannot be written: No space left on device" in result.stderr
    assert file.read_bytes() == before
    assert [path.name for path in tmp_path.glob(".out*")] == []
