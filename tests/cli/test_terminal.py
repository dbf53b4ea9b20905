"""What a person sees; a memory has no power over the terminal."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.cli.opening import CommandTarget, next_step
from remem.cli.questions import ask_for_text, confirm
from remem.cli.terminal import columns_of, folded, progress, say, say_table, visible
from tests.cli.conftest import Run
from tests.tables import each_row


@each_row(
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

    assert "nothing found by words only" in output
    assert "note:" not in output


def test_an_answer_of_an_empty_memory_says_that_nothing_is_stored(run: Run) -> None:
    assert "nothing is stored yet" in run("recall", "unicorn").stderr

    run("store", "-c", "fact", "Tea is at five.")

    assert "nothing is stored yet" not in run("recall", "unicorn").stderr


def test_without_its_model_status_promises_no_search_by_meaning(
    run: Run, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REMEM_MODELS", str(tmp_path / "no models"))
    (root / ".remem/config.toml").write_text("")
    run("store", "-c", "fact", "Tea is at five.")

    output = run("status").stdout

    assert "search             by words only" in output
    assert "remem models fetch" in output


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


NARROW_COMMANDS = (
    ("list",),
    ("recent",),
    ("recall", "tea"),
    ("search", "tea"),
    ("status",),
    ("audit", "--recommend"),
    ("validate",),
    ("setup", "--dry-run"),
    ("models", "list"),
    ("open", "what about tea?"),
    ("connect", "codex"),
    ("edit", "mem-00000000"),
    ("get", "nothing.md"),
    ("store", "Oolong is in the blue tin."),
    ("list", "-c", "fatc"),
)


@pytest.mark.parametrize("width", [40, 60])
@each_row("words", NARROW_COMMANDS, ids=" ".join)
def test_what_is_printed_fits_a_narrow_terminal(
    run: Run, monkeypatch: pytest.MonkeyPatch, home: Path, words: tuple[str, ...], width: int
) -> None:
    run("store", "-c", "preference", "-p", "high", "Ana likes green tea best, from Uji " * 3)
    run("store", "-c", "fact", "東京の茶の店は日曜日に閉まっていて、月曜日は午後だけ開いている。")
    for name in (
        "terminal",
        "opening",
        "commands.entries",
        "commands.audit",
        "commands.memory",
        "commands.setup",
    ):
        import_module(f"remem.cli.{name}")
        monkeypatch.setattr(f"remem.cli.{name}.terminal_width", lambda *, err=False: width)

    lines = run(*words).output.splitlines()

    paths = str(home.parent.parent)
    wide = [line for line in lines if columns_of(line) > width and paths not in line]
    # The path of a folder, such as that of the models, stays in one piece.
    assert [line for line in wide if not re.fullmatch(r" */\S+", line)] == []


def test_a_terminal_shows_the_best_matches_and_says_how_to_see_the_rest(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(8):
        run("store", "-c", "fact", f"Tea number {number} is kept in box {number * 7}.")
    in_pipe = run("recall", "tea").stdout

    monkeypatch.setattr("remem.cli.commands.memory.terminal_width", lambda: 80)
    shown = run("recall", "tea")

    assert in_pipe.count("    Tea number") == 8
    assert shown.stdout.count("    Tea number") == 6
    assert "the best 6 of 8 matches by words only; `-n 8` shows more" in shown.stdout
    assert run("recall", "tea", "-n", "8").stdout.count("    Tea number") == 8


def test_a_long_word_stays_whole_and_chinese_is_split_between_characters() -> None:
    assert folded("see /a/very/long/path/to/a/file now", 10) == [
        "see",
        "/a/very/long/path/to/a/file",
        "now",
    ]
    assert folded("我喜欢喝绿茶", 6) == ["我喜欢", "喝绿茶"]


def test_the_command_of_a_next_step_stays_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("remem.cli.opening.terminal_width", lambda *, err: 40)

    next_step(
        CommandTarget(None, "main"), "graduate --apply grad-1a2b3c4d", "writes it to MEMORY.md"
    )

    assert capsys.readouterr().err == (
        "next: remem graduate --apply grad-1a2b3c4d\n      writes it to MEMORY.md\n"
    )


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


def test_what_is_printed_during_a_task_replaces_the_line_of_its_progress(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)

    with progress(delay=0) as report:
        report("comparing")
        say("--- AGENTS.md", err=True)

    assert capsys.readouterr().err == "\r\x1b[Kcomparing …\r\x1b[K--- AGENTS.md\n"


@pytest.mark.parametrize("ask", [confirm, ask_for_text])
def test_ctrl_c_at_a_question_ends_the_command_and_the_end_of_input_is_a_no(
    monkeypatch: pytest.MonkeyPatch, ask: Callable[[str], object]
) -> None:
    answers: list[type[BaseException]] = [EOFError, KeyboardInterrupt]

    def read(_prompt: str = "") -> str:
        raise answers.pop(0)

    monkeypatch.setattr("click.termui.visible_prompt_func", read)

    assert not ask("Make it the workspace?")
    with pytest.raises(KeyboardInterrupt):
        ask("Make it the workspace?")


def test_an_erasure_that_is_declined_says_so_as_other_commands_do(run: Run) -> None:
    id_ = run("store", "-c", "fact", "Tea is at five.", "--json").stdout.split('"')[3]

    declined = run("erase", id_, input="n\n")

    assert declined.exit_code == 1
    assert "remem: nothing was changed\nhint: `remem" in declined.stderr
    assert "Aborted" not in declined.output


def test_progress_is_only_for_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with progress(delay=0) as report:
        report("MEMORY.md")

    assert capsys.readouterr().err == ""


def test_a_row_without_room_for_its_text_continues_below(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("remem.cli.terminal.terminal_width", lambda *, err=False: 40)

    say_table([("by category, most frequent", "fact 60, instruction 40, insight 24, project 16")])

    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "by category, most frequent"
    assert " ".join(line.strip() for line in shown[1:]).endswith("insight 24, project 16")
    assert max(map(len, shown)) <= 40
