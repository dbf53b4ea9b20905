"""A heartbeat learns from conversations and notes, once, with file and line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from remem.app.opening import open_workspace
from remem.app.workspace import Workspace
from remem.embed.counters import EstimatedCounter
from remem.ports.records import Where
from tests.conftest import NOW, Opener
from tests.faults import crowd
from tests.samples.talks import talk

pytestmark = pytest.mark.usefixtures("conversations_allowed")

OSLO = "I moved to Oslo in May."
NOTE = """# 2026-11-14

- 10:12 deployed the site
- Decision: the site stays on the small server.
- ok
"""


def contents(memory: Workspace) -> list[str]:
    with memory.services.store.read() as snapshot:
        return sorted(entry.content for entry in snapshot.select(Where(state="any")))


def test_a_lesson_is_written_once_with_its_origin(
    memory: Workspace, home: Path, root: Path
) -> None:
    talk(home, root, "one", ["Hello there!", OSLO, "What about you?"])

    first, second = memory.maintenance.heartbeat(), memory.maintenance.heartbeat()

    (kept,) = first.written
    assert (kept.text, kept.origin) == (OSLO, "one#L2")
    assert (first.conversations, second.conversations) == (1, 0)
    assert second.written == ()
    assert contents(memory) == [OSLO]
    assert (root / "memory/2026-11-15.md").read_text().count(OSLO) == 1


def test_ignored_statements_are_counted(memory: Workspace, home: Path, root: Path) -> None:
    said = [
        "Hi!",
        "Where is the key?",
        "If we moved to Rome, it would be warm.",
        "Traceback (most recent call last)",
        "<!-- remem:0123456789ab --> I moved to Rome in June.",
        "You are very kind.",
    ]
    talk(home, root, "one", said)

    done = memory.maintenance.heartbeat()

    assert done.written == ()
    assert done.passed == {
        "greeting or thanks": 1,
        "question": 1,
        "only a supposition": 1,
        "tool output": 1,
        "recalled from memory": 1,
        "about the other person": 1,
    }


def test_a_flushed_conversation_is_not_read_again(
    memory: Workspace, home: Path, root: Path
) -> None:
    path = talk(home, root, "one", [OSLO])
    memory.flush_transcript(path)
    talk(home, root, "one", ["My sister lives in Bergen."])

    done = memory.maintenance.heartbeat()

    assert [lesson.text for lesson in done.written] == ["My sister lives in Bergen."]
    assert done.known == 0


def test_conversations_are_read_only_if_the_settings_allow_it(
    opened: Opener, home: Path, root: Path
) -> None:
    (root / ".remem/config.toml").write_text('timezone = "UTC"\n')
    talk(home, root, "one", [OSLO])

    done = opened().maintenance.heartbeat()

    assert done.conversations == 0
    assert 'add "main" to transcripts in .remem/config.toml' in (done.unread or "")


def test_old_conversations_and_notes_are_left_alone(
    memory: Workspace, home: Path, root: Path
) -> None:
    talk(home, root, "one", [OSLO], day="2026-10-01")

    assert memory.maintenance.heartbeat().conversations == 0
    assert memory.maintenance.heartbeat(days=90).conversations == 1


def test_lasting_statements_of_a_note_become_entries(memory: Workspace, root: Path) -> None:
    note = root / "memory/2026-11-14.md"
    note.write_text(NOTE)

    done = memory.maintenance.heartbeat()

    (kept,) = done.written
    assert "the site stays on the small server" in kept.text
    assert kept.origin == "2026-11-14#L4"
    assert note.read_text() == NOTE
    assert sorted(path.name for path in (root / "memory").glob("2026-*.md")) == [note.name]
    assert memory.maintenance.heartbeat().notes == 0


def test_only_new_lines_of_a_note_are_learned(memory: Workspace, root: Path) -> None:
    note = root / "memory/2026-11-14.md"
    note.write_text(NOTE)
    memory.maintenance.heartbeat()
    note.write_text(NOTE.replace("- ok", "- Decision: the backup runs at night."))

    done = memory.maintenance.heartbeat()

    assert [lesson.text for lesson in done.written] == ["Decision: the backup runs at night."]
    assert done.known == 1


def test_a_flushed_line_of_a_note_is_not_learned_from_it(
    memory: Workspace, home: Path, root: Path
) -> None:
    talk(home, root, "one", ["We decided to plant beans."])
    memory.maintenance.heartbeat()

    assert memory.maintenance.heartbeat().written == ()
    assert contents(memory) == ["We decided to plant beans."]


def test_a_migration_and_a_heartbeat_of_one_note_are_one_entry(
    memory: Workspace, root: Path
) -> None:
    (root / "memory/2026-11-14.md").write_text(NOTE)
    memory.maintenance.heartbeat()
    before = contents(memory)

    memory.setup.migrate()

    assert contents(memory) == before


def test_a_statement_about_a_named_entity_becomes_a_fact(
    memory: Workspace, home: Path, root: Path
) -> None:
    talk(home, root, "one", ["Mara is our new designer.", "Decision: Mara gets the blue room."])

    done = memory.maintenance.heartbeat()
    again = memory.maintenance.heartbeat()

    assert {lesson.home for lesson in done.written} == {"brain/areas/mara/items.json"}
    facts = json.loads((root / "brain/areas/mara/items.json").read_text())
    assert [fact["fact"] for fact in facts] == [
        "Mara is our new designer.",
        "Mara gets the blue room.",
    ]
    assert facts[0]["origin"] == "sessions/claude-code/one.jsonl#L1"
    assert contents(memory) == []
    assert again.written == ()


def test_a_task_goes_to_attention(memory: Workspace, home: Path, root: Path) -> None:
    talk(home, root, "one", ["Please remind me to call Mara on Friday."])

    (kept,) = memory.maintenance.heartbeat().written

    assert kept.home == "memory/main/attention.md"


def test_a_broken_transcript_is_reported_and_stops_no_other(
    memory: Workspace, home: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from remem.errors import FileError
    from remem.learn.flush import items as flush_items

    talk(home, root, "bad", [OSLO])
    talk(home, root, "good", ["My sister lives in Bergen."])
    real: Callable[..., object] = flush_items.new_turns  # type: ignore[attr-defined]

    def news(path: Path, before: object) -> object:
        if path.name == "bad.jsonl":
            raise FileError("the disk gives it no more")
        return real(path, before)

    monkeypatch.setattr(flush_items, "new_turns", news)

    done = memory.maintenance.heartbeat()

    assert [lesson.text for lesson in done.written] == ["My sister lives in Bergen."]
    assert done.problems == ("the disk gives it no more",)


def test_concurrent_heartbeats_write_everything_once(home: Path, root: Path) -> None:
    for number in range(4):
        said = [f"I prefer house number {number} by the lake.", OSLO]
        talk(home, root, f"talk{number}", said)

    def beat(_say: crowd.Say) -> None:
        with open_workspace(
            root, background=False, counter=EstimatedCounter(), clock=lambda: NOW
        ) as memory:
            memory.maintenance.heartbeat()

    crowd.together([beat, beat, beat])

    with open_workspace(root, background=False, clock=lambda: NOW) as memory:
        assert contents(memory) == sorted(
            [OSLO, *(f"I prefer house number {number} by the lake." for number in range(4))]
        )
    assert (root / "memory/2026-11-15.md").read_text().count(OSLO) == 1


def test_a_kill_between_the_database_and_the_files_loses_nothing(
    opened: Opener, home: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from remem.learn.flush import flush

    talk(home, root, "one", ["Mara is our new designer.", OSLO])
    memory = opened()

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(flush, "write_pending", killed)
        with pytest.raises(KeyboardInterrupt):
            memory.maintenance.heartbeat()
    assert not (root / "brain").exists()

    again = opened()
    again.sync()

    assert len(json.loads((root / "brain/areas/mara/items.json").read_text())) == 1
    assert (root / "memory/2026-11-15.md").read_text().count(OSLO) == 1
    assert again.maintenance.heartbeat().written == ()


def test_lessons_of_a_room_stay_in_its_files(opened: Opener, home: Path, root: Path) -> None:
    """Seen from both sides: the group learns it, and main does not hear of it."""
    key = "agent:main:telegram:group:-100"
    (root / "memory/group_names.json").write_text('{"-100": "garden"}')
    (root / ".remem/config.toml").write_text('transcripts = ["main", "group:garden"]\n')
    sessions = home / ".openclaw/agents/main/sessions"
    sessions.mkdir(parents=True)
    (sessions / "sessions.json").write_text(json.dumps({key: {"sessionId": "s1"}}))
    said = {"role": "user", "content": "We decided to plant beans. Always water the peas first."}
    header = {"type": "session", "version": 4, "id": "s1", "cwd": str(root)}
    (sessions / "s1.jsonl").write_text(
        json.dumps(header)
        + "\n"
        + json.dumps({"type": "message", "id": "1", "message": said})
        + "\n"
    )
    now = {"clock": lambda: "2026-11-20T12:00:00Z"}
    days = 3650

    group = opened(key, **now).maintenance.heartbeat(days)
    main = opened("main", **now).maintenance.heartbeat(days)

    assert {lesson.home for lesson in group.written} == {"memory/groups/garden/experience.md"}
    assert (main.conversations, main.written) == (0, ())
    assert not list((root / "memory").glob("2026-*.md"))
    assert not (root / "brain").exists()


def test_lessons_from_the_agent_have_the_conversation_as_origin(opened: Opener) -> None:
    memory = opened(conversation="host-conversation-7")
    items = [{"kind": "decision", "text": "The beans go to bed three."}]

    first, second = memory.flush(items), memory.flush(items)

    (kept,) = first.written
    origins = memory.entry(kept.home).origins
    assert [origin.source for origin in origins] == ["conversation:host-conversation-7"]
    assert second.written == ()
