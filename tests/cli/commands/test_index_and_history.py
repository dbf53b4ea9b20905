"""Commands that only look."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Run


def test_the_index_is_printed_as_it_is_in_the_file(run: Run, root: Path) -> None:
    run("store", "-c", "instruction", "-p", "critical", "Never shout.")

    output = run("index").stdout

    assert "- [I] Never shout." in output
    assert output == (root / "memory/INDEX.md").read_text()


def test_the_history_holds_every_wording(run: Run) -> None:
    id_ = json.loads(run("store", "-c", "fact", "Tea is at four.", "--json").stdout)["id"]
    file = "Tea is at four."
    run("store", "-c", "fact", f"{file} Cake is at five.")

    output = run("history", id_).stdout
    versions = json.loads(run("history", id_, "--json").stdout)

    assert output.index("version 1") < output.index("version 2")
    assert [version["entry"]["content"] for version in versions] == [
        file,
        f"{file} Cake is at five.",
    ]


def test_the_history_says_what_else_changed(run: Run, root: Path) -> None:
    id_ = json.loads(run("store", "-c", "fact", "Tea is at four.", "--json").stdout)["id"]
    file = root / "memory/domains/facts.md"
    file.write_text(file.read_text().replace('{"created"', '{"priority":"high","created"'))

    run("recall", "tea")

    assert "    priority: medium → high" in run("history", id_).stdout


def test_an_id_that_names_nothing_is_an_error(run: Run) -> None:
    result = run("history", "mem-00000000")

    assert result.exit_code == 1
    assert "no entry has the id 'mem-00000000'" in result.stderr


def test_lines_of_the_index_are_pinned_dropped_ordered_and_brought_back(run: Run) -> None:
    for text in ("Likes tea.", "Collects jazz records.", "Walks to work."):
        run("store", "-c", "preference", text)
    lines = [line for line in run("index").stdout.split("\n") if line.startswith("- [P]")]

    assert run("index", "drop", "2").stdout.startswith("1: dropped mem-")
    assert run("index", "order", "2", "1").stdout == "2: reordered 2 lines\n"
    pinned = json.loads(run("index", "pin", "Ask before buying", "--json").stdout)

    assert pinned["verdicts"][0]["answer"] == "pin"
    assert run("index").stdout.split("\n")[4:7] == ["- Ask before buying", lines[2], lines[0]]
    for _ in range(3):
        run("index", "--undo")
    assert [line for line in run("index").stdout.split("\n") if line.startswith("- [P]")] == lines
    assert "there is no verdict to undo" in run("index", "--undo").stderr
