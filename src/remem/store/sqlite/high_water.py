"""Counters of a database's commits, stored in a separate file.

If the write-ahead log is lost or damaged, its last commits are lost, but the database looks intact
without them. A database whose counters are lower than those in this file has lost commits.
These counters are written after each commit and before callers are answered. They
are not synced: they survive a kill, and a power cut can only make them smaller.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final
from zlib import crc32

import apsw

from remem.errors import StoreError
from remem.fast_dataclass import dataclass
from remem.store.sqlite.process_lock import open_private

_LINE_BYTES: Final = 64
_COUNTED: Final = ("memory_entries", "outbox")
"""Every change to an entry uses a new sequence number in one of these tables."""


@dataclass(frozen=True, slots=True)
class LifetimeCounts:
    """The numbers of entries and file changes that a store has counted in its lifetime."""

    entries: int
    changes: int


def lifetime_counts(connection: apsw.Connection) -> LifetimeCounts:
    """Return the current counters of a database."""
    sequences = dict(connection.execute("SELECT name, seq FROM sqlite_sequence"))
    return LifetimeCounts(*(int(sequences.get(name, 0)) for name in _COUNTED))


class HighWater:
    """The counter file of a database; written only under the process lock."""

    def __init__(self, database: Path) -> None:
        self._path = path_for(database)
        self._last: LifetimeCounts | None = None
        self._file: int | None = None

    def read(self) -> LifetimeCounts | None:
        """Return the last counters; None if the file is missing or unreadable."""
        if not self._path.exists():
            return None
        try:
            text, _, check = os.pread(self._open(), _LINE_BYTES, 0).strip().rpartition(b" ")
            if int(check, 16) != crc32(text):
                return None
            entries, changes = text.split()
            return LifetimeCounts(int(entries), int(changes))
        except (OSError, StoreError, ValueError):
            return None

    def write(self, counts: LifetimeCounts) -> None:
        """Write the counters; errors are ignored, because the commit has succeeded."""
        if counts == self._last:
            return
        text = b"%d %d" % (counts.entries, counts.changes)
        try:
            line = (b"%s %x" % (text, crc32(text))).ljust(_LINE_BYTES - 1) + b"\n"
            os.pwrite(self._open(), line, 0)
        except (OSError, StoreError):
            return
        self._last = counts

    def _open(self) -> int:
        if self._file is None:
            self._file = open_private(self._path)
        return self._file

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


def path_for(database: Path) -> Path:
    """Return the counter file of a database."""
    return database.with_suffix(".seq")


def reset_counters(database: Path) -> None:
    """Delete the counters, because another database takes the place of this one."""
    path_for(database).unlink(missing_ok=True)
