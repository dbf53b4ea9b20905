"""A note is appended to the owner's day, and no earlier byte is changed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from remem.app.workspace import Workspace
from remem.errors import FileError, InvalidInput, NotAllowed
from tests.conftest import NOW, SECRET, Opener

NOTE = "memory/2026-11-15.md"


def test_a_note_is_created_and_appended_to(memory: Workspace, root: Path) -> None:
    first = memory.note("Called the plumber.")
    second = memory.note("He comes on Friday.\n# and brings a pump\n```")

    text = (root / NOTE).read_text()
    assert text == (
        "# 2026-11-15\n\n- 12:00 Called the plumber.\n- 12:00 He comes on Friday.\n"
        "  \\# and brings a pump\n  \\```\n"
    )
    assert (first.path, first.start, first.end) == (NOTE, 3, 3)
    assert (second.start, second.end) == (4, 6)


@pytest.mark.parametrize(
    ("zone", "day", "time"),
    [
        ("Pacific/Kiritimati", "2026-11-16", "02:00"),
        ("America/Los_Angeles", "2026-11-15", "04:00"),
    ],
)
def test_the_day_is_that_of_the_owners_time_zone(
    opened: Opener, root: Path, zone: str, day: str, time: str
) -> None:
    (root / ".remem").mkdir(parents=True)
    (root / ".remem/config.toml").write_text(f'timezone = "{zone}"\n')

    opened().note("Beans.")

    assert (root / f"memory/{day}.md").read_text() == f"# {day}\n\n- {time} Beans.\n"


@pytest.mark.parametrize(
    "before",
    [
        b"# A day\r\n\r\n- **09:14** Peas.\r\n- **10:00** more",
        b"\xff\xfe no text \x00 at all",
        b"---\na: 1\n---\n\nProse.\n\n\n",
        b"```\nnever closed",
        b"\n\n  \n",
    ],
)
def test_every_byte_before_stays(memory: Workspace, root: Path, before: bytes) -> None:
    (root / "memory").mkdir(exist_ok=True)
    (root / NOTE).write_bytes(before)

    memory.note("Beans.")

    after = (root / NOTE).read_bytes()
    assert after.startswith(before)
    assert after.endswith(b"Beans.\r\n" if b"\r\n" in before else b"Beans.\n")


@pytest.mark.parametrize("order", ["utf-16-le", "utf-16-be"])
def test_a_utf_16_note_keeps_its_encoding(memory: Workspace, root: Path, order: str) -> None:
    path = root / memory.note("x").path
    before = "\ufeff# 2026-11-10\r\n\r\n- Mara prefers short mails from Zürich.\r\n".encode(order)
    path.write_bytes(before)

    done = memory.note("Called Ċaro.")

    after = path.read_bytes()
    assert after.startswith(before)
    assert after.decode(order).splitlines()[3:] == ["- Called Ċaro."]
    assert (done.start, done.end) == (4, 4)
    assert [lesson.text for lesson in memory.maintenance.heartbeat().written] == [
        "Mara prefers short mails from Zürich."
    ]


def test_secrets_are_masked(memory: Workspace, root: Path) -> None:
    done = memory.note(f"The key is {SECRET}.")

    assert done.redacted
    assert SECRET not in (root / NOTE).read_text()


@pytest.mark.parametrize("text", ["", " \n", "a\0b", "x" * 20_001])
def test_invalid_notes_are_refused(memory: Workspace, root: Path, text: str) -> None:
    with pytest.raises(InvalidInput):
        memory.note(text)

    assert not (root / NOTE).exists()


def test_a_link_is_not_followed(memory: Workspace, root: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere.md").write_text("mine\n")
    (root / "memory").mkdir(exist_ok=True)
    os.symlink(tmp_path / "elsewhere.md", root / NOTE)

    with pytest.raises(FileError, match="symbolic link"):
        memory.note("Beans.")

    assert (tmp_path / "elsewhere.md").read_text() == "mine\n"


@pytest.mark.parametrize(
    "session", ["agent:main:telegram:group:-100", "agent:main:telegram:direct:77"]
)
def test_no_other_session_writes_the_owners_notes(opened: Opener, root: Path, session: str) -> None:
    (root / "memory").mkdir(parents=True)
    (root / "memory/group_names.json").write_text('{"-100": "garden"}')

    with pytest.raises(NotAllowed, match="the daily notes belong to main"):
        opened(session).note("Beans.")

    assert not (root / NOTE).exists()


def test_a_note_is_found_by_the_next_search(memory: Workspace) -> None:
    memory.note("The quince hedge was cut.")

    assert memory.search("quince hedge").results[0].path == NOTE
    assert NOW.startswith("2026-11-15")
