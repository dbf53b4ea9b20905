"""A room gets its memory from the owner, and from nobody by accident."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from remem.core.room_names import RoomName
from remem.errors import FileError, InvalidInput
from remem.maintenance.rooms import map_room
from remem.notes.layout import Layout
from remem.notes.rooms import read_rooms


def test_a_mapped_room_has_its_name(tmp_path: Path) -> None:
    map_room(Layout(tmp_path), "telegram:-100123", "kitchen")

    assert read_rooms(tmp_path).resolve("telegram", "-100123") == RoomName("kitchen")


def test_the_same_mapping_twice_writes_nothing(tmp_path: Path) -> None:
    map_room(Layout(tmp_path), "7", "kitchen")
    file = tmp_path / "memory/group_names.json"
    before = file.stat().st_ino

    map_room(Layout(tmp_path), "7", "kitchen")

    assert file.stat().st_ino == before


def test_a_room_that_the_other_file_maps_counts_too(tmp_path: Path) -> None:
    (tmp_path / "memory/groups").mkdir(parents=True)
    (tmp_path / "memory/groups/group_names.json").write_text(json.dumps({"7": "kitchen"}))

    with pytest.raises(InvalidInput, match="given to another room too"):
        map_room(Layout(tmp_path), "8", "kitchen")


def test_a_file_that_cannot_be_read_is_not_written_over(tmp_path: Path) -> None:
    file = tmp_path / "memory/group_names.json"
    file.parent.mkdir()
    file.write_text("{ not json")

    with pytest.raises(FileError, match="is not JSON"):
        map_room(Layout(tmp_path), "7", "kitchen")
    assert file.read_text() == "{ not json"
