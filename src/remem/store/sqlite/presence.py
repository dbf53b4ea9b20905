"""Detect that the files of an open database were removed or replaced, and rescue the content.

`git clean`, a sync tool or a person can do that at any time. Writing would then go on without an
error, into files that nobody will ever open again.
"""

from __future__ import annotations

import os
from pathlib import Path
from time import sleep
from typing import Final

import apsw

from remem.errors import RememError, StoreReplaced
from remem.files.disk import make_folder, sync_folder
from remem.store.sqlite.connection import abandon, close, open_for_writing
from remem.store.sqlite.process_lock import create_private

Identity = tuple[int, int]
"""The device and inode of a file."""
_MAX_COPIES: Final = 20
_PAUSE_SECONDS: Final = 0.1
"""Time between a rescue and the check that its copy was not removed too."""


def identity(path: Path) -> Identity | None:
    """Return the identity of the file at a path; None if there is none."""
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

    def remember_log(self) -> None:
        """Remember the log that a new connection has opened; the database must be the same."""
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
        """Raise StoreReplaced if the database or its log was removed or replaced.

        `committed` says whether the operation has been committed already.
        """
        if self.displaced:
            raise self._error(committed=committed)

    def require_database(self) -> None:
        """Raise StoreReplaced if the database was removed or replaced."""
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
        """Save what an open connection can still read, then close the connection.

        - If the database is gone, all of it is copied to a new file at its path.
        - If only the log is gone, the content of the log is written into the database.
        - If another database is at the path, it is not changed. A log of the old one is removed,
          because SQLite would apply it to the new one.

        Nothing is saved of a database that can be rebuilt from files.
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
        """Copy the database to its path, and again if the copy is removed as well.

        A workspace that was removed as a whole is not created again.
        """
        own_folder = next((path for path in self.path.parents if path.name == ".remem"), None)
        for attempt in range(1, _MAX_COPIES + 1):
            try:
                if own_folder is not None and own_folder.parent.is_dir():
                    make_folder(self.path.parent)
                _copy(connection, self.path)
            except (FileNotFoundError, RememError):  # the copy or its folder was removed
                if attempt == _MAX_COPIES or own_folder is None or not own_folder.parent.is_dir():
                    raise
            sleep(_PAUSE_SECONDS)
            if identity(self.path) is not None:
                return


def _copy(connection: apsw.Connection, path: Path) -> None:
    """Copy an open database to a path where no file exists.

    If several processes do so at the same time, one of them succeeds.
    """
    fresh = path.with_name(f"{path.name}.{os.getpid()}.rescued")
    create_private(fresh)
    try:
        copy = open_for_writing(fresh)
        try:
            with copy.backup("main", connection, "main") as backup:
                backup.step()
            copy.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        finally:
            close(copy)
        for suffix in ("-wal", "-shm"):  # left over from the removed file
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        os.link(fresh, path)
    finally:
        fresh.unlink(missing_ok=True)
    sync_folder(path.parent)
