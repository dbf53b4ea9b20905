"""A transcript is read from where it was left; whole lines count, each of them once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from remem.errors import FileError
from remem.files.transcripts.reading import new_turns, source_of
from tests.tables import each_row


def line(text: str) -> str:
    message = {"role": "user", "content": text}
    return json.dumps({"type": "user", "sessionId": "s", "message": message}) + "\n"


def test_only_what_is_new_is_given(tmp_path: Path) -> None:
    talk = tmp_path / "talk.jsonl"
    talk.write_text(line("one") + line("two"))
    first = new_turns(talk, None)
    talk.write_text(talk.read_text() + line("three"))
    second = new_turns(talk, first.read_to)

    assert [turn.text for turn in first.turns] == ["one", "two"]
    assert [(turn.text, turn.line) for turn in second.turns] == [("three", 3)]
    assert new_turns(talk, second.read_to).turns == ()


def test_an_incomplete_line_is_read_later(tmp_path: Path) -> None:
    talk = tmp_path / "talk.jsonl"
    talk.write_text(line("one") + line("two")[:-5])
    first = new_turns(talk, None)
    talk.write_text(line("one") + line("two"))

    assert [turn.text for turn in first.turns] == ["one"]
    assert [turn.text for turn in new_turns(talk, first.read_to).turns] == ["two"]


@each_row("new", ["", "x", "other text that is quite a bit longer than it was"])
def test_a_rewritten_file_is_read_from_the_beginning(tmp_path: Path, new: str) -> None:
    talk = tmp_path / "talk.jsonl"
    talk.write_text(line("one") + line("two"))
    first = new_turns(talk, None)
    talk.write_text(line(new or "x") * (3 if new else 1))

    second = new_turns(talk, first.read_to)

    assert second.rewritten
    assert [turn.line for turn in second.turns] == list(range(1, second.read_to.lines + 1))


def test_a_file_that_is_not_a_transcript_is_refused_with_a_reason(tmp_path: Path) -> None:
    (tmp_path / "events.jsonl").write_text('{"event": 1}\n')

    assert new_turns(tmp_path / "events.jsonl", None).refusal == "not a transcript"
    with pytest.raises(FileError, match="there is no transcript"):
        new_turns(tmp_path / "gone.jsonl", None)


def test_an_archive_has_the_name_that_it_had_before(tmp_path: Path) -> None:
    archive = tmp_path / "a1.jsonl.reset.2026-11-15T10-30-00.000Z"

    assert source_of(archive) == source_of(tmp_path / "a1.jsonl")
