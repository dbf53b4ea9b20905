"""How does a room get a memory? The owner gives it a name, in `group_names.json`.

May a room's conversations still be searched when it gets another name? What the owner allowed
goes along; or whoever is given the old name one day would inherit it.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from remem.errors import FileError, InvalidInput, RememError, shown
from remem.files import atomic
from remem.files.layout import Layout
from remem.files.rewrite import rewrite
from remem.files.rooms import PLACES, Renaming, read_rooms
from remem.model.rooms import Mapped, RoomName, Rooms, rooms_from
from remem.model.scope import MAIN

_ALLOWED: Final = re.compile(r"^[ \t]*transcripts[ \t]*=[ \t]*\[[^\]]*\]", re.MULTILINE)


def allow_anew(layout: Layout, renaming: Renaming) -> None:
    """Write the room's new name into `transcripts`; every other byte of the settings stays.

    Settings that cannot be written so are left: `still_allowed` tells of them.
    """
    was, is_ = map(str, renaming.scopes)
    try:
        rewrite(layout, layout.config_file, lambda data: data and _renamed(data, was, is_))
    except RememError:  # a renaming is not kept half done because of it
        return


def still_allowed(layout: Layout, name: str) -> bool:
    """Whether the settings let the conversations of a room of this name be searched."""
    try:
        settings = _settings(atomic.read(layout.config_file) or b"")
    except RememError:  # whoever opens the workspace is told
        return False
    return f"group:{name}" in _names(settings)


def _renamed(data: bytes, was: str, is_: str) -> bytes:
    """The settings with one scope named anew; as they are, where only a person can tell how."""
    before = _settings(data)
    if was not in _names(before):
        return data
    new = json.dumps(is_, ensure_ascii=False)

    def named_anew(found: re.Match[str]) -> str:
        return found[0].replace(f'"{was}"', new).replace(f"'{was}'", new)

    text = _ALLOWED.sub(named_anew, data.decode()).encode()
    names = [is_ if name == was else name for name in _names(before)]
    return text if _settings(text) == {**before, "transcripts": names} else data


def _settings(data: bytes) -> dict[str, Any]:
    try:
        return tomllib.loads(data.decode("utf-8"))
    except ValueError:
        return {}


def _names(settings: dict[str, Any]) -> list[Any]:
    names = settings.get("transcripts")
    return names if isinstance(names, list) else []


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
    old = atomic.read(path)
    mapping = json.loads(atomic.text_of(old, path).removeprefix("\ufeff")) if old else {}
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
        lambda mapping: {room: _rooms_renamed(each, old, new) for room, each in mapping.items()},
    )


def _rewritten(
    layout: Layout, path: Path, change: Callable[[dict[str, Any]], dict[str, Any]]
) -> None:
    """Change a list of names, if there is one; what a person saves meanwhile counts."""

    def written(data: bytes | None) -> bytes | None:
        if data is None:
            return None
        mapping = json.loads(atomic.text_of(data, path).removeprefix("\ufeff"))
        changed = change(mapping)
        text = json.dumps(changed, ensure_ascii=False, indent=2) + "\n"
        return data if changed == mapping else text.encode()

    rewrite(layout, path, written)


def _rooms_renamed(value: Any, old: str, new: str) -> Any:
    if isinstance(value, dict):
        return {**value, "name": _rooms_renamed(value.get("name"), old, new)}
    return new if isinstance(value, str) and value.strip() == old else value


def _written(layout: Layout, old: bytes | None, data: bytes) -> bool:
    path = layout.root / PLACES[0]
    if old is None:
        return atomic.create(path, data)
    swapped = atomic.swap(
        path,
        data,
        expected=atomic.digest(old),
        keep=atomic.unused(layout.aside(MAIN), f"{path.name}.{atomic.digest(old)}"),
        conflict=atomic.unused(layout.conflicts(MAIN), path.name),
    )
    return swapped.outcome == "swapped"
