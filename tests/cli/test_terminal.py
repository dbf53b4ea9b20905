"""What a person sees; a memory has no power over the terminal."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.cli.terminal import progress, say_table, visible
from tests.cli.conftest import Run


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("\x1b]8;;http://evil\x07link", "\\x1b]8;;http://evil\\x07link"),
        ("\x9b2J", "\\x9b2J"),
        ("a\u202eb", "a\\u202eb"),
        ("one\ntwo\tthree", "one\ntwo\tthree"),
        ("Zoë 東京 🙂", "Zoë 東京 🙂"),
    ],
)
def test_control_characters_are_escaped(text: str, seen: str) -> None:
    assert visible(text) == seen


@given(st.text())
def test_nothing_that_is_shown_can_start_a_control_sequence(text: str) -> None:
    shown = visible(text)

    assert not any(ord(char) < 32 and char not in "\n\t" for char in shown)
    assert not any(127 <= ord(char) < 160 for char in shown)


def test_a_stored_escape_sequence_does_not_reach_the_terminal(run: Run) -> None:
    run("store", "-c", "fact", "Tea \x1b]0;pwned\x07 at five.", "-t", "a\x1b[2J")

    output = run("recall", "tea").output

    assert "\x1b" not in output
    assert "\\x1b]0;pwned" in output


def test_markup_in_a_memory_is_text(run: Run) -> None:
    run("store", "-c", "fact", "Write [bold]tea[/bold] :smile: [link=http://x]y[/link].")

    assert "[bold]tea[/bold] :smile: [link=http://x]y[/link]" in run("recall", "tea").stdout


def test_a_long_line_stays_one_line_in_a_pipe(run: Run) -> None:
    run("store", "-c", "fact", "tea " * 60)

    assert "    " + ("tea " * 60).rstrip() in run("recall", "tea").stdout


def test_an_answer_says_what_was_not_found_and_why(run: Run) -> None:
    output = run("recall", "unicorn").stdout

    assert "nothing found" in output
    assert "note: keyword only" in output


def test_status_is_readable(run: Run, root: Path) -> None:
    run("store", "-c", "decision", "-p", "critical", "We drink tea.")
    (root / "memory/domains/decisions.md").write_bytes(b"\xff")

    output = run("status").stdout

    assert "main: 1 entry, " in output
    assert "by category         decision 1" in output
    assert "degraded" in output


def test_a_receipt_says_what_became_of_a_memory(run: Run) -> None:
    run("store", "-c", "fact", "Tea is at five.")

    again = run("store", "-c", "fact", "TEA is at five.").stdout

    assert again.startswith("merged into mem-")
    assert ", version 2 (fact, " in again


def test_the_detailed_format_shows_more_than_the_brief_one(run: Run) -> None:
    run("store", "-c", "fact", "Tea is at five.", "--expires", "2099-01-01")

    assert "version 1, stored " not in run("recall", "tea").stdout
    detailed = run("recall", "tea", "--format", "detailed").stdout
    assert "    version 1, stored 20" in detailed
    assert "expires 2099-01-01" in detailed


def test_a_reader_that_leaves_early_ends_a_command_as_a_pipe_does(run: Run, root: Path) -> None:
    for number in range(3):
        run("store", "-c", "fact", f"Tea {number} " + "x" * 60_000)
    line = [sys.executable, "-m", "remem", "--workspace", str(root)]
    ask = [*line, "recall", "tea", "--format", "detailed", "-b", "500000"]

    with subprocess.Popen(ask, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.read(1)
        process.stdout.close()
        process.wait()

    assert process.returncode == 141


def test_progress_is_one_line_that_is_erased_at_the_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)

    with progress(delay=0) as report:
        report("memory/2026-11-15.md")
        report("MEMORY\x1b[2J.md")

    erase = "\r\x1b[K"
    assert capsys.readouterr().err == (
        f"{erase}memory/2026-11-15.md …{erase}MEMORY\\x1b[2J.md …{erase}"
    )


def test_progress_is_only_for_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with progress(delay=0) as report:
        report("MEMORY.md")

    assert capsys.readouterr().err == ""


def test_a_row_without_room_for_its_text_continues_below(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("remem.cli.terminal.terminal_width", lambda: 40)

    say_table([("by category, most frequent", "fact 60, instruction 40, insight 24, project 16")])

    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "by category, most frequent"
    assert " ".join(line.strip() for line in shown[1:]).endswith("insight 24, project 16")
    assert max(map(len, shown)) <= 40
