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
    assert "| MEMORY.md |       2 |       2 |       0 |       0 |" in result.stdout
    assert run("export").stdout == ""
    assert "remem migrate   stores the entries" in result.stderr.replace(f"--workspace {root} ", "")
    run("migrate")
    assert "stores the entries" not in run("migrate", "--dry-run").stderr, "nothing is left to do"


def test_without_files_there_is_no_table(run: Run) -> None:
    shown = run("migrate").stdout

    assert "There is no file to migrate." in shown
    assert "|" not in shown


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
    assert file.read_text().startswith("# Migration\n")


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


def test_the_report_fits_a_terminal(run: Run, root: Path) -> None:
    (root / "memory/notes").mkdir(parents=True, exist_ok=True)
    for number in range(20):
        note = root / f"memory/notes/2026-02-{number + 1:02}-a-very-long-name-of-a-note-of-a-day.md"
        note.write_text(f"# Day\n- Never restart relay {number} before noon, {'please ' * 20}\n")

    result = run("migrate", "--dry-run")

    assert max(map(len, result.stdout.splitlines())) <= 80
    assert "5 more files" in result.stdout


def test_a_migration_is_undone(run: Run, root: Path) -> None:
    (root / "MEMORY.md").write_text("- Tea is at five.\n")
    run("migrate")

    assert "1 new entry archived" in run("migrate", "--undo").stdout
    assert "no migration to undo" in run("migrate", "--undo").stderr
    assert "cannot be combined with other options" in run("migrate", "--undo", "--dry-run").stderr
