"""What did a conversation read before? A small record of its own, which outlives the server.

It is not synced: after a power cut a conversation reads its gate once more, and no harm is
done. It names the room that the conversation is in: in another one it begins anew.
"""

from __future__ import annotations

import fcntl
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
from remem.files.layout import Layout
from remem.model.conversation import IDLE, Conversation, Loaded
from remem.model.scope import Session
from remem.ports import Clock
from remem.text.timestamps import parsed

_LARGEST: Final = 100_000
_NOTED_AGAIN: Final = 60
"""Seconds after which it is noted again that a conversation goes on."""

_KEPT: Final = 86_400
"""Seconds after which the record of a conversation that is over is removed."""


class Conversations:
    """The record of one conversation: that of a session and, where the host has named it, of
    one of its conversations."""

    def __init__(self, layout: Layout, session: Session, conversation: str, clock: Clock) -> None:
        self._layout = layout
        self._room = str(session.scope)
        self._path = _path(layout, session.agent, conversation or session.key)
        self._clock = clock
        self._unsaved: bytes | None = None

    def now(self) -> Conversation:
        """How far the conversation has come; nothing is left of one that fell silent."""
        return self._look()[0]

    def heard(self) -> None:
        """Somebody has spoken in it, which puts off its end; noted once in a while."""
        conversation, silent = self._look()
        if silent >= _NOTED_AGAIN and conversation != Conversation():
            self.change(lambda same: same)

    def change(self, change: Callable[[Conversation], Conversation]) -> Conversation:
        """Note something, one at a time. Where nothing can be written it is kept in mind."""
        try:
            with self._held() as record:
                changed = change(self._read(os.pread(record, _LARGEST, 0))[0])
                os.ftruncate(record, 0)
                os.pwrite(record, self._written(changed), 0)
        except (OSError, RememError):
            changed = change(self.now())
            self._unsaved = self._written(changed)
        else:
            self._unsaved = None
        return changed

    @contextmanager
    def _held(self) -> Iterator[int]:
        atomic.refuse_links(self._layout.root, self._path)
        if not self._path.exists():
            atomic.make_folder(self._path.parent)
            _tidy(self._path.parent)
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        record = os.open(self._path, flags, 0o600)
        try:
            fcntl.flock(record, fcntl.LOCK_EX)
            yield record
        finally:
            os.close(record)

    def _look(self) -> tuple[Conversation, float]:
        if self._unsaved is not None:
            return self._read(self._unsaved)
        if not os.path.lexists(self._path):  # as in every chat that has no gate
            return Conversation(), 0.0
        try:
            atomic.refuse_links(self._layout.root, self._path)
            return self._read(self._standing())
        except (OSError, RememError):
            return Conversation(), 0.0  # what cannot be read tells nothing: the gate is read again

    def _standing(self) -> bytes:
        """The record as it stands when nobody is in the middle of writing it."""
        try:
            record = os.open(self._path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            return b""
        try:
            fcntl.flock(record, fcntl.LOCK_SH)
            return os.pread(record, _LARGEST, 0)
        finally:
            os.close(record)

    def _read(self, data: bytes) -> tuple[Conversation, float]:
        """What a record says, and how many seconds ago it was written."""
        try:
            told = json.loads(data)
            silent = (parsed(self._clock()) - parsed(told["at"])).total_seconds()
            if told["room"] != self._room or silent > IDLE:
                return Conversation(), silent
            loaded = tuple(Loaded(path, tier) for path, tier in told["files"])
            return Conversation(told["gate"], loaded, told["tokens"]), silent
        except (ValueError, LookupError, TypeError, RememError):
            return Conversation(), 0.0

    def _written(self, conversation: Conversation) -> bytes:
        told = {
            "room": self._room,
            "at": self._clock(),
            "gate": conversation.gate,
            "files": [(file.path, file.tier) for file in conversation.files],
            "tokens": conversation.tokens,
        }
        return json.dumps(told, ensure_ascii=False).encode()


def end_conversation(layout: Layout, session: Session, conversation: str = "") -> None:
    """What was read no longer counts: the conversation has ended, or forgot by compaction.

    Also that of the session as a whole, which stands for it where a server was told no more.
    """
    for name in {conversation or session.key, session.key}:
        path = _path(layout, session.agent, name)
        atomic.refuse_links(layout.root, path)
        if path.exists():
            atomic.remove(path)


def _path(layout: Layout, agent: str, name: str) -> Path:
    digest = hashlib.sha256(f"{agent}\0{name}".encode("utf-8", "surrogatepass")).hexdigest()
    return layout.conversations / f"{digest[:32]}.json"


def _tidy(folder: Path) -> None:
    """Remove the records of conversations that ended long ago."""
    for path in folder.glob("*.json"):
        try:
            if time() - path.lstat().st_mtime > _KEPT:
                path.unlink()
        except FileNotFoundError:
            continue
