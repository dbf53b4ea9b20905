"""Transcripts are searched if allowed, and cited by their lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from remem.app.opening import open_workspace
from remem.app.workspace import Workspace
from remem.model.passage import Passage
from tests.deterministic import Deterministic
from tests.search.refresh.ground import write

GROUP = "agent:main:telegram:group:-100123"


def said(role: str, text: str, moment: str = "2026-11-10T09:00:00.000Z") -> str:
    message = {"role": role, "content": [{"type": "text", "text": text}]}
    return json.dumps({"type": "message", "id": "x", "timestamp": moment, "message": message})


def session(*lines: str) -> str:
    first = json.dumps({"type": "session", "version": 4, "id": "s", "cwd": "/x"})
    return "\n".join((first, *lines)) + "\n"


@pytest.fixture
def openclaw(tmp_path: Path, root: Path) -> Path:
    """Two sessions: one of main, one of a group that the owner calls garden."""
    home = tmp_path / "openclaw"
    keys = {"agent:main:main": {"sessionId": "m"}, GROUP: {"sessionId": "g"}}
    write(
        home / "agents/main/sessions",
        {
            "sessions.json": json.dumps(keys),
            "m.jsonl": session(
                said("user", "The wedding is in Köln."), said("assistant", "Noted.")
            ),
            "g.jsonl": session(said("user", "The cake is for the garden.")),
        },
    )
    rooms = {"telegram:-100123": "garden"}
    write(root, {"MEMORY.md": "- one\n", "memory/group_names.json": json.dumps(rooms)})
    return home


def allow(root: Path, openclaw: Path, *scopes: str) -> None:
    lines = [
        f"transcripts = {json.dumps(scopes)}",
        f'openclaw_home = "{openclaw}"',
        'openclaw_agents = ["main"]',
    ]
    write(root, {".remem/config.toml": "\n".join(lines)})


def opened(root: Path, key: str = "main") -> Workspace:
    return open_workspace(root, key, background=False, embedder=Deterministic())


def passages(workspace: Workspace) -> dict[str, list[Passage]]:
    workspace.refresh()
    with workspace.services.passages.read() as reading:
        return {path: [passage for _, passage in reading.of_file(path)] for path in reading.files()}


def test_transcripts_are_only_read_if_allowed(root: Path, openclaw: Path) -> None:
    with opened(root) as workspace:
        assert set(passages(workspace)) == {"MEMORY.md"}

    allow(root, openclaw, "main")
    with opened(root) as workspace:
        assert set(passages(workspace)) == {"MEMORY.md", "sessions/main/m.jsonl"}

    allow(root, openclaw)
    with opened(root) as workspace:
        assert set(passages(workspace)) == {"MEMORY.md"}


def test_the_status_counts_conversations_apart_from_memory_files(
    root: Path, openclaw: Path
) -> None:
    allow(root, openclaw, "main")
    with opened(root) as workspace:
        status = workspace.status()

    assert (status.legacy.files, status.legacy.chunks) == (1, 1)
    assert status.health.passages_of_conversations == 1


def test_a_passage_of_a_conversation_names_its_lines_and_day(root: Path, openclaw: Path) -> None:
    allow(root, openclaw, "main")

    with opened(root) as workspace:
        (only,) = passages(workspace)["sessions/main/m.jsonl"]

    assert only.text == "User: The wedding is in Köln.\nAssistant: Noted."
    assert only.citation == "sessions/main/m.jsonl#L2-L3"
    assert (only.source, only.day) == ("sessions", "2026-11-10")


@pytest.mark.walls
def test_each_scope_has_its_own_conversations(root: Path, openclaw: Path) -> None:
    allow(root, openclaw, "main", "group:garden")

    with opened(root, GROUP) as workspace:
        found = passages(workspace)
    with opened(root) as workspace:
        owners = passages(workspace)

    assert set(found) == {"sessions/main/g.jsonl"}
    assert "sessions/main/g.jsonl" not in owners


def test_a_conversation_that_goes_on_keeps_its_earlier_passages(root: Path, openclaw: Path) -> None:
    allow(root, openclaw, "main")
    path = openclaw / "agents/main/sessions/m.jsonl"
    long = [said("user", f"Number {n}: " + "many words " * 60) for n in range(12)]
    path.write_text(session(*long))
    with opened(root) as workspace:
        workspace.refresh(with_vectors=True)
        with path.open("a") as file:
            file.write(said("user", "And one more thing.") + "\n")

        done = workspace.refresh()

        assert done.read == 1
        assert 1 <= done.without_vector <= 2
        assert "one more thing" in passages(workspace)["sessions/main/m.jsonl"][-1].text


def test_a_day_begins_a_new_passage(root: Path, openclaw: Path) -> None:
    allow(root, openclaw, "main")
    lines = [said("user", "evening"), said("user", "morning", "2026-11-11T07:00:00.000Z")]
    (openclaw / "agents/main/sessions/m.jsonl").write_text(session(*lines))

    with opened(root) as workspace:
        found = passages(workspace)["sessions/main/m.jsonl"]

    assert [(passage.text, passage.day) for passage in found] == [
        ("User: evening", "2026-11-10"),
        ("User: morning", "2026-11-11"),
    ]


def test_a_file_that_is_not_a_conversation_is_ignored(root: Path, openclaw: Path) -> None:
    allow(root, openclaw, "main")
    (openclaw / "agents/main/sessions/m.jsonl").write_text('{"event": "queue"}\nnot json\n')

    with opened(root) as workspace:
        assert passages(workspace)["sessions/main/m.jsonl"] == []
        assert workspace.refresh().problems == ()


def test_known_transcripts_stay_if_they_cannot_be_listed(
    root: Path, openclaw: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    allow(root, openclaw, "main")
    with opened(root) as workspace:
        workspace.refresh()
    (openclaw / "agents/main/sessions/sessions.json").write_text("{ broken")

    with opened(root) as workspace:
        found = passages(workspace)
        problem = workspace.refresh().problems

    assert "MEMORY.md" in found
    assert "sessions/main/m.jsonl" in found
    assert [reported.path for reported in problem] == ["sessions"]


def test_secrets_do_not_reach_the_passages(root: Path, openclaw: Path) -> None:
    from tests.conftest import SECRET

    allow(root, openclaw, "main")
    (openclaw / "agents/main/sessions/m.jsonl").write_text(session(said("user", f"key {SECRET}")))

    with opened(root) as workspace:
        passages(workspace)

    for path in (root / ".remem/main").glob("passages.db*"):
        assert SECRET.encode() not in path.read_bytes()


def test_recall_returns_transcripts_only_on_request_and_fenced(root: Path, openclaw: Path) -> None:
    allow(root, openclaw, "main")

    with opened(root) as workspace:
        trusted = workspace.recall("where is the wedding?")
        (recalled,) = workspace.recall("where is the wedding?", include_untrusted=True).entries

    assert trusted.entries == ()
    assert (recalled.id, recalled.trust) == ("sessions/main/m.jsonl#L2-L3", "untrusted")
    assert recalled.content.startswith("[untrusted data ")
    assert "User: The wedding is in Köln." in recalled.content


def test_a_citation_of_a_transcript_is_read_with_include_untrusted(
    root: Path, openclaw: Path
) -> None:
    allow(root, openclaw, "main")

    with opened(root) as workspace:
        workspace.refresh()
        held_back = workspace.recall("sessions/main/m.jsonl#L2-L3")
        (recalled,) = workspace.recall(
            "sessions/main/m.jsonl#L2-L3", include_untrusted=True
        ).entries

    assert held_back.entries == ()
    assert held_back.notes == ("1 of the ids are untrusted (hint: set include_untrusted)",)
    assert recalled.content.startswith("[untrusted data ")


def test_recall_returns_no_transcripts_once_they_are_disallowed(root: Path, openclaw: Path) -> None:
    allow(root, openclaw, "main")
    with opened(root) as workspace:
        workspace.refresh()
    allow(root, openclaw)

    with opened(root) as workspace:
        asked = workspace.recall("where is the wedding?", include_untrusted=True)
        opened_by_id = workspace.recall("sessions/main/m.jsonl#L2-L3", include_untrusted=True)

    assert asked.entries == opened_by_id.entries == ()
