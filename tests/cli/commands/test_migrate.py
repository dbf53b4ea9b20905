"""Migration on the command line: tried out, done, reported."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Run

TEXT = "## Rules\n- Never send mail without asking.\n\n- Tea is at five.\n"


def test_a_dry_run_says_what_would_be_done(run: Run, root: Path) -> None:
    (root / "MEMORY.md").write_text(TEXT)

    result = run("migrate", "--dry-run")

    assert result.exit_code == 0
    assert "nothing was written" in result.stdout
    assert "| MEMORY.md | 4 | 2 | 0 | 2 |" in result.stdout
    assert run("export").stdout == ""


def test_json_lists_every_line(run: Run, root: Path) -> None:
    (root / "MEMORY.md").write_text(TEXT)

    shown = json.loads(run("migrate", "--json").stdout)

    lines = shown["files"][0]["lines"]
    assert [(line["number"], line["outcome"]) for line in lines] == [
        (1, "left"),
        (2, "taken"),
        (3, "left"),
        (4, "taken"),
    ]
    assert lines[1]["category"] == "instruction"
    assert lines[1]["id"] in run("export").stdout


def test_the_report_goes_to_a_file_too(run: Run, root: Path, tmp_path: Path) -> None:
    (root / "MEMORY.md").write_text(TEXT)
    file = tmp_path / "report.md"

    run("migrate", "--report", str(file))

    assert file.read_text().startswith("# Migration\n")
    assert "blank 1" in file.read_text()


def test_a_group_is_refused_and_learns_nothing(run: Run, root: Path) -> None:
    (root / "memory").mkdir()
    (root / "memory/group_names.json").write_text('{"-100": "garden"}')
    line = ("--session", "agent:main:telegram:group:-100", "migrate")

    without = run(*line)
    (root / "MEMORY.md").write_text(TEXT)
    with_it = run(*line)

    assert without.exit_code == with_it.exit_code == 1
    assert without.stderr == with_it.stderr
    assert "to main" in with_it.stderr
