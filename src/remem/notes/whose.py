"""Whose memory may this session open? The settings, the list of rooms and the key say so.

A module of its own, because a host's hook asks it in the middle of a conversation: everything
else that makes a memory can wait.
"""

from __future__ import annotations

from contextlib import suppress

from remem.config import Config, parse_config
from remem.core.room_names import Rooms
from remem.core.scope import Scope, Session, may_read
from remem.core.session_key import Room, read_key, read_session
from remem.errors import ConfigError, FileError, NotAllowed, StoreReadOnly
from remem.notes import files
from remem.notes.layout import Layout, check_topics
from remem.notes.rooms import note_seen, read_rooms


def read_config(layout: Layout) -> Config:
    """The settings of a workspace; their defaults where it has none."""
    data = files.read(layout.config_file)
    if data is None:
        return Config()
    try:
        config = parse_config(data.decode(), str(layout.config_file))
    except UnicodeDecodeError as error:
        raise ConfigError(f"{layout.config_file} is not UTF-8 (byte {error.start})") from error
    check_topics(config.topics)
    return config


def session_of(layout: Layout, config: Config, key: str) -> Session:
    """The session of a key. Only a room needs the list of rooms: main works without it."""
    room = read_key(key)[1]
    rooms = _rooms(layout) if isinstance(room, Room) else Rooms()
    if isinstance(room, Room) and room.channel and rooms.is_by_id_alone(room.id):
        with suppress(StoreReadOnly):  # where nothing can be written, nothing can be mixed up
            note_seen(layout.root, room.channel, room.id)
    return read_session(
        key,
        rooms,
        owner_peers=config.owner_peers,
        main_is_shared=config.main_is_shared,
    )


def _rooms(layout: Layout) -> Rooms:
    """What is wrong with the list is the owner's to know: it counts the rooms of others."""
    try:
        return read_rooms(layout.root)
    except FileError:
        raise NotAllowed(
            "the names of rooms cannot be read, so nothing is open to this one",
            hint="`remem rooms` tells the owner why",
        ) from None


def scope_of(session: Session) -> Scope:
    """The scope a session reads and writes; those without one get nothing, and the reason."""
    if session.scope is None or not may_read(session, session.scope):
        raise NotAllowed(session.reason or "this session has no memory")
    return session.scope
