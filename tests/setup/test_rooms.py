"""Rooms are named by the owner, and never by accident."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from remem.errors import FileError, InvalidInput, NotAllowed
from remem.files.layout import Layout
from remem.files.rooms import read_rooms
from remem.model.rooms import RoomName
from remem.setup.rooms import map_room
from tests.conftest import Opener


def test_a_mapped_room_has_its_name(tmp_path: Path) -> None:
    map_room(Layout(tmp_path), "telegram:-100123", "kitchen")

    assert read_rooms(tmp_path).resolve("telegram", "-100123") == RoomName("kitchen")


def test_the_same_mapping_twice_writes_nothing(tmp_path: Path) -> None:
    map_room(Layout(tmp_path), "7", "kitchen")
    file = tmp_path / "memory/group_names.json"
    before = file.stat().st_ino

    map_room(Layout(tmp_path), "7", "kitchen")

    assert file.stat().st_ino == before


def test_rooms_of_the_other_file_count_too(tmp_path: Path) -> None:
    (tmp_path / "memory/groups").mkdir(parents=True)
    (tmp_path / "memory/groups/group_names.json").write_text(json.dumps({"7": "kitchen"}))

    with pytest.raises(InvalidInput, match="also the name of another room"):
        map_room(Layout(tmp_path), "8", "kitchen")


def test_an_unreadable_file_is_not_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "memory/group_names.json"
    file.parent.mkdir()
    file.write_text("{ not json")

    with pytest.raises(FileError, match="is not JSON"):
        map_room(Layout(tmp_path), "7", "kitchen")
    assert file.read_text() == "{ not json"


@pytest.mark.parametrize(
    "name",
    ["a/b", "..", ".", "CON", "Küche", "🍞", "x" * 300, "花园", "a.md", " spaced  out ", "Kitchen"],
)
def test_an_unusual_name_gets_a_safe_folder(root: Path, opened: Opener, name: str) -> None:
    layout = Layout(root)
    map_room(layout, "telegram:-1", name)
    map_room(layout, "telegram:-2", "kitchen" if name != "Kitchen" else "cellar")

    group = opened("agent:main:telegram:group:-1")
    group.store(category="fact", content="The oven is hot.")

    folder = layout.domains(group.scope).parent
    assert group.scope.name == name.strip()
    assert folder.parent == root / "memory/groups"
    assert len(folder.name) <= 64
    assert {path.parent for path in folder.parent.iterdir()} == {root / "memory/groups"}


@pytest.mark.parametrize("name", ["", "   ", "two\nlines", "\x00", "a\u2028b", "\u200b"])
def test_a_name_that_cannot_be_read_is_refused(root: Path, name: str) -> None:
    with pytest.raises(InvalidInput, match="name"):
        map_room(Layout(root), "telegram:-1", name)


def test_an_id_used_in_two_channels_has_no_name(root: Path, opened: Opener) -> None:
    layout = Layout(root)
    map_room(layout, "-100", "kitchen")
    opened("agent:main:telegram:group:-100").close()

    for channel in ("discord", "telegram", "slack"):
        with pytest.raises(NotAllowed, match=f"remem rooms map '{channel}:-100'"):
            opened(f"agent:main:{channel}:group:-100")

    map_room(layout, "telegram:-100", "kitchen")
    map_room(layout, "discord:-100", "parlour")
    assert opened("agent:main:telegram:group:-100").scope.name == "kitchen"
    assert opened("agent:main:discord:group:-100").scope.name == "parlour"
    with pytest.raises(NotAllowed):
        opened("agent:main:slack:group:-100")
    written = json.loads((root / "memory/group_names.json").read_text(encoding="utf-8"))
    assert written == {"telegram:-100": "kitchen", "discord:-100": "parlour"}


def test_a_room_in_its_own_channel_keeps_its_name(root: Path, opened: Opener) -> None:
    map_room(Layout(root), "-100", "kitchen")

    for key in ("telegram:group:-100", "telegram:bot2:channel:-100", "group:-100"):
        assert opened(f"agent:main:{key}").scope.name == "kitchen"
