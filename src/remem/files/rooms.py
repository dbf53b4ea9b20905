"""Is a room being renamed? A note says so from before the first file moves until the last one
has; meanwhile nobody opens the room's memory under either name.

Which names did the owner give to rooms? Reads `group_names.json`, in either of its places.

No error quotes what stands in the file: a group that asks may see the error, and the file
names other rooms.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from remem.errors import FileError, InvalidInput, NotAllowed
from remem.files import atomic
from remem.files.layout import Layout
from remem.model.rooms import Rooms, rooms_from
from remem.model.scope import Scope

SEEN: Final = ".remem/rooms-seen"
PLACES: Final = ("memory/group_names.json", "memory/groups/group_names.json")


def read_rooms(workspace: Path) -> Rooms:
    """The lines of both files; a room that they call differently has no name."""
    found = [_read(workspace / place) for place in PLACES]
    return Rooms(tuple(line for rooms in found for line in rooms.lines), _seen(workspace))


def note_seen(workspace: Path, channel: str, room_id: str) -> None:
    """Remember the channel of a room that is mapped by its id alone, each in a file of its
    own: whoever comes at the same time takes nothing away."""
    room = [channel.lower(), room_id]
    name = hashlib.sha256(json.dumps(room).encode()).hexdigest()[:32]
    path = workspace / SEEN / f"{name}.json"
    if not path.exists():
        atomic.create(path, json.dumps(room, ensure_ascii=False).encode())


def _seen(workspace: Path) -> frozenset[tuple[str, str]]:
    pairs = set()
    for path in sorted((workspace / SEEN).glob("*.json")):
        try:
            channel, id_ = json.loads(atomic.read(path) or b"[]")
            pairs.add((str.lower(channel), str(id_)))
        except (ValueError, TypeError, RecursionError) as error:
            raise FileError(f"{path} is damaged", hint="remove it; it is made again") from error
    return frozenset(pairs)


def _read(path: Path) -> Rooms:
    data = atomic.read(path)
    if data is None:
        return Rooms()
    text = atomic.text_of(data, path).removeprefix("\ufeff")
    try:
        return rooms_from(json.loads(text, object_pairs_hook=_each_key_once))
    except json.JSONDecodeError as error:
        raise FileError(
            f"{path} is not JSON at line {error.lineno}, column {error.colno}: {error.msg}",
            hint="mend it; until then no room has a name",
        ) from error
    except (ValueError, RecursionError) as error:
        raise FileError(f"{path} is not JSON that can be read") from error
    except InvalidInput as error:
        raise FileError(f"{path}: {error.args[0]}", hint=error.hint) from error


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """JSON lets the last of two equal keys win; here that would rename a room in silence."""
    values: dict[str, Any] = {}
    for number, (key, value) in enumerate(pairs, start=1):
        if key in values:
            raise InvalidInput(f"entry {number} repeats the key of an earlier one")
        values[key] = value
    return values


@dataclass(frozen=True, slots=True)
class Renaming:
    """From one name of a room to another."""

    old: str
    new: str

    @property
    def scopes(self) -> tuple[Scope, Scope]:
        return Scope("group", self.old), Scope("group", self.new)


def begin_renaming(layout: Layout, renaming: Renaming) -> None:
    data = json.dumps(asdict(renaming), ensure_ascii=False).encode()
    if not atomic.create(_note(layout), data):
        raise FileError("another room is being renamed", hint="`remem rooms` finishes that first")


def unfinished_renaming(layout: Layout) -> Renaming | None:
    note = _note(layout)
    data = atomic.read(note)
    if data is None:
        return None
    try:
        told = json.loads(data)
        return Renaming(_name(told, "old"), _name(told, "new"))
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise FileError(
            f"{note} does not say which room is being renamed",
            hint='the owner can: write {"old": "its name before", "new": "its name after"} there',
        ) from error


def end_renaming(layout: Layout) -> None:
    atomic.remove(_note(layout))


def refuse_renaming(layout: Layout, scope: Scope) -> None:
    """A room that is half renamed must not be opened: what it stores would be left behind."""
    if scope.kind != "group":
        return
    renaming = unfinished_renaming(layout)
    if renaming is not None and scope in renaming.scopes:
        raise NotAllowed(
            "this room is being renamed, or that was cut short",
            hint="the owner finishes it with `remem rooms`",
        )


def _name(told: dict[str, str], key: str) -> str:
    if not isinstance(told[key], str):
        raise TypeError(f"{key} is no name")
    return told[key]


def _note(layout: Layout) -> Path:
    return layout.root / ".remem" / "renaming.json"
