"""Memory learns from the command line, and takes it back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.samples.talks import talk

BOAT = "I'm thinking of buying a small sailing boat."
ALL = ("--days", "3650")


@pytest.fixture(autouse=True)
def said(root: Path, home: Path) -> None:
    (root / ".remem/config.toml").write_text('embedder = "none"\ntranscripts = ["main"]\n')
    talk(home, root, "one", ["Hello!", BOAT, "I moved to Oslo in May."], day="2026-11-03")
    talk(home, root, "two", [BOAT], day="2026-11-10")


def test_a_heartbeat_reports_what_it_wrote_and_what_it_passed_over(run: Run) -> None:
    first = run("heartbeat", *ALL)
    second = json.loads(run("heartbeat", *ALL, "--json").stdout)

    assert "written  fact  → mem-" in first.stdout
    assert "from one#L3" in first.stdout
    assert "1 greeting or thanks" in first.stdout
    assert "2 conversations and 1 note read: 1 statement written, 0 already known" in first.stdout
    assert (second["written"], second["conversations"]) == ([], 0)


def test_a_consolidation_explains_its_choices_and_can_be_undone(run: Run) -> None:
    first = run("consolidate", *ALL, "--explain")
    undone = run("consolidate", "--undo")
    again = json.loads(run("consolidate", *ALL, "--explain", "--json").stdout)

    assert "stored mem-" in first.stdout
    assert "said in 2 conversations on 2 days" in first.stdout
    assert "left: said in one conversation; 2 are needed" in first.stdout
    assert "`remem consolidate --undo` undoes run 1" in first.stdout
    assert "run 1 was undone\narchived: mem-" in undone.stdout
    assert again["taken"] == []
    assert "the owner undid an earlier run that used it" in {
        item["reason"] for item in again["left"]
    }


def test_a_heartbeat_says_if_no_conversation_may_be_read(run: Run, root: Path) -> None:
    (root / ".remem/config.toml").write_text('embedder = "none"\n')

    shown = run("consolidate", *ALL).stdout

    assert 'note: conversations are not read: add "main" to transcripts in .remem/config.toml' in (
        " ".join(shown.split())
    )
    assert "0 statements in 0 conversations" in shown


def test_facts_and_contradictions_are_shown_with_their_places(
    run: Run, root: Path, home: Path
) -> None:
    run("fact", "record", "Mara", "Mara lives in Porto.", "--timestamp", "2026-10-01")
    for name, day in (("three", "2026-11-05"), ("four", "2026-11-12")):
        talk(home, root, name, ["Mara lives in Lisbon."], day=day)

    result = json.loads(run("consolidate", *ALL, "--json").stdout)
    shown = run("consolidate", *ALL)
    undone = run("consolidate", "--undo")

    assert "mara-002" in [item.get("fact") for item in result["taken"]]
    assert [item["earlier"]["fact"] for item in result["contradictions"]] == ["mara-001"]
    assert "contradiction: two values for one thing: mara live in; the new fact" in shown.stdout
    assert "    mara-001: Mara lives in Porto.\n" in shown.stdout
    assert "three.jsonl#L1" in shown.stdout
    assert "to replace it: remem fact supersede mara-001 'Mara lives in Lisbon.'" in shown.stdout
    assert "retracted facts: mara-002" in undone.stdout


def test_contradictory_options_of_consolidate_are_refused(run: Run) -> None:
    both = run("consolidate", "--undo", "--explain")
    nothing = run("consolidate", "--undo")

    assert (both.exit_code, nothing.exit_code) == (2, 1)
    assert "are mutually exclusive" in both.stderr
    assert "there is no consolidation to undo" in nothing.stderr
    assert run("heartbeat", "--days", "0").exit_code != 0


def test_a_setting_without_its_model_is_refused(run: Run, root: Path) -> None:
    (root / ".remem/config.toml").write_text('extractor = "llm"\n')

    assert "extractor = 'llm' needs llm_url and llm_model" in run("heartbeat").stderr
