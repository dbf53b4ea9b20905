"""Which names did the owner give to rooms? Reads `group_names.json`, in either of its places.

No error quotes what stands in the file: a group that asks may see the error, and the file
names other rooms.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, Final

from remem.core.room_names import Rooms, rooms_from
from remem.errors import FileError, InvalidInput
from remem.notes import files

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
        files.create(path, json.dumps(room, ensure_ascii=False).encode())


def _seen(workspace: Path) -> frozenset[tuple[str, str]]:
    pairs = set()
    for path in sorted((workspace / SEEN).glob("*.json")):
        try:
            channel, id_ = json.loads(files.read(path) or b"[]")
            pairs.add((str.lower(channel), str(id_)))
        except (ValueError, TypeError, RecursionError) as error:
            raise FileError(f"{path} is damaged", hint="remove it; it is made again") from error
    return frozenset(pairs)


def _read(path: Path) -> Rooms:
    data = files.read(path)
    if data is None:
        return Rooms()
    text = files.text_of(data, path).removeprefix("\ufeff")
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
