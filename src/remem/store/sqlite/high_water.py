"""How far a database had come when it was last written, kept outside of it.

A write-ahead log that is lost or damaged takes its last commits along, and the database looks
sound without them. The numbers in this file are written after each commit, before anybody is
answered, and not synced: they survive a kill, and a power cut can only make them smaller.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final
from zlib import crc32

import apsw

from remem.errors import StoreError
from remem.ports.records import Progress
from remem.store.sqlite.process_lock import open_private

_ROOM: Final = 64
_COUNTED: Final = ("memory_entries", "outbox")
"""Every change to an entry takes a new number in one of these tables."""


def progress_of(connection: apsw.Connection) -> Progress:
    found = dict(connection.execute("SELECT name, seq FROM sqlite_sequence"))
    return Progress(*(int(found.get(name, 0)) for name in _COUNTED))


class HighWater:
    """The file beside a database; only the writer whose turn it is writes it."""

    def __init__(self, database: Path) -> None:
        self._path = path_for(database)
        self._last: Progress | None = None
        self._file: int | None = None

    def read(self) -> Progress | None:
        """What was last written; None where nothing legible is there."""
        if not self._path.exists():
            return None
        try:
            said, _, check = os.pread(self._open(), _ROOM, 0).strip().rpartition(b" ")
            if int(check, 16) != crc32(said):
                return None
            entries, changes = said.split()
            return Progress(int(entries), int(changes))
        except (OSError, StoreError, ValueError):
            return None

    def write(self, now: Progress) -> None:
        """A disk that refuses this has taken the commit: what is lost is a piece of evidence."""
        if now == self._last:
            return
        said = b"%d %d" % (now.entries, now.changes)
        try:
            line = (b"%s %x" % (said, crc32(said))).ljust(_ROOM - 1) + b"\n"
            os.pwrite(self._open(), line, 0)
        except (OSError, StoreError):
            return
        self._last = now

    def _open(self) -> int:
        if self._file is None:
            self._file = open_private(self._path)
        return self._file

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


def path_for(database: Path) -> Path:
    return database.with_suffix(".seq")


def forget(database: Path) -> None:
    """Another database takes the place of this one: its numbers begin again."""
    path_for(database).unlink(missing_ok=True)
