"""Which conversations may speak to this workspace? Their tokens: issued, looked up, revoked.

Each lies in a file of its own in `.remem/tokens`, as a digest with what it stands for; the
file's time is when it was last used. So they outlive a server, and several can share them.

Whose memory may this session open? The settings, the list of rooms and the key say so.

A module of its own, because a host's hook asks it in the middle of a conversation: everything
else that makes a memory can wait.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hmac import compare_digest
from pathlib import Path
from typing import Final

from remem.config import Config, parse_config
from remem.errors import ConfigError, FileError, InvalidInput, NotAllowed, StoreReadOnly, shown
from remem.files import atomic
from remem.files.layout import Layout, check_topics
from remem.files.rooms import note_seen, read_rooms
from remem.model.rooms import Rooms
from remem.model.scope import Scope, Session, may_read
from remem.model.session import (
    Holder,
    Lifetime,
    Room,
    digest_of,
    new_token,
    read_key,
    read_session,
    refused,
)
from remem.ports import Clock
from remem.text.timestamps import parsed, stamp


def read_config(layout: Layout) -> Config:
    """The settings of a workspace; their defaults where it has none."""
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


MOST: Final = 16
"""Tokens of one conversation; a host may ask for another one with every turn."""

_LONGEST_NAME: Final = 1000
_NOTED_AGAIN: Final = 60
"""Seconds after which a use is noted again."""


@dataclass(frozen=True, slots=True)
class Issued:
    """A new token, and for how many seconds it is surely good. It is shown this once."""

    token: str
    session: str
    conversation: str
    expires_in: int


@dataclass(frozen=True, slots=True)
class Kept:
    """What a workspace knows of a token."""

    digest: str
    session: str
    conversation: str
    issued_at: str
    idle: int
    limit: int

    @property
    def holder(self) -> Holder:
        return Holder(self.session, self.conversation)

    def is_over(self, used: float, now: float) -> bool:
        issued = parsed(self.issued_at).timestamp()
        life = Lifetime(self.idle, self.limit)
        return life.is_over(issued=issued, used=max(used, issued), now=now)


_NOBODYS: Final = Kept("-" * 64, "", "", "1970-01-01T00:00:00Z", 1, 1)
_DECOY: Final = "nobody"
"""Read in the place of a file that is not there: a refusal should take as long either way."""


class SessionTokens:
    """The tokens of one workspace."""

    def __init__(
        self,
        layout: Layout,
        clock: Clock = lambda: stamp(datetime.now(UTC)),
        random_bytes: Callable[[int], bytes] = os.urandom,
    ) -> None:
        self._layout = layout
        self._folder = layout.tokens
        self._clock = clock
        self._random_bytes = random_bytes

    def issue(
        self, session: str, conversation: str = "", lifetime: Lifetime | None = None
    ) -> Issued:
        """A token for a conversation, by its session's key; what is over goes meanwhile."""
        for value, name in ((session, "session"), (conversation, "conversation")):
            _check_name(value, name)
        life = lifetime or Lifetime()
        atomic.refuse_links(self._layout.root, self._folder)
        holder = Holder(session, conversation)
        self._tidy(holder)
        token = new_token(self._random_bytes)
        kept = Kept(digest_of(token), session, conversation, self._clock(), life.idle, life.limit)
        if not (self._folder / _DECOY).exists():
            atomic.create(self._folder / _DECOY, _written(_NOBODYS))
        if not atomic.create(self._path(kept.digest), _written(kept)):
            raise InvalidInput("this token has been drawn before", hint="try again")
        return Issued(token, session, conversation, life.sure)

    def holder(self, token: object) -> Holder:
        """Who a token stands for. Any that is not good gets the same refusal, after the same
        steps: forged, over, revoked and another workspace's cannot be told apart."""
        digest, now = digest_of(token), self._now()
        path = self._path(digest)
        kept, used = _read(path) or _read(self._folder / _DECOY) or (_NOBODYS, 0.0)
        known, over = compare_digest(kept.digest, digest), kept.is_over(used, now)
        if over or not known:
            raise refused()
        if now - used >= min(_NOTED_AGAIN, kept.idle / 2):
            try:
                _note_use(path, now)
            except FileNotFoundError:  # revoked a moment ago
                raise refused() from None
            except OSError:
                pass  # a workspace that cannot be written: the time runs from the issue on
        return kept.holder

    def revoke(self, session: str, conversation: str | None = None) -> int:
        """End the tokens of a session, or of one of its conversations; how many there were.

        Those that were issued without saying for which conversation end with any of them.
        """
        ended = 0
        for path, kept, _ in self._all():
            meant = conversation is None or kept.conversation in ("", conversation)
            if kept.session == session and meant:
                atomic.remove(path)
                ended += 1
        return ended

    def held(self) -> list[tuple[Kept, float]]:
        """Every token that is still good, with the time of its last use; the oldest first."""
        now = self._now()
        alive = [(kept, used) for _, kept, used in self._all() if not kept.is_over(used, now)]
        return sorted(alive, key=lambda each: (each[0].issued_at, each[1]))

    def _tidy(self, holder: Holder) -> None:
        """Remove what is over, and the oldest of a conversation that has very many."""
        now, own = self._now(), list[tuple[str, float, Path]]()
        for path, kept, used in self._all():
            if kept.is_over(used, now):
                atomic.remove(path)
            elif kept.holder == holder:
                own.append((kept.issued_at, used, path))
        for _, _, path in sorted(own)[: max(0, len(own) + 1 - MOST)]:
            atomic.remove(path)

    def _all(self) -> Iterator[tuple[Path, Kept, float]]:
        for path in sorted(self._folder.glob("*.json")):
            if found := _read(path):
                yield path, *found

    def _path(self, digest: str) -> Path:
        return self._folder / f"{digest[:32]}.json"

    def _now(self) -> float:
        return parsed(self._clock()).timestamp()


def _written(kept: Kept) -> bytes:
    return json.dumps(asdict(kept), ensure_ascii=False).encode()


def _read(path: Path) -> tuple[Kept, float] | None:
    """What a file keeps, and when it was last used; None if there is none, or it is no token."""
    data = atomic.read(path)
    if data is None:
        return None
    try:
        return Kept(**json.loads(data)), path.stat().st_mtime
    except (ValueError, TypeError, FileNotFoundError):
        return None


def _note_use(path: Path, now: float) -> None:
    os.utime(path, (now, now), follow_symlinks=False)


def _check_name(value: str, name: str) -> None:
    if name == "session" and not value.strip():
        raise InvalidInput("the session key is empty", hint="give the key of the chat")
    if len(value) > _LONGEST_NAME:
        raise InvalidInput(f"{name} {shown(value)} is too long")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InvalidInput(f"{name} {shown(value)} is no text") from None
