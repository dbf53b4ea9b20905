"""The settings of a workspace, and the session and scope of a key."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from remem.config import Config, parse_config
from remem.errors import ConfigError, FileError, NotAllowed, StoreReadOnly
from remem.files import atomic
from remem.files.layout import Layout, check_topics
from remem.model.scope import Scope, Session, may_read
from remem.model.session import Room, read_key, read_session

if TYPE_CHECKING:
    from remem.model.rooms import Rooms


def read_config(layout: Layout) -> Config:
    """Return the settings of a workspace, or the defaults if it has no settings file."""
    data = atomic.read(layout.config_file)
    if data is None:
        return Config()
    try:
        config = parse_config(data.decode(), str(layout.config_file))
    except UnicodeDecodeError as error:
        raise ConfigError(f"{layout.config_file} is not UTF-8 (byte {error.start})") from error
    check_topics(config.topics)
    return config


def session_of(layout: Layout, config: Config, key: str) -> Session:
    """Return the session of a key.

    The names of rooms are read only for a room, so that main works without them.
    """
    room = read_key(key)[1]
    rooms = _rooms(layout) if isinstance(room, Room) else None
    if isinstance(room, Room) and room.channel and rooms and rooms.is_by_id_alone(room.id):
        from remem.files.rooms import record_room_channel

        # In a read-only workspace nothing is stored, so the record is not needed.
        with suppress(StoreReadOnly):
            record_room_channel(layout.root, room.channel, room.id)
    return read_session(
        key,
        rooms,
        owner_peers=config.owner_peers,
        main_is_shared=config.main_is_shared,
    )


def _rooms(layout: Layout) -> Rooms:
    """Return the rooms; raise NotAllowed, without details, if their names cannot be read.

    Only the owner may see what is wrong, because the file also names the rooms of other people.
    """
    from remem.files.rooms import read_rooms  # lazy: most sessions are in main

    try:
        return read_rooms(layout.root)
    except FileError:
        raise NotAllowed(
            "the names of rooms cannot be read, so this room has no access",
            hint="the owner can run `remem rooms` to see why",
        ) from None


def scope_of(session: Session) -> Scope:
    """Return the scope that a session reads and writes; raise NotAllowed if it has none."""
    if session.scope is None or not may_read(session, session.scope):
        raise NotAllowed(session.reason or "this session has no memory")
    return session.scope
