"""The memory of a session is resolved without revealing anybody else's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from remem.config import Config
from remem.errors import NotAllowed
from remem.files.layout import Layout
from remem.files.rooms import NAME_FILES, SEEN_FOLDER, read_rooms
from remem.files.sessions import scope_of, session_of
from remem.model.scope import MAIN, Scope

pytestmark = pytest.mark.walls

KITCHEN = "agent:main:telegram:group:-100"


def scope(root: Path, key: str) -> Scope:
    return scope_of(session_of(Layout(root), Config(), key))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / NAME_FILES[0]).parent.mkdir()
    (tmp_path / NAME_FILES[0]).write_text(json.dumps({"telegram:-100": "kitchen"}))
    return tmp_path


def test_a_named_room_opens_its_own_memory(root: Path) -> None:
    assert scope(root, KITCHEN) == Scope("group", "kitchen")


@pytest.mark.parametrize("count", [1, 7])
@pytest.mark.parametrize("place", [*NAME_FILES, f"{SEEN_FOLDER}/0a1b.json"])
def test_an_error_in_the_list_of_rooms_reveals_no_other_room(
    root: Path, place: str, count: int
) -> None:
    """The owner hears which line it is; a line's number would tell a room how many there are."""
    (root / place).parent.mkdir(parents=True, exist_ok=True)
    lines = [f'"telegram:{number}": "room {number}",' for number in range(count)]
    (root / place).write_text("\n".join(["{", *lines, "}"]))

    with pytest.raises(NotAllowed) as caught:
        scope(root, KITCHEN)

    assert str(caught.value) == (
        "the names of rooms cannot be read, so this room has no access "
        "(hint: the owner can run `remem rooms` to see why)"
    )
    with pytest.raises(Exception, match=r"column|damaged"):
        read_rooms(root)
    assert scope(root, "main") == MAIN
