"""What a hook notes is written down by a process of its own, once, whatever comes between."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from remem.app.hooks.event import Event, read_event
from remem.app.hooks.flushing import pending_flushes, record_flush, run_pending
from remem.app.opening import open_workspace
from remem.errors import FileError
from remem.files.layout import Layout
from remem.model.scope import MAIN
from tests.app.hooks.conftest import Call, call, payload, process

__all__ = ["call", "process"]

DECISION = "We decided to paint the garden gate green in spring."


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    """A conversation of Claude Code in which something was decided."""
    path = tmp_path / "projects" / "session.jsonl"
    path.parent.mkdir()
    lines = [
        {
            "type": "user",
            "sessionId": "s1",
            "cwd": str(tmp_path),
            "timestamp": "2026-11-15T10:00:00Z",
            "uuid": "u1",
            "message": {"role": "user", "content": DECISION},
        },
        {
            "type": "assistant",
            "sessionId": "s1",
            "cwd": str(tmp_path),
            "timestamp": "2026-11-15T10:00:05Z",
            "uuid": "a1",
            "message": {"role": "assistant", "content": [{"type": "text", "text": "Noted."}]},
        },
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def ended(transcript: Path, name: str = "session-end") -> Event:
    said = {"session_id": "s1", "transcript_path": str(transcript), "reason": "other"}
    return read_event(name, "claude-code", json.dumps(said).encode())


def written(root: Path) -> int:
    """How often the decision stands in the memory's Markdown."""
    files = [path for path in (root / "memory").rglob("*.md") if path.parent.name == "domains"]
    return sum(path.read_text().count("garden gate green") for path in files)


def test_a_place_in_a_conversation_is_noted_once(root: Path, transcript: Path) -> None:
    layout = Layout(root)

    assert record_flush(layout, MAIN, ended(transcript))
    assert not record_flush(layout, MAIN, ended(transcript))
    with transcript.open("a") as file:
        file.write("{}\n")
    assert record_flush(layout, MAIN, ended(transcript))

    assert len(list(pending_flushes(layout, MAIN))) == 2


def test_what_is_due_is_written_down_and_its_note_goes(root: Path, transcript: Path) -> None:
    layout = Layout(root)
    for name in ("stop", "pre-compact", "session-end"):
        record_flush(layout, MAIN, ended(transcript, name))

    with open_workspace(root, trust="agent", background=False, keywords_only=True) as memory:
        run_pending(layout, memory)
        record_flush(layout, MAIN, ended(transcript))  # the host tells it once more
        run_pending(layout, memory)

    assert list(pending_flushes(layout, MAIN)) == []
    assert written(root) == 1


def test_a_flush_that_fails_keeps_its_note(
    root: Path, transcript: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    layout = Layout(root)
    record_flush(layout, MAIN, ended(transcript))
    with open_workspace(root, background=False, keywords_only=True) as memory:

        def fail(_path: object, _reason: str, **_options: object) -> None:
            raise OSError("no disk")

        monkeypatch.setattr(memory, "flush_transcript", fail)
        with pytest.raises(OSError, match="no disk"):
            run_pending(layout, memory)

    assert len(list(pending_flushes(layout, MAIN))) == 1


def test_one_that_cannot_be_flushed_holds_up_no_other(root: Path, transcript: Path) -> None:
    layout = Layout(root)
    record_flush(layout, MAIN, ended(transcript))
    (damaged,) = [path for path, _ in pending_flushes(layout, MAIN)]
    damaged.with_name("0.json").write_bytes(b"{torn")
    link = transcript.with_name("link.jsonl")
    link.symlink_to(transcript)  # whose turn comes first is for the names to decide
    for name in ("stop", "session-end"):
        record_flush(layout, MAIN, ended(link, name))

    with (
        open_workspace(root, trust="agent", background=False, keywords_only=True) as memory,
        pytest.raises(FileError, match=r"0\.json cannot be parsed.*link\.jsonl"),
    ):
        run_pending(layout, memory)

    assert written(root) == 1
    assert {due.transcript for _, due in pending_flushes(layout, MAIN)} == {str(link)}


def test_a_damaged_note_does_not_cost_a_conversation_its_start(process: Call, root: Path) -> None:
    record_flush(Layout(root), MAIN, Event("stop", "codex", conversation="s1"))
    (note,) = [path for path, _ in pending_flushes(Layout(root), MAIN)]
    note.write_bytes(b"{torn")

    assert "Memory Index" in str(payload(process("session-start", {})))


def test_a_conversation_that_no_file_holds_stays_noted(root: Path) -> None:
    layout = Layout(root)
    record_flush(layout, MAIN, Event("pre-compact", "openclaw", "agent:main:main", "s1", None, 7))
    record_flush(layout, MAIN, ended(Path(f"/{'long' * 100}")))

    with open_workspace(root, background=False, keywords_only=True) as memory:
        assert run_pending(layout, memory) == 0

    assert len(list(pending_flushes(layout, MAIN))) == 2


def test_a_hook_leaves_the_flush_to_a_process_of_its_own(
    call: Call, root: Path, transcript: Path
) -> None:
    said = {"session_id": "s1", "transcript_path": str(transcript), "trigger": "auto"}

    assert payload(call("pre-compact", said)) is None
    assert payload(call("due")) is None  # waits for the one that was left behind, or does it

    assert written(root) == 1
    assert list(pending_flushes(Layout(root), MAIN)) == []
