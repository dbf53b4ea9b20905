"""What a person sees of files: places, lines, and why something is missing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run


@pytest.fixture(autouse=True)
def memory_md(root: Path) -> None:
    lines = ["# Memory", "", "- The gateway runs on atlas. <!-- importance: 7 -->"]
    text = "\n".join([*lines, "- Beware \x1b[31mred.\n"])
    (root / "MEMORY.md").write_text(text, encoding="utf-8")


def test_a_result_shows_its_place_and_its_lines(run: Run) -> None:
    shown = run("search", "gateway").stdout

    assert "MEMORY.md:3  importance 7" in shown
    assert "    - The gateway runs on atlas." in shown
    assert "Source:" not in shown


def test_control_characters_in_a_file_are_escaped(run: Run) -> None:
    for shown in (run("search", "beware").stdout, run("get", "MEMORY.md").stdout):
        assert "\x1b" not in shown
        assert "\\x1b[31mred." in shown


def test_a_name_of_two_lines_is_shown_in_one(run: Run, root: Path) -> None:
    (root / "memory").mkdir(exist_ok=True)
    (root / "memory/two\nlines.md").write_text("- A puffin.\n")

    assert "memory/two\\nlines.md:1" in run("search", "puffin").stdout


def test_an_empty_result_is_reported(run: Run) -> None:
    nothing, method = run("search", "zyzzyva").stdout.splitlines()
    assert nothing.startswith("nothing found; try other words")
    assert method.startswith("searched by words only")


def test_the_reason_why_a_search_is_not_possible_is_shown(run: Run) -> None:
    shown = run("search", "gateway", "--corpus", "sessions").stdout

    assert "Session transcript search is not enabled." in shown
    assert "nothing found" not in shown


def test_lines_are_printed_as_they_are_in_the_file(run: Run) -> None:
    shown = run("get", "MEMORY.md", "--from", "3", "--lines", "1").stdout

    assert shown.startswith("- The gateway runs on atlas. <!-- importance: 7 -->\n")
    assert "Use from=4 to continue" in shown


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("memory/nope.md", "there is no memory file memory/nope.md"),
        (
            "AGENTS.md",
            "AGENTS.md: path is not an allowed Markdown memory file\n"
            "hint: `remem search WORDS` shows the paths of memory files",
        ),
        (
            "mem-3f8k2m1q",
            "mem-3f8k2m1q: path is not an allowed Markdown memory file\n"
            "hint: `remem history mem-3f8k2m1q` shows the memory with this id",
        ),
    ],
)
def test_the_reason_why_a_file_is_not_shown_is_given(run: Run, path: str, words: str) -> None:
    result = run("get", path)

    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"remem: {words}\n"


def test_json_is_exactly_the_tools_answer(run: Run) -> None:
    found = json.loads(run("search", "gateway", "-n", "1", "--min-score", "0.5", "--json").stdout)
    read = json.loads(run("get", "MEMORY.md", "--json").stdout)

    assert found["results"][0]["startLine"] == 3
    assert read["status"] == "ok"


def test_a_query_can_come_through_a_pipe(run: Run) -> None:
    assert "MEMORY.md:3" in run("search", "-", input="gateway\n").stdout


def test_a_missing_query_is_asked_for_in_the_words_of_the_contract(run: Run) -> None:
    result = run("search", "", "--json")

    assert (result.exit_code, result.stderr) == (1, "remem: query required\n")
