"""What a conversation has read outlives the server, and ends when the conversation does."""

from __future__ import annotations

import resource
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from remem.files.conversations import ConversationRecord, end_conversation
from remem.files.layout import Layout
from remem.model.conversation import Conversation
from remem.model.scope import Scope, Session
from remem.text.timestamps import format_time


class Clock:
    def __init__(self) -> None:
        self.minutes = 0

    def __call__(self) -> str:
        return format_time(datetime(2026, 11, 15, tzinfo=UTC) + timedelta(minutes=self.minutes))


def session(room: str = "garden", agent: str = "main") -> Session:
    return Session(
        "group", agent, f"agent:{agent}:telegram:group:{room}", Scope("group", room), None
    )


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def layout(root: Path) -> Layout:
    return Layout(root)


def read(layout: Layout, clock: Clock, who: Session | None = None, name: str = "") -> Conversation:
    return ConversationRecord(layout, who or session(), name, clock).current()


def note(layout: Layout, clock: Clock, who: Session | None = None, name: str = "") -> None:
    record = ConversationRecord(layout, who or session(), name, clock)
    record.change(lambda before: before.with_gate("digest").with_file("a.md", "P0"))


def test_another_server_continues_the_record(layout: Layout, clock: Clock) -> None:
    note(layout, clock)

    assert read(layout, clock).gate == "digest"
    assert [file.path for file in read(layout, clock).files] == ["a.md"]


def test_half_an_hour_of_silence_ends_it(layout: Layout, clock: Clock) -> None:
    note(layout, clock)
    clock.minutes = 30
    assert read(layout, clock).gate == "digest"

    clock.minutes = 31

    assert read(layout, clock) == Conversation()


def test_activity_keeps_a_conversation_alive(layout: Layout, clock: Clock) -> None:
    note(layout, clock)
    for minutes in (20, 40, 60):
        clock.minutes = minutes
        ConversationRecord(layout, session(), "", clock).note_activity()

    assert read(layout, clock).gate == "digest"


def test_activity_alone_creates_no_record(layout: Layout, clock: Clock) -> None:
    ConversationRecord(layout, session(), "", clock).note_activity()

    assert not layout.conversations.exists()


def test_a_conversation_ends_when_the_host_says_so(layout: Layout, clock: Clock) -> None:
    for name in ("", "c1"):
        note(layout, clock, name=name)

    end_conversation(layout, session(), "c1")

    assert read(layout, clock) == read(layout, clock, name="c1") == Conversation()
    end_conversation(layout, session(), "c1")


def test_conversations_agents_and_rooms_do_not_share_it(layout: Layout, clock: Clock) -> None:
    note(layout, clock, name="c1")

    assert read(layout, clock, name="c2") == Conversation()
    assert read(layout, clock) == Conversation()
    assert read(layout, clock, session(agent="ops"), "c1") == Conversation()


def test_a_conversation_that_moves_to_another_room_starts_over_in_both(
    layout: Layout, clock: Clock
) -> None:
    note(layout, clock, name="c1")

    assert read(layout, clock, session("kitchen"), "c1") == Conversation()
    note(layout, clock, session("kitchen"), "c1")

    assert read(layout, clock, session("garden"), "c1") == Conversation()


@pytest.mark.parametrize("damage", [b"", b"{", b'{"room": 7}', b"\xff", b"[]", b"x" * 200_000])
def test_a_record_that_cannot_be_read_means_reading_the_gate_again(
    layout: Layout, clock: Clock, damage: bytes
) -> None:
    note(layout, clock)
    (record,) = layout.conversations.iterdir()
    record.write_bytes(damage)

    assert read(layout, clock) == Conversation()
    note(layout, clock)
    assert read(layout, clock).gate == "digest"


def test_in_a_read_only_workspace_the_record_is_kept_in_memory(
    layout: Layout, clock: Clock
) -> None:
    layout.root.mkdir()
    (layout.root / ".remem").write_text("no folder")
    record = ConversationRecord(layout, session(), "", clock)

    record.change(lambda before: before.with_gate("digest"))

    assert record.current().gate == "digest"


def test_on_a_full_disk_the_earlier_record_is_kept(layout: Layout, clock: Clock) -> None:
    note(layout, clock)
    (path,) = layout.conversations.iterdir()
    record = ConversationRecord(layout, session(), "", clock)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size, limits[1]))
    try:
        record.change(lambda before: before.with_file("soil.md", "P0"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    assert read(layout, clock).gate == "digest"
    assert [file.path for file in record.current().files] == ["a.md", "soil.md"]
    record.change(lambda same: same)
    assert [file.path for file in read(layout, clock).files] == ["a.md", "soil.md"]


def test_a_link_is_not_followed(layout: Layout, clock: Clock, tmp_path: Path) -> None:
    note(layout, clock)
    (record,) = layout.conversations.iterdir()
    elsewhere = tmp_path / "elsewhere.json"
    record.rename(elsewhere)
    record.symlink_to(elsewhere)
    before = elsewhere.read_bytes()

    assert read(layout, clock) == Conversation()
    note(layout, clock)
    assert elsewhere.read_bytes() == before


def test_concurrent_updates_lose_nothing(layout: Layout, clock: Clock) -> None:
    def one(number: int) -> None:
        record = ConversationRecord(layout, session(), "", clock)
        record.change(lambda before: before.with_file(f"{number}.md", "P0"))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(one, range(40)))

    assert len(read(layout, clock).files) == 40


def test_a_reader_never_sees_half_a_record(layout: Layout, clock: Clock) -> None:
    """Or a call that comes at the same time as another would be sent back to the gate."""
    note(layout, clock)
    record = ConversationRecord(layout, session(), "", clock)
    seen: list[Conversation] = []

    def rewrite() -> None:
        for _ in range(300):
            record.change(lambda same: same)

    with ThreadPoolExecutor(2) as pool:
        writing = pool.submit(rewrite)
        while not writing.done():
            seen.append(read(layout, clock))

    assert Conversation() not in seen
