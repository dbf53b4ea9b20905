"""A conversation is written down from the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path

from remem.app.opening import open_workspace
from tests.cli.conftest import Run

ITEMS = '[{"kind": "task", "text": "Order seeds"}, {"kind": "mood", "text": "x"}]'


def test_items_come_from_a_file_or_a_pipe(run: Run, tmp_path: Path) -> None:
    (tmp_path / "items.json").write_text(ITEMS)

    first = run("flush", str(tmp_path / "items.json"))
    second = json.loads(run("flush", "-", "--json", input=ITEMS).stdout)

    assert "written  task  → memory/main/attention.md\n    Order seeds" in first.stdout
    assert "refused: kind 'mood' is unknown" in first.stdout
    assert "created memory/main/index.md" in first.stdout
    assert "1 lesson written, 0 already known, 1 refused" in first.stdout
    assert second["written"] == []
    assert second["known"][0]["home"] == "memory/main/attention.md"


def test_anything_but_a_list_of_items_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text("{")
    (tmp_path / "text.json").write_text('"x"')

    assert "items is not JSON" in run("flush", str(tmp_path / "bad.json")).stderr
    assert "must be a list of objects" in run("flush", str(tmp_path / "text.json")).stderr
    assert "cannot be read" in run("flush", str(tmp_path / "none.json")).stderr


def test_a_transcript_is_flushed_once(run: Run, tmp_path: Path) -> None:
    message = {"role": "user", "content": "We decided to plant beans."}
    line = json.dumps({"type": "user", "sessionId": "s", "message": message})
    (tmp_path / "talk.jsonl").write_text(line + "\n")

    first = json.loads(run("flush", "--transcript", str(tmp_path / "talk.jsonl"), "--json").stdout)
    second = json.loads(run("flush", "--transcript", str(tmp_path / "talk.jsonl"), "--json").stdout)

    assert first["written"][0]["text"] == "We decided to plant beans."
    assert first["written"][0]["origin"] == "talk#L1"
    assert second["written"] == second["known"] == []


def test_two_sources_exclude_each_other(run: Run) -> None:
    assert "are mutually exclusive" in run("flush", "x", "--idle").stderr


def test_without_idle_conversations_nothing_is_printed(run: Run) -> None:
    assert run("flush", "--idle").stdout == ""


def test_the_status_says_when_and_why_it_was_last_flushed(run: Run, root: Path) -> None:
    assert "last_flush" not in json.loads(run("status", "--json").stdout)["progressive"]
    with open_workspace(root, background=False) as memory:
        done = memory.flush([{"kind": "task", "text": "Order seeds"}], reason="PreCompact: auto")

    shown = json.loads(run("status", "--json").stdout)["progressive"]

    assert (shown["last_flush"], shown["last_flush_reason"]) == (
        done.last_flush,
        "PreCompact: auto",
    )
    words = " ".join(run("status").stdout.split())
    assert re.search(r"last flushed (?:now|\d+ min ago) \(PreCompact: auto\)", words)
