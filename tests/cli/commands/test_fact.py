"""Facts and notes from the command line: words behind the action, or options."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from remem.errors import NotAllowed
from tests.cli.conftest import Run
from tests.conftest import Opener


def test_a_fact_is_recorded_superseded_and_looked_back_on(run: Run) -> None:
    run("fact", "record", "Zoë", "Zoë lives in Bern.", "--timestamp", "2026-01-05")
    shown = run("fact", "record", "Zoë", "Zoë now lives in Basel.").stdout

    assert "contradicts zoë-001: Zoë lives in Bern." in shown
    assert "remem fact supersede zoë-001 'Zoë now lives in Basel.'" in shown
    done = run("fact", "supersede", "zoë-001", "Zoë now lives in Basel.").stdout
    assert "already known" in done
    assert "supersedes zoë-001: Zoë lives in Bern." in done
    assert "Bern" not in run("fact", "list", "Zoë").stdout
    assert "Bern" in run("fact", "list", "Zoë", "--as-of", "2026-02-01").stdout
    assert "superseded → zoë-002" in run("fact", "history", "Zoë").stdout


def test_words_and_options_say_the_same(run: Run) -> None:
    by_words = run("fact", "record", "Zoë", "Zoë sings.", "--json").stdout
    by_options = run("fact", "record", "--entity", "Zoë", "--fact", "Zoë sings.", "--json").stdout

    assert json.loads(by_options)["facts"] == json.loads(by_words)["facts"]
    assert json.loads(by_options)["known"] is True


def test_a_fact_may_come_through_a_pipe(run: Run) -> None:
    assert "Zoë sings." in run("fact", "record", "Zoë", input="Zoë sings.\n").stdout
    assert "Zoë rows." in run("fact", "record", "Zoë", "-", input="Zoë rows.\n").stdout


def test_entities_get_aliases_and_are_merged_and_unmerged(run: Run) -> None:
    run("fact", "record", "Zoë", "Zoë sings.", "--kind", "person")
    run("fact", "record", "Zoe", "Zoe rows.")

    assert "Zoë (person), also Z, Frau M" in run("fact", "alias", "Zoë", "Z", "Frau M").stdout
    assert "with zoe" in run("fact", "merge", "Zoe", "Zoë").stdout
    assert "2 active facts" in run("fact", "entities").stdout
    run("fact", "unmerge", "Zoe")
    assert "with zoe" not in run("fact", "entities").stdout
    assert run("fact", "list").stdout.count("active") == 2


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        (("fact",), 2, "Missing argument 'ACTION'"),
        (("fact", "entities", "more"), 2, "entities does not take the word 'more'"),
        (("fact", "guess"), 1, "action 'guess' is unknown"),
        (("fact", "list", "nobody"), 1, "no entity is called 'nobody'"),
        (("note",), 1, "note is empty"),
    ],
)
def test_wrong_input_is_reported_on_stderr(
    run: Run, line: tuple[str, ...], code: int, message: str
) -> None:
    result = run(*line)

    assert result.exit_code == code
    assert message in result.stderr
    assert result.stdout == ""


def test_an_empty_result_is_reported(run: Run) -> None:
    assert run("fact", "list").stdout == "nothing found\n"
    assert run("fact", "entities").stdout == "nothing found\n"


def test_a_note_reports_its_place(run: Run, root: Path) -> None:
    said = run("note", "Called the plumber.")
    piped = json.loads(run("note", "--json", input="He comes.\n").stdout)

    assert said.stdout.startswith("noted in memory/20")
    assert piped["end"] == 4
    assert (root / piped["path"]).read_text().endswith(" He comes.\n")


def test_a_note_may_begin_with_a_dash(run: Run, root: Path) -> None:
    done = run("note", "- bought milk", "--json")

    assert done.exit_code == 0
    assert (root / json.loads(done.stdout)["path"]).read_text().endswith("bought milk\n")


@pytest.mark.parametrize("line", [("note", "--jsno", "milk"), ("note", "-x")])
def test_a_mistyped_option_is_not_stored_as_a_note(run: Run, root: Path, line: tuple[str]) -> None:
    assert run(*line).exit_code == 2
    assert not list((root / "memory").glob("20*.md"))


def test_control_characters_in_a_fact_are_escaped(run: Run) -> None:
    shown = run("fact", "record", "Zoë", "Zoë \x1b[31msings\x1b[0m.").stdout

    assert "\x1b[31m" not in shown


GATE = "The gate code is 4821."


def test_the_owner_can_keep_a_code_in_a_note_and_in_a_fact(run: Run, root: Path) -> None:
    masked = [
        run("note", GATE).stdout,
        run("fact", "record", "Summer house", GATE).stdout,
    ]
    assert all("redacted: code" in shown for shown in masked)

    kept = [
        run("note", "--keep", GATE),
        run("fact", "record", "Summer house", GATE, "--keep"),
        run("fact", "supersede", "summer-house-002", "The gate code is 7531.", "--keep"),
    ]

    assert all("redacted" not in done.stdout and done.exit_code == 0 for done in kept)
    (note,) = (root / "memory").glob("20*.md")
    assert GATE in note.read_text(encoding="utf-8")
    items = (root / "brain/areas/summer-house/items.json").read_text(encoding="utf-8")
    assert GATE in items
    assert "The gate code is 7531." in items


def test_keep_is_only_for_recording(run: Run) -> None:
    refused = run("fact", "list", "--keep")

    assert refused.exit_code == 2
    assert "--keep can only be used with record and supersede" in refused.stderr


def test_an_agent_cannot_keep_a_secret_in_a_note_or_a_fact(opened: Opener) -> None:
    agent = opened(trust="agent")

    with pytest.raises(NotAllowed, match="only the owner"):
        agent.note(GATE, keep_secrets=True)
    with pytest.raises(NotAllowed, match="only the owner"):
        agent.facts.record("Summer house", GATE, keep_secrets=True)
