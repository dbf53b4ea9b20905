"""The record of the files that a conversation has read, in a small file that outlives the server.

The file is not synced: if a power cut destroys it, the conversation only has to read its gate once
more. It names the room of the conversation; if the conversation moves to another room, a new record
begins.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import time
from typing import Final

from remem.errors import RememError
from remem.files import atomic
from remem.files.disk import make_folder
from remem.files.layout import Layout
from remem.files.locks import EXCLUSIVE, SHARED, flock
from remem.model.conversation import IDLE_SECONDS, Conversation, LoadedFileRecord
from remem.model.scope import Session
from remem.ports import Clock
from remem.text.timestamps import parse_time

_MAX_BYTES: Final = 100_000
_UPDATE_INTERVAL: Final = 60
"""Seconds between two updates of an ongoing conversation's record."""

_RETENTION: Final = 86_400
"""Seconds after which the record of an ended conversation is removed."""


class ConversationRecord:
    """The record of one conversation of a session.

    If the host does not say which conversation it is, the record is that of the whole session.
    """

    def __init__(self, layout: Layout, session: Session, conversation: str, clock: Clock) -> None:
        self._layout = layout
        self._room = str(session.scope)
        self._path = _path(layout, session.agent, conversation or session.key)
        self._clock = clock
        self._unsaved: bytes | None = None

    def current(self) -> Conversation:
        """Return the files that the conversation has read; empty if it was idle for too long."""
        return self._load()[0]

    def note_activity(self) -> None:
        """Keep the conversation alive; the record is updated only occasionally."""
        conversation, idle = self._load()
        if idle >= _UPDATE_INTERVAL and conversation != Conversation():
            self.change(lambda conversation: conversation)

    def change(self, change: Callable[[Conversation], Conversation]) -> Conversation:
        """Update the record under a lock; if it cannot be written, keep it in memory."""
        try:
            atomic.refuse_links(self._layout.root, self._path)
            if not self._path.exists():
                make_folder(self._path.parent)
                _remove_old_records(self._path.parent)
            with self._locked(os.O_RDWR | os.O_CREAT, EXCLUSIVE) as file:
                data = self._unsaved or os.pread(file, _MAX_BYTES, 0)
                changed = change(self._parse(data)[0])
                _overwrite(file, self._serialize(changed))
        except (OSError, RememError):
            changed = change(self.current())
            self._unsaved = self._serialize(changed)
        else:
            self._unsaved = None
        return changed

    @contextmanager
    def _locked(self, flags: int, lock: int) -> Iterator[int]:
        """Open the record, lock it until the context ends, and yield its file descriptor."""
        file = os.open(self._path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            flock(file, lock)
            yield file
        finally:
            os.close(file)

    def _load(self) -> tuple[Conversation, float]:
        """Return the recorded conversation, and how many seconds ago it was recorded."""
        if self._unsaved is not None:
            return self._parse(self._unsaved)
        if not os.path.lexists(self._path):  # the usual case: a chat without a gate
            return Conversation(), 0.0
        try:
            atomic.refuse_links(self._layout.root, self._path)
            with self._locked(os.O_RDONLY, SHARED) as file:
                return self._parse(os.pread(file, _MAX_BYTES, 0))
        except (OSError, RememError):
            return Conversation(), 0.0  # an unreadable record only means reading the gate again

    def _parse(self, data: bytes) -> tuple[Conversation, float]:
        """Return the conversation in a record, and how many seconds ago it was recorded.

        It is empty if the record is of another room, too old or unreadable.
        """
        try:
            record = json.loads(data)
            idle = (parse_time(self._clock()) - parse_time(record["at"])).total_seconds()
            if record["room"] != self._room or idle > IDLE_SECONDS:
                return Conversation(), idle
            loaded = tuple(LoadedFileRecord(path, tier) for path, tier in record["files"])
            return Conversation(record["gate"], loaded, record["tokens"]), idle
        except (ValueError, LookupError, TypeError, RememError):
            return Conversation(), 0.0

    def _serialize(self, conversation: Conversation) -> bytes:
        record = {
            "room": self._room,
            "at": self._clock(),
            "gate": conversation.gate,
            "files": [(file.path, file.tier) for file in conversation.files],
            "tokens": conversation.tokens,
        }
        return json.dumps(record, ensure_ascii=False).encode()


def _overwrite(file: int, data: bytes) -> None:
    """Replace the content of a record; if the disk is full, it keeps its content.

    Only a longer file needs more space. So blanks, which readers ignore, are appended first, and
    then the file is overwritten in place.
    """
    size = os.fstat(file).st_size
    blanks = b" " * (len(data) - size)
    if os.pwrite(file, blanks, size) != len(blanks):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    os.pwrite(file, data, 0)
    os.ftruncate(file, len(data))


def end_conversation(layout: Layout, session: Session, conversation: str = "") -> None:
    """Remove the record of a conversation that has ended or whose context was compacted.

    The record of the whole session is removed too, because a server that does not know the
    conversation uses that one.
    """
    for name in {conversation or session.key, session.key}:
        path = _path(layout, session.agent, name)
        atomic.refuse_links(layout.root, path)
        if path.exists():
            atomic.remove(path)


def _path(layout: Layout, agent: str, name: str) -> Path:
    digest = hashlib.sha256(f"{agent}\0{name}".encode("utf-8", "surrogatepass")).hexdigest()
    return layout.conversations / f"{digest[:32]}.json"


def _remove_old_records(folder: Path) -> None:
    """Remove the records of conversations that ended long ago."""
    for path in folder.glob("*.json"):
        try:
            if time() - path.lstat().st_mtime > _RETENTION:
                path.unlink()
        except FileNotFoundError:
            continue
