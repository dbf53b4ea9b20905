"""A file next to a database that counts what was committed, to detect lost commits.

If the write-ahead log is lost or damaged, its last commits are lost, but the database looks intact
without them. So the counters of the database are also written to a file after each commit, before
callers are answered. A database whose counters are lower than those in the file has lost commits.

The file is not synced: it survives a kill, and a power cut can only make its counters smaller.
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
_COUNTED_TABLES: Final = ("memory_entries", "outbox")
"""Every change to an entry uses a new sequence number in one of these tables."""


@dataclass(frozen=True, slots=True)
class LifetimeCounts:
    """How many entries, and how many changes to files, a database has had in its lifetime."""

    entries: int
    changes: int


def lifetime_counts(connection: apsw.Connection) -> LifetimeCounts:
    """Return the counters of a database."""
    sequences = dict(connection.execute("SELECT name, seq FROM sqlite_sequence"))
    return LifetimeCounts(*(int(sequences.get(name, 0)) for name in _COUNTED_TABLES))


class CounterFile:
    """The counter file of a database; written only under the process lock."""

    def __init__(self, database: Path) -> None:
        self._path = _path_for(database)
        self._written: LifetimeCounts | None = None
        self._file: int | None = None

    def read(self) -> LifetimeCounts | None:
        """Return the counters in the file; None if it is missing or unreadable."""
        if not self._path.exists():
            return None
        try:
            line = os.pread(self._open(), _LINE_BYTES, 0)
            text, _, checksum = line.strip().rpartition(b" ")
            if int(checksum, 16) != crc32(text):
                return None
            entries, changes = text.split()
            return LifetimeCounts(int(entries), int(changes))
        except (OSError, StoreError, ValueError):
            return None

    def write(self, counts: LifetimeCounts) -> None:
        """Write the counters; errors are ignored, because the commit has succeeded."""
        if counts == self._written:
            return
        text = b"%d %d" % (counts.entries, counts.changes)
        try:
            line = (b"%s %x" % (text, crc32(text))).ljust(_LINE_BYTES - 1) + b"\n"
            os.pwrite(self._open(), line, 0)
        except (OSError, StoreError):
            return
        self._written = counts

    def _open(self) -> int:
        if self._file is None:
            self._file = open_private(self._path)
        return self._file

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


def reset_counters(database: Path) -> None:
    """Delete the counter file, because another database takes the place of this one."""
    _path_for(database).unlink(missing_ok=True)


def _path_for(database: Path) -> Path:
    return database.with_suffix(".seq")
