"""Detect that a database was removed, replaced or rolled back.

`git clean`, a sync tool or a person can remove or replace a database while it is open. Writing
then goes on without an error, into files that nobody will ever open again. `Presence` notices that
and rescues the content.

If the write-ahead log is lost or damaged, its last commits are lost, but the database looks intact
without them. `HighWater` counts the commits in a separate file: a database whose counters are lower
has lost commits. They are written after each commit and before callers are answered. They are not
synced: they survive a kill, and a power cut can only make them smaller.
"""

from __future__ import annotations

import os
from pathlib import Path
from time import sleep
from typing import Final
from zlib import crc32

import apsw

from remem.errors import RememError, StoreError, StoreReplaced
from remem.fast_dataclass import dataclass
from remem.files.disk import make_folder, sync_folder
from remem.store.sqlite.connection import abandon, close, open_for_writing
from remem.store.sqlite.process_lock import create_private, open_private

Identity = tuple[int, int]
_MAX_COPIES: Final = 20
_PAUSE: Final = 0.1
"""Seconds between a rescue and the check that its copy was not removed too."""
_LINE_BYTES: Final = 64
_COUNTED_TABLES: Final = ("memory_entries", "outbox")
"""Every change to an entry uses a new sequence number in one of these tables."""


def identity(path: Path) -> Identity | None:
    """Return the device and inode of the file at a path; None if there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def log_of(path: Path) -> Path:
    """Return the path of a database's write-ahead log."""
    return path.with_name(f"{path.name}-wal")


class Presence:
    """The identity of a database file and its log at the time they were opened."""

    def __init__(self, path: Path, *, irreplaceable: bool = False) -> None:
        self.path = path
        self._irreplaceable = irreplaceable
        self._database = identity(path)
        self._log: Identity | None = None

    def connected(self) -> None:
        """Remember the log of a new connection, which must have opened the same database."""
        self.require_database()
        self._log = identity(log_of(self.path))

    @property
    def database_displaced(self) -> bool:
        return identity(self.path) != self._database

    @property
    def log_displaced(self) -> bool:
        return self._log is not None and identity(log_of(self.path)) != self._log

    @property
    def displaced(self) -> bool:
        """Whether the database or its log was removed or replaced."""
        return self.database_displaced or self.log_displaced

    def require_both(self, *, committed: bool = False) -> None:
        if self.displaced:
            raise self._error(committed=committed)

    def require_database(self) -> None:
        if self.database_displaced:
            raise self._error(committed=False)

    def _error(self, *, committed: bool) -> StoreReplaced:
        error = StoreReplaced(
            f"{self.path.name} was removed or replaced while it was open",
            hint="nothing was acknowledged; try again",
        )
        error.committed = committed
        return error

    def rescue(self, connection: apsw.Connection) -> None:
        """Save what an open connection can still read, then close it.

        - If the database is gone, all of it is copied to a new file at the path.
        - If only the log is gone, its content is written into the database.
        - If another database is at the path, it is not touched, but a log that belongs to the
          old one is removed, because SQLite would apply it to the new one.

        A database that can be rebuilt from files is not saved.
        """
        try:
            if not self._irreplaceable:
                return
            if identity(self.path) is None:
                self._restore(connection)
            elif not self.database_displaced:
                connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_FULL)
            elif self._log is not None and identity(log_of(self.path)) == self._log:
                log_of(self.path).unlink(missing_ok=True)
        except (apsw.Error, OSError, RememError):
            pass  # opening the path again reports what is missing
        finally:
            abandon(connection)

    def _restore(self, connection: apsw.Connection) -> None:
        """Copy the database to its path, again if the removal was still going on.

        A workspace that was removed as a whole is not created again.
        """
        state = next((path for path in self.path.parents if path.name == ".remem"), None)
        for attempt in range(1, _MAX_COPIES + 1):
            try:
                if state is not None and state.parent.is_dir():
                    make_folder(self.path.parent)
                _copy(connection, self.path)
            except (FileNotFoundError, RememError):  # the copy or its folder was removed as well
                if attempt == _MAX_COPIES or state is None or not state.parent.is_dir():
                    raise
            sleep(_PAUSE)
            if identity(self.path) is not None:
                return


def _copy(connection: apsw.Connection, path: Path) -> None:
    """Copy an open database to a path where no file exists.

    If several processes try, one succeeds.
    """
    fresh = path.with_name(f"{path.name}.{os.getpid()}.rescued")
    create_private(fresh)
    try:
        copy = open_for_writing(fresh)
        try:
            with copy.backup("main", connection, "main") as copying:
                copying.step()
            copy.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        finally:
            close(copy)
        for suffix in ("-wal", "-shm"):  # left over from the removed file
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        os.link(fresh, path)
    finally:
        fresh.unlink(missing_ok=True)
    sync_folder(path.parent)


@dataclass(frozen=True, slots=True)
class LifetimeCounts:
    """The numbers of entries and file changes that a store has counted in its lifetime."""

    entries: int
    changes: int


def lifetime_counts(connection: apsw.Connection) -> LifetimeCounts:
    """Return the current counters of a database."""
    sequences = dict(connection.execute("SELECT name, seq FROM sqlite_sequence"))
    return LifetimeCounts(*(int(sequences.get(name, 0)) for name in _COUNTED_TABLES))


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
