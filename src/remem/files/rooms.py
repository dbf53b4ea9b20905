"""The names that the owner gave to rooms, and the record of a room that is being renamed.

Names are read from `group_names.json`, which can be in two folders. Errors do not quote the file,
because a group may see them and the file names other rooms. While a room is being renamed, nobody
can open its memory, neither by the old nor by the new name.
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

SEEN_FOLDER: Final = ".remem/rooms-seen"
NAME_FILES: Final = ("memory/group_names.json", "memory/groups/group_names.json")


def read_rooms(workspace: Path) -> Rooms:
    """Return the lines of both files, and the recorded channels."""
    lists = [_read_names(workspace / name) for name in NAME_FILES]
    lines = tuple(line for rooms in lists for line in rooms.lines)
    return Rooms(lines, _recorded_channels(workspace))


def record_room_channel(workspace: Path, channel: str, room_id: str) -> None:
    """Record the channel of a room that is mapped by its id alone.

    Every room has its own file, so that concurrent sessions do not overwrite each other's records.
    """
    room = [channel.lower(), room_id]
    name = hashlib.sha256(json.dumps(room).encode()).hexdigest()[:32]
    path = workspace / SEEN_FOLDER / f"{name}.json"
    if not path.exists():
        atomic.create(path, json.dumps(room, ensure_ascii=False).encode())


def _recorded_channels(workspace: Path) -> frozenset[tuple[str, str]]:
    pairs = set()
    for path in sorted((workspace / SEEN_FOLDER).glob("*.json")):
        try:
            channel, id_ = json.loads(atomic.read(path) or b"[]")
            pairs.add((str.lower(channel), str(id_)))
        except (ValueError, TypeError, RecursionError) as error:
            raise FileError(f"{path} is damaged", hint="remove it; it is recreated") from error
    return frozenset(pairs)


def _read_names(path: Path) -> Rooms:
    data = atomic.read(path)
    if data is None:
        return Rooms()
    text = atomic.decode_text(data, path).removeprefix("\ufeff")
    try:
        return rooms_from(json.loads(text, object_pairs_hook=_unique_keys))
    except json.JSONDecodeError as error:
        raise FileError(
            f"{path} is not JSON at line {error.lineno}, column {error.colno}: {error.msg}",
            hint="fix the file; until then no room has a memory",
        ) from error
    except (ValueError, RecursionError) as error:
        raise FileError(
            f"{path} is not valid JSON", hint="fix the file; until then no room has a memory"
        ) from error
    except InvalidInput as error:
        raise FileError(f"{path}: {error.args[0]}", hint=error.hint) from error


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object; raise InvalidInput if it has a key twice.

    A parser would keep the last one, and so rename a room without notice.
    """
    values: dict[str, Any] = {}
    for number, (key, value) in enumerate(pairs, start=1):
        if key in values:
            raise InvalidInput(f"entry {number} repeats the key of an earlier one")
        values[key] = value
    return values


@dataclass(frozen=True, slots=True)
class Renaming:
    """The old and the new name of a room."""

    old: str
    new: str

    @property
    def scopes(self) -> tuple[Scope, Scope]:
        return Scope("group", self.old), Scope("group", self.new)


def begin_renaming(layout: Layout, renaming: Renaming) -> None:
    """Record that a room is being renamed."""
    data = json.dumps(asdict(renaming), ensure_ascii=False).encode()
    if not atomic.create(_renaming_file(layout), data):
        raise FileError(
            "another room is being renamed", hint="run `remem rooms` to finish that first"
        )


def unfinished_renaming(layout: Layout) -> Renaming | None:
    """Return the names of the room that is being renamed, if any."""
    path = _renaming_file(layout)
    data = atomic.read(path)
    if data is None:
        return None
    try:
        names = json.loads(data)
        return Renaming(_name(names, "old"), _name(names, "new"))
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise FileError(
            f"{path} does not say which room is being renamed",
            hint='write {"old": "<old name>", "new": "<new name>"} to that file',
        ) from error


def end_renaming(layout: Layout) -> None:
    """Remove the record of a renaming that is finished."""
    atomic.remove(_renaming_file(layout))


def refuse_renaming(layout: Layout, scope: Scope) -> None:
    """Raise NotAllowed for a room that is being renamed: what it stores now would not be moved."""
    if scope.kind != "group":
        return
    renaming = unfinished_renaming(layout)
    if renaming is not None and scope in renaming.scopes:
        raise NotAllowed(
            "this room is being renamed, or renaming it was interrupted",
            hint="the owner can finish it with `remem rooms`",
        )


def _name(names: dict[str, str], key: str) -> str:
    if not isinstance(names[key], str):
        raise TypeError(f"{key} is not a name")
    return names[key]


def _renaming_file(layout: Layout) -> Path:
    return layout.root / ".remem" / "renaming.json"
