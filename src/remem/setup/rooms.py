"""Name and rename rooms in `group_names.json`.

When a room is renamed, the permission to search its transcripts moves to the new name; otherwise
a different room that gets the old name later would inherit it.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from remem.errors import FileError, InvalidInput, RememError, quoted
from remem.files import atomic
from remem.files.layout import Layout
from remem.files.rewrite import rewrite
from remem.files.rooms import NAME_FILES, Renaming, read_rooms
from remem.model.rooms import RoomMapping, RoomName, Rooms, rooms_from

_TRANSCRIPTS: Final = re.compile(r"^\ufeff?[ \t]*transcripts[ \t]*=[ \t]*\[[^\]]*\]", re.MULTILINE)


def move_transcript_permission(layout: Layout, renaming: Renaming) -> None:
    """Write the room's new name into the setting `transcripts`, and change nothing else.

    Settings that cannot be edited this way are not changed.
    """
    old, new = map(str, renaming.scopes)
    try:
        rewrite(
            layout, layout.config_file, lambda data: data and _with_renamed_scope(data, old, new)
        )
    except RememError:  # this must not stop the renaming
        return


def transcripts_allowed(layout: Layout, name: str) -> bool:
    """Return whether the settings allow searching the transcripts of a room with this name."""
    try:
        settings = _settings(atomic.read(layout.config_file) or b"")
    except RememError:  # reported when the workspace is opened
        return False
    return f"group:{name}" in _names(settings)


def _with_renamed_scope(data: bytes, old: str, new: str) -> bytes:
    """Return the settings with another name of a scope; unchanged if they cannot be edited."""
    before = _settings(data)
    if old not in _names(before):
        return data
    new_name = json.dumps(new, ensure_ascii=False)

    def rename_scope(match: re.Match[str]) -> str:
        return match[0].replace(f'"{old}"', new_name).replace(f"'{old}'", new_name)

    text = _TRANSCRIPTS.sub(rename_scope, data.decode()).encode()
    names = [new if name == old else name for name in _names(before)]
    return text if _settings(text) == {**before, "transcripts": names} else data


def _settings(data: bytes) -> dict[str, Any]:
    try:
        return tomllib.loads(data.decode("utf-8").removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return {}


def _names(settings: dict[str, Any]) -> list[Any]:
    names = settings.get("transcripts")
    return names if isinstance(names, list) else []


def map_room(layout: Layout, room: str, name: str) -> None:
    """Name a room that has no name yet; nothing else in the file changes."""
    path = layout.root / NAME_FILES[0]
    lines = read_rooms(layout.root).lines
    (new,) = rooms_from({room: name}).lines
    same_room = [line for line in lines if (line.channel, line.id) == (new.channel, new.id)]
    if same_room == [new]:
        return
    if same_room:
        raise InvalidInput(
            f"the room {quoted(room)} is already called {quoted(same_room[0].name)}",
            hint=f"to rename it and keep its memory: `remem rooms rename {room} {name}`",
        )
    if RoomMapping(None, new.id, new.name) in lines and new.channel is not None:
        _add_channel(layout, new)
        return
    result = Rooms((*lines, new)).resolve(new.channel, new.id)
    if not isinstance(result, RoomName):
        raise InvalidInput(f"the room {quoted(room)} cannot be given this name: {result.reason}")
    old = atomic.read(path)

    def add(data: bytes | None) -> bytes:
        if data != old:
            raise FileError(f"{path} was changed at the same time", hint="try again")
        mapping = _mapping(data, path) if data else {}
        return _list_text({**mapping, room: name})

    rewrite(layout, path, add)


def _add_channel(layout: Layout, room: RoomMapping) -> None:
    """Add the channel to a room that was mapped by its id only.

    The same id in a different channel is a different room.
    """
    for name_file in NAME_FILES:
        _edit_list(
            layout,
            layout.root / name_file,
            lambda mapping: {
                f"{room.channel}:{room.id}" if key == room.id else key: value
                for key, value in mapping.items()
            },
        )


def rename_in_list(layout: Layout, path: Path, old: str, new: str) -> None:
    """Rename a room in a list of names; nothing else in the file changes."""
    _edit_list(
        layout,
        path,
        lambda mapping: {room: _with_name(value, old, new) for room, value in mapping.items()},
    )


def _edit_list(
    layout: Layout, path: Path, change: Callable[[dict[str, Any]], dict[str, Any]]
) -> None:
    """Change a list of names, if it exists, starting from its current content."""

    def edit(data: bytes | None) -> bytes | None:
        if data is None:
            return None
        mapping = _mapping(data, path)
        new_mapping = change(mapping)
        return data if new_mapping == mapping else _list_text(new_mapping)

    rewrite(layout, path, edit)


def _mapping(data: bytes, path: Path) -> dict[str, Any]:
    names: dict[str, Any] = json.loads(atomic.decode_text(data, path).removeprefix("\ufeff"))
    return names


def _list_text(mapping: dict[str, Any]) -> bytes:
    return (json.dumps(mapping, ensure_ascii=False, indent=2) + "\n").encode()


def _with_name(value: Any, old: str, new: str) -> Any:
    if isinstance(value, dict):
        return {**value, "name": _with_name(value.get("name"), old, new)}
    return new if isinstance(value, str) and value.strip() == old else value
