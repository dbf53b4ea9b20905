"""Which friendly name has a room? An unmapped room has none, and never falls back to main."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from remem.core.words import fold
from remem.errors import InvalidInput, shown

_LONGEST_NAME: Final = 200


@dataclass(frozen=True, slots=True)
class Unmapped:
    """Why a room has no memory, and the command that gives it one."""

    reason: str


@dataclass(frozen=True, slots=True)
class Rooms:
    """Names by room: the key is the room's id, or `<channel>:<id>`."""

    names: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    broken: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def resolve(self, channel: str | None, room: str) -> str | Unmapped:
        exact = f"{channel}:{room}" if channel else room
        for key in dict.fromkeys((exact, room)):
            if key in self.broken:
                return Unmapped(self.broken[key])
            if key in self.names:
                return self._judged(key, room)
        return Unmapped(
            f"the room {shown(room)} has no name; `remem rooms map {room} NAME` gives it a memory"
        )

    def _judged(self, key: str, room: str) -> str | Unmapped:
        """A name counts only if it is this room's alone, and the key says which room."""
        if key == room and any(
            other.rpartition(":")[2] == room and other != room for other in self.names
        ):
            return Unmapped(
                f"the room id {shown(room)} is mapped on more than one channel; "
                "map it as <channel>:<id>"
            )
        name = self.names[key]
        if any(fold(each) == fold(name) and other != key for other, each in self.names.items()):
            return Unmapped(f"two rooms have the name {shown(name)}; give each its own")
        return name


def rooms_from(mapping: object) -> Rooms:
    """The rooms of a decoded `group_names.json`: `{id: name}` or `{id: {name, channel}}`."""
    if not isinstance(mapping, dict):
        raise InvalidInput(f"the room names must be an object, not {shown(mapping)}")
    names = {}
    for id_, value in mapping.items():
        key, name = _one(id_, value)
        names[key] = name
    return Rooms(MappingProxyType(names))


def _one(id_: str, value: Any) -> tuple[str, str]:
    channel = None
    if isinstance(value, dict):
        channel, value = value.get("channel"), value.get("name")
    if not isinstance(value, str) or not value.strip() or len(value) > _LONGEST_NAME:
        raise InvalidInput(f"the room {shown(id_)} has no usable name: {shown(value)}")
    if channel is not None and (not isinstance(channel, str) or not channel):
        raise InvalidInput(f"the room {shown(id_)} has no usable channel: {shown(channel)}")
    return (f"{channel}:{id_}" if channel else id_), value.strip()
