"""The names of rooms: one name for each room, and one room for each name.

The owner writes `{"<id>": "name"}`, `{"<channel>:<id>": "name"}` or
`{"<id>": {"name": "name", "channel": "telegram"}}` into `memory/group_names.json`.
A mistake there never merges two rooms: every room affected by it has no name.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from remem.errors import InvalidInput
from remem.fast_dataclass import dataclass
from remem.text.words import flatten

_CHANNEL: Final = re.compile(r"([A-Za-z][A-Za-z0-9_-]*):(.+)", re.DOTALL)
_UNWRITABLE: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})


@dataclass(frozen=True, slots=True)
class RoomName:
    """The name that a room has; no other room has it."""

    name: str


@dataclass(frozen=True, slots=True)
class Unmapped:
    """The reason why a room has no name; only the owner may see it, as it may name other rooms."""

    reason: str


@dataclass(frozen=True, slots=True)
class RoomMapping:
    """One line of the owner's list; a line without a channel is for the id in any channel."""

    channel: str | None
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Rooms:
    """All lines of the owner's list, even if they contradict each other.

    `seen` are the rooms, as pairs of channel and id, that have been seen and are mapped by their id
    alone. An id that was seen in two channels means two rooms; a line without a channel then names
    neither of them.
    """

    lines: tuple[RoomMapping, ...] = ()
    seen: frozenset[tuple[str, str]] = frozenset()

    def resolve(self, channel: str | None, room_id: str) -> RoomName | Unmapped:
        """Return the name of a room if all lines agree on it and no other room has it."""
        channel = channel.lower() if channel else None
        same_id = [line for line in self.lines if line.id == room_id]
        matching = [line for line in same_id if line.channel in (None, channel)]
        if not matching:
            return Unmapped(
                "mapped for another channel only" if same_id else "not mapped to a name yet"
            )
        channels = {line.channel for line in same_id}
        if None in channels and len(channels) > 1:
            return Unmapped("mapped once with and once without a channel; keep one of the two")
        if len({line.name for line in matching}) > 1:
            return Unmapped("mapped to two names")
        if matching[0].channel is None and len(self._channels_of(room_id, channel)) > 1:
            return Unmapped("its id is used in two channels; map it as <channel>:<id>")
        if self._rooms_called(matching[0].name) > 1:
            return Unmapped(f"its name {matching[0].name!r} is also the name of another room")
        return RoomName(matching[0].name)

    def is_by_id_alone(self, room_id: str) -> bool:
        """Return whether a line without a channel names this id."""
        return any(line.id == room_id and line.channel is None for line in self.lines)

    def _channels_of(self, room_id: str, channel: str | None) -> set[str]:
        channels = {seen_in for seen_in, id_ in self.seen if id_ == room_id}
        return channels | ({channel} if channel else set())

    def _rooms_called(self, name: str) -> int:
        folded = _fold_name(name)
        return len(
            {(line.channel, line.id) for line in self.lines if _fold_name(line.name) == folded}
        )


def rooms_from(mapping: object) -> Rooms:
    """Return the rooms in the owner's list, which was decoded from JSON.

    If it is invalid, raise InvalidInput. The message names a line by its number and never quotes
    it, because a group may see the message.
    """
    if not isinstance(mapping, dict):
        raise InvalidInput(
            f"the room names are {_kind(mapping)}, not an object",
            hint='write {"<room id>": "name"}',
        )
    lines = enumerate(mapping.items(), start=1)
    return Rooms(tuple(_line(number, key, value) for number, (key, value) in lines))


def _line(number: int, key: object, value: object) -> RoomMapping:
    channel, name = None, value
    if isinstance(value, dict):
        name, channel = value.get("name"), value.get("channel")
    if channel is not None and (not isinstance(channel, str) or not channel.strip()):
        raise InvalidInput(f"entry {number} of the room names has {_kind(channel)} for a channel")
    if not isinstance(name, str) or not _is_usable(name):
        raise InvalidInput(
            f"entry {number} of the room names has {_kind(name)} for a name",
            hint="a name is a single line and not empty",
        )
    if not isinstance(key, str) or not key.strip():
        raise InvalidInput(f"entry {number} of the room names has no room id")
    return RoomMapping(*_channel_and_id(key, channel), name.strip())


def _channel_and_id(key: str, channel: str | None) -> tuple[str | None, str]:
    if channel is not None:
        channel = channel.strip().lower()
        return channel, _without_prefix(key, f"{channel}:")
    if match := _CHANNEL.fullmatch(key):
        return match[1].lower(), match[2]
    return None, key


def _without_prefix(key: str, prefix: str) -> str:
    return key[len(prefix) :] if key.lower().startswith(prefix) and key[len(prefix) :] else key


def _is_usable(name: str) -> bool:
    return bool(_fold_name(name)) and not any(
        unicodedata.category(character) in _UNWRITABLE for character in name
    )


def _fold_name(name: str) -> str:
    """Return a form of a name that is equal for names that people would read as the same."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    visible = (c for c in unicodedata.normalize("NFKC", folded) if unicodedata.category(c) != "Cf")
    return flatten("".join(visible))


def _kind(value: object) -> str:
    names = {
        dict: "an object",
        list: "a list",
        str: "a text that cannot be used",
        bool: "true or false",
    }
    names |= {int: "a number", float: "a number", type(None): "nothing"}
    return names.get(type(value), "something else")
