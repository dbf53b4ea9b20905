import json
from pathlib import Path

import pytest

from remem.errors import FileError
from remem.files.rooms import SEEN_FOLDER, read_rooms
from remem.model.rooms import RoomName, Rooms, Unmapped
from tests.tables import each_row

pytestmark = pytest.mark.walls

FIRST = "memory/group_names.json"
SECOND = "memory/groups/group_names.json"


def write(workspace: Path, place: str, content: object) -> None:
    path = workspace / place
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(json.dumps(content), encoding="utf-8")


def test_a_workspace_without_a_list_has_no_names(tmp_path: Path) -> None:
    assert read_rooms(tmp_path) == Rooms()


@each_row("place", [FIRST, SECOND])
def test_names_are_read_from_either_place(tmp_path: Path, place: str) -> None:
    write(tmp_path, place, {"-100": {"name": "Entwicklung ü", "channel": "telegram"}})

    assert read_rooms(tmp_path).resolve("telegram", "-100") == RoomName("Entwicklung ü")


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    write(tmp_path, FIRST, b'\xef\xbb\xbf{"1": "dev"}')

    assert read_rooms(tmp_path).resolve(None, "1") == RoomName("dev")


def test_both_lists_count_and_a_room_they_call_differently_has_no_name(tmp_path: Path) -> None:
    write(tmp_path, FIRST, {"1": "dev", "2": "ops"})
    write(tmp_path, SECOND, {"1": "qa", "2": "ops", "3": "town"})
    rooms = read_rooms(tmp_path)

    assert isinstance(rooms.resolve(None, "1"), Unmapped)
    assert rooms.resolve(None, "2") == RoomName("ops")
    assert rooms.resolve(None, "3") == RoomName("town")


def test_two_lists_cannot_merge_two_rooms_either(tmp_path: Path) -> None:
    write(tmp_path, FIRST, {"1": "dev"})
    write(tmp_path, SECOND, {"2": "Dev"})
    rooms = read_rooms(tmp_path)

    assert isinstance(rooms.resolve(None, "1"), Unmapped)
    assert isinstance(rooms.resolve(None, "2"), Unmapped)


@each_row("place", [FIRST, SECOND])
@each_row(
    ("content", "where"),
    [
        (b'{"1": "dev",\n "2": }', "line 2, column 7"),
        (b"", "line 1, column 1"),
        (b'{"1": "d\xff"}', "not UTF-8 at byte 8"),
        (b'{"1": "dev", "1": "ops"}', "entry 2 repeats"),
        (b'{"1": {"name": "dev", "name": "ops"}}', "entry 2 repeats"),
        (b'{"1": "dev", "2": 7}', "entry 2"),
        (b'["dev"]', "a list"),
        (b"9" * 5000, "not valid JSON"),
        (b"[" * 200_000, "not valid JSON"),
    ],
)
def test_a_broken_list_of_rooms_is_an_error_with_file_and_line(
    tmp_path: Path, place: str, content: bytes, where: str
) -> None:
    write(tmp_path, place, content)

    with pytest.raises(FileError, match=where) as caught:
        read_rooms(tmp_path)
    assert str(tmp_path / place) in str(caught.value)


def test_the_decoder_of_the_standard_library_would_let_the_second_name_win() -> None:
    assert json.loads('{"1": "dev", "1": "ops"}') == {"1": "ops"}


def test_an_error_does_not_reveal_the_names_of_other_rooms(tmp_path: Path) -> None:
    write(tmp_path, FIRST, b'{"telegram:-4711": "hidden", "telegram:-4711": "surprise"}')

    with pytest.raises(FileError) as caught:
        read_rooms(tmp_path)
    assert not any(word in str(caught.value) for word in ("4711", "hidden", "surprise"))


def test_a_link_to_another_list_is_not_followed(tmp_path: Path) -> None:
    write(tmp_path, "elsewhere.json", {"1": "dev"})
    (tmp_path / "memory").mkdir()
    (tmp_path / FIRST).symlink_to(tmp_path / "elsewhere.json")

    with pytest.raises(FileError):
        read_rooms(tmp_path)


@each_row("content", [b"{torn", b"7", b"{}", b'[["telegram"], "1"]', b"[1, 2, 3]"])
def test_a_damaged_note_of_a_channel_is_named_and_can_be_removed(
    tmp_path: Path, content: bytes
) -> None:
    write(tmp_path, f"{SEEN_FOLDER}/1.json", content)

    with pytest.raises(FileError, match=r"1\.json is damaged") as caught:
        read_rooms(tmp_path)

    assert "remove it" in (caught.value.hint or "")
