"""Memories are listed, followed and edited on the command line."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from remem.app.opening import open_workspace
from tests.cli.conftest import Run
from tests.tables import each_row


def stored(run: Run, text: str, *options: str) -> str:
    return str(json.loads(run("store", "-c", "fact", text, *options, "--json").stdout)["id"])


def test_the_list_has_one_line_per_memory_the_latest_first(run: Run) -> None:
    tea = stored(run, "Tea is at four.", "-t", "tea")
    stored(run, "Coffee is at nine.\nBlack.")
    time.sleep(1)  # times have a precision of seconds
    run("edit", tea, "Tea is at five.")

    lines = run("list").stdout.splitlines()

    assert len(lines) == 2
    assert lines[0].split() == [*f"{tea} fact now Tea is at five. #tea".split()]
    assert lines[1].endswith("Coffee is at nine. Black.")
    assert run("list", "--tag", "tea").stdout.splitlines() == lines[:1]
    assert run("list", "-c", "person").stdout == ""


def test_a_limited_list_says_that_there_are_more(run: Run) -> None:
    for number in range(3):
        stored(run, f"Fact number {number}.")

    assert run("list", "-n", "2").stderr == "there are more: add --all\n"
    assert len(run("list", "-n", "2", "--all").stdout.splitlines()) == 3
    assert len(json.loads(run("list", "-n", "2", "--json").stdout)) == 2


@pytest.mark.parametrize("command", ["list", "recent"])
def test_a_limit_that_no_store_can_count_to_is_refused(run: Run, command: str) -> None:
    result = run(command, "-n", "9" * 30)

    assert result.exit_code == 1
    assert "is not a whole number from 1" in result.stderr


def test_an_empty_list_says_what_to_do(run: Run) -> None:
    result = run("list")

    assert (result.exit_code, result.stdout) == (0, "")
    assert "next: remem --workspace" in result.stderr
    assert "store 'Something to remember.'" in result.stderr


def test_recent_shows_what_happened(run: Run) -> None:
    tea = stored(run, "Tea is at four.")
    stored(run, "Coffee is at nine.")
    time.sleep(1)
    run("forget", tea)

    lines = run("recent").stdout.splitlines()

    assert [line.split()[:2] for line in lines] == [["now", "forgotten"], ["now", "stored"]]
    assert json.loads(run("recent", "--json").stdout)[0]["entry"]["id"] == tea


def test_edit_changes_fields_and_says_so(run: Run) -> None:
    id_ = stored(run, "Tea is at four.")

    assert run("edit", id_, "-p", "high").stdout == f"changed {id_}, version 2: Tea is at four.\n"
    assert run("edit", id_, "-", input="Tea is at five.\n").exit_code == 0
    assert run("edit", id_, "Tea is at five.").stdout == f"{id_} was not changed\n"
    assert json.loads(run("edit", id_, "-t", "tea", "--json").stdout)["tags"] == ["tea"]


def test_edit_without_a_text_opens_the_editor(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    id_ = stored(run, "Tea is at four.")
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nsed -i s/four/five/ "$1"\n', encoding="utf-8")
    editor.chmod(0o755)
    monkeypatch.setenv("EDITOR", str(editor))
    monkeypatch.setattr("remem.cli.commands.entries.is_piped", lambda: False)

    assert "version 2: Tea is at five." in run("edit", id_).stdout


def test_edit_needs_no_quotes(run: Run) -> None:
    tea = stored(run, "Tea is at four.")

    assert "version 2: Tea is at five." in run("edit", tea, "Tea", "is", "at", "five.").stdout


def test_a_forgotten_memory_comes_back_when_it_is_stored_again(run: Run) -> None:
    tea = stored(run, "Tea is at four.")

    assert "storing it again brings it back" in run("forget", tea).stderr
    assert run("list").stdout == ""

    stored(run, "Tea is at four.")
    assert "Tea is at four." in run("list").stdout


def test_a_missing_id_is_asked_for_in_a_pipe_too(run: Run) -> None:
    result = run("forget", input="")

    assert result.exit_code == 2
    assert "Missing argument 'ID'. `remem list` shows" in result.stderr


@pytest.mark.parametrize("meant", ["the bike", "mem-"])
def test_words_or_a_misspelt_id_are_answered_with_the_entry_that_is_meant(
    run: Run, meant: str
) -> None:
    stored = run("store", "-c", "fact", "The bike is in the shed.").stdout
    id_ = stored.split()[1]

    result = run("forget", id_[:-1] if meant == "mem-" else meant)

    assert result.exit_code == 1
    assert f"{id_}  The bike is in the shed." in result.stderr


def test_a_long_text_is_cut_in_lists(run: Run) -> None:
    run("store", "-c", "fact", "The paste begins here. " + "Further lines follow. " * 200)

    for command in ("list", "recent"):
        line = run(command).stdout
        assert "The paste begins here." in line
        assert len(line) < 600
    assert len(run("list", "--json").stdout) > 4000


def test_edit_in_a_pipe_needs_a_text(run: Run) -> None:
    result = run("edit", stored(run, "Tea is at four."))

    assert result.exit_code == 1
    assert "hint: give the text after the id" in result.stderr


def test_store_guesses_the_category_and_says_so(run: Run, root: Path) -> None:
    result = run("store", "Never send mail without asking.")

    assert result.stderr.startswith("the category was guessed: instruction (")
    assert "(instruction, " in result.stdout
    id_ = result.stdout.split()[1]
    assert f"edit {id_} " in result.stderr
    with open_workspace(root, background=False) as memory:
        assert memory.entry(id_).category == "instruction"
    silent = run("store", "The shed is green.", "--json")
    assert json.loads(silent.stdout)["category"] == "fact"
    assert silent.stderr == ""


def test_a_statement_of_another_category_is_not_stored_twice(run: Run) -> None:
    first = run("store", "-c", "decision", "The ledger moves to SQLite.", "--json")
    id_ = json.loads(first.stdout)["id"]

    again = run("store", "the ledger moves to SQLite.")

    assert again.stdout.startswith(f"merged into {id_}, version 2 (decision, ")
    assert "guessed" not in again.stderr
    assert run("store", "The bike is in the shed.").stdout.startswith("stored ")
    assert run("store", "The bike is in the shed.").stdout.startswith("already stored as mem-")


def test_a_guess_is_reported_only_if_the_memory_is_stored(run: Run) -> None:
    result = run("store", "The shed is green.", "--expires", "tomorrow")

    assert result.exit_code == 1
    assert "guessed" not in result.stderr


def test_an_editor_that_does_not_start_is_named_with_a_remedy(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    id_ = stored(run, "Tea is at four.")
    monkeypatch.setattr("remem.cli.commands.entries.is_piped", lambda: False)
    monkeypatch.setenv("EDITOR", "/none/editor")
    monkeypatch.delenv("VISUAL", raising=False)

    result = run("edit", id_)

    assert result.exit_code == 1
    assert result.stderr.startswith("remem: /none/editor: ")
    assert "hint: set EDITOR" in result.stderr


def test_an_id_is_read_as_files_show_it(run: Run) -> None:
    id_ = stored(run, "Tea is at four.")

    assert run("edit", f"^{id_}", "Tea is at five.").stdout.startswith(f"changed {id_}, ")
    assert run("history", id_.upper()).exit_code == 0
    assert run("erase", f"^{id_}", input="n\n").stderr.startswith("Tea is at five.")
    assert run("forget", f"[{id_}]").stdout.startswith(f"archived {id_}, ")


def test_an_earlier_value_of_several_lines_is_one_line_in_the_history(run: Run) -> None:
    id_ = stored(run, "Tea is at four.", "--context", "said by Mara\nsaid by Ana")
    run("edit", id_, "--context", "agreed")

    assert "context: said by Mara; said by Ana → agreed" in run("history", id_).stdout


def test_a_new_memory_is_shown_with_the_similar_one_that_it_may_replace(run: Run) -> None:
    old = stored(run, "My sister's birthday is on 3 May.")

    result = run("store", "My sister's birthday is on 4 May.")

    assert f"similar: {old}  My sister's birthday is on 3 May." in result.stdout
    assert f"forget {old}   if it no longer holds" in result.stderr
    assert "similar:" not in run("store", "The bike is in the shed.").stdout


def test_a_long_text_is_stored_with_advice(run: Run) -> None:
    result = run("store", "-", input="\nHeating was repaired in May.\n" * 300)

    assert result.exit_code == 0
    assert "it is long" in result.stderr


def test_the_next_step_can_be_pasted(run: Run, root: Path) -> None:
    id_ = stored(run, "Tea is at four.")

    line = run("forget", id_).stderr.splitlines()[-1]

    assert line.startswith(f"next: remem --workspace {root} history {id_} ")
    assert run("forget", id_, "--json").stderr == ""


@each_row(
    ("line", "suggestion"),
    [
        (("list", "-c", "preferences"), "Did you mean 'preference'?"),
        (("list", "-p", "hgih"), "Did you mean 'high'?"),
        (("completion", "bahs"), "Did you mean 'bash'?"),
    ],
)
def test_a_value_that_is_almost_right_gets_a_suggestion(
    run: Run, line: tuple[str, ...], suggestion: str
) -> None:
    result = run(*line)

    assert result.exit_code == 2
    assert suggestion in result.stderr


@each_row("option", ["--context", "--supersedes", "--related-to", "--priority", "--expires", "-c"])
def test_an_option_without_its_value_stores_nothing(run: Run, option: str) -> None:
    done = run("store", "Tea at four.", option)

    assert done.exit_code == 2
    assert "requires an argument" in done.output
    assert "Tea" not in run("list").stdout
