"""How does a room get a memory? The owner gives it a name, in `group_names.json`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from remem.core.room_names import Mapped, RoomName, Rooms, rooms_from
from remem.core.scope import MAIN
from remem.errors import FileError, InvalidInput, shown
from remem.maintenance.rewriting import rewrite
from remem.notes import files
from remem.notes.layout import Layout
from remem.notes.rooms import PLACES, read_rooms


def map_room(layout: Layout, room: str, name: str) -> None:
    """Name a room that has no name yet; whatever else the file says stays."""
    path = layout.root / PLACES[0]
    lines = read_rooms(layout.root).lines  # a file that cannot be read is an error from here on
    (new,) = rooms_from({room: name}).lines
    known = [line for line in lines if (line.channel, line.id) == (new.channel, new.id)]
    if known == [new]:
        return
    if known:
        raise InvalidInput(
            f"the room {shown(room)} is called {shown(known[0].name)} already",
            hint=f"`remem rooms rename {room} {name}` gives it another, with all that it remembers",
        )
    if Mapped(None, new.id, new.name) in lines and new.channel is not None:
        _say_channel(layout, new)
        return
    judged = Rooms((*lines, new)).resolve(new.channel, new.id)
    if not isinstance(judged, RoomName):
        raise InvalidInput(f"the room {shown(room)} would have no name: {judged.reason}")
    old = files.read(path)
    mapping = json.loads(files.text_of(old, path).removeprefix("\ufeff")) if old else {}
    text = json.dumps({**mapping, room: name}, ensure_ascii=False, indent=2) + "\n"
    if not _written(layout, old, text.encode()):
        raise FileError(f"{path} was saved by somebody else meanwhile", hint="try again")


def _say_channel(layout: Layout, room: Mapped) -> None:
    """A room that was mapped by its id alone is mapped with its channel from now on: the same
    id may come from another channel, too, where it is another room."""
    for place in PLACES:
        _rewritten(
            layout,
            layout.root / place,
            lambda mapping: {
                f"{room.channel}:{room.id}" if key == room.id else key: value
                for key, value in mapping.items()
            },
        )


def named_anew(layout: Layout, path: Path, old: str, new: str) -> None:
    """Write another name for a room into a list of names; every other line stays."""
    _rewritten(
        layout,
        path,
        lambda mapping: {room: _renamed(each, old, new) for room, each in mapping.items()},
    )


def _rewritten(
    layout: Layout, path: Path, change: Callable[[dict[str, Any]], dict[str, Any]]
) -> None:
    """Change a list of names, if there is one; what a person saves meanwhile counts."""

    def written(data: bytes | None) -> bytes | None:
        if data is None:
            return None
        mapping = json.loads(files.text_of(data, path).removeprefix("\ufeff"))
        changed = change(mapping)
        text = json.dumps(changed, ensure_ascii=False, indent=2) + "\n"
        return data if changed == mapping else text.encode()

    rewrite(layout, path, written)


def _renamed(value: Any, old: str, new: str) -> Any:
    if isinstance(value, dict):
        return {**value, "name": _renamed(value.get("name"), old, new)}
    return new if isinstance(value, str) and value.strip() == old else value


def _written(layout: Layout, old: bytes | None, data: bytes) -> bool:
    path = layout.root / PLACES[0]
    if old is None:
        return files.create(path, data)
    swapped = files.swap(
        path,
        data,
        expected=files.digest(old),
        keep=files.unused(layout.aside(MAIN), f"{path.name}.{files.digest(old)}"),
        conflict=files.unused(layout.conflicts(MAIN), path.name),
    )
    return swapped.outcome == "swapped"
