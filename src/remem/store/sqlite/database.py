"""An open database file: its writer thread, its pool of readers, and how it reacts to damage."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Generic, TypeVar

import apsw

from remem.errors import RememError, StoreClosed, StoreDamaged, StoreReadOnly, StoreReplaced
from remem.fast_dataclass import dataclass
from remem.store.sqlite.connection import (
    abandon,
    close,
    forbid,
    open_for_reading,
    open_for_writing,
    translating_errors,
)
from remem.store.sqlite.counter_file import CounterFile, lifetime_counts, reset_counters
from remem.store.sqlite.presence import Presence
from remem.store.sqlite.process_lock import ProcessLock, create_private
from remem.store.sqlite.writer import Begin, Writer

_MAX_IDLE_READERS: Final = 8


class ReaderPool:
    """A pool of reading connections; each is lent to one thread at a time.

    A borrower sees the database as of its first query until it returns the connection.
    """

    def __init__(
        self,
        path: Path,
        connect: Callable[[], apsw.Connection],
        close: Callable[[apsw.Connection], None] = close,
    ) -> None:
        self._path = path
        self._connect = connect
        self._close_connection = close
        self._idle = [connect()]
        self._lock = threading.Lock()
        self._closed = False

    @contextmanager
    def borrow(self) -> Iterator[apsw.Connection]:
        connection = self._take()
        try:
            with translating_errors(self._path):
                connection.execute("BEGIN")
                yield connection
                connection.execute("END")
        except BaseException:
            # A connection that has failed once is not reused.
            self._close_connection(connection)
            raise
        self._return(connection)

    def close(self) -> None:
        """Close idle connections now, and lent ones when they are returned."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            self._close_connection(connection)

    def _take(self) -> apsw.Connection:
        with self._lock:
            if self._closed:
                raise StoreClosed(f"{self._path} was closed")
            if self._idle:
                return self._idle.pop()
        return self._connect()

    def _return(self, connection: apsw.Connection) -> None:
        with self._lock:
            if not self._closed and len(self._idle) < _MAX_IDLE_READERS:
                self._idle.append(connection)
                return
        self._close_connection(connection)


Tx = TypeVar("Tx")


@dataclass(frozen=True, slots=True)
class DatabaseKind(Generic[Tx]):
    """The properties in which databases of entries and databases of passages differ.

    - `newest_schema`: returns the schema version that this version of remem writes.
    - `migrate`: brings the tables up to date.
    - `require_current`: refuses to read tables that are not up to date.
    - `begin`: creates the object that is passed to the operations of a transaction.
    - `lock_prefix`: the prefix of the names of the lock files.
    - `record_loss`: records in the database how many entries it has lost; None for data that can
      be rebuilt. If it is given, commits are also counted in a separate file, and the content is
      rescued when the files are removed while the database is open.
    """

    newest_schema: Callable[[], int]
    migrate: Callable[[apsw.Connection, Path], None]
    require_current: Callable[[apsw.Connection, Path], None]
    begin: Begin[Tx]
    lock_prefix: str = ""
    record_loss: Callable[[Tx, int], None] | None = None

    @property
    def is_irreplaceable(self) -> bool:
        """Whether the data cannot be rebuilt from files."""
        return self.record_loss is not None


class Database(Generic[Tx]):
    """A database, opened for writing if possible, otherwise only for reading.

    `problem` says why it is only read. A file that turns out to be damaged is still read, but not
    written again.
    """

    def __init__(self, path: Path, kind: DatabaseKind[Tx], *, vfs: str | None = None) -> None:
        self._path = path
        self._kind = kind
        self._vfs = vfs
        self._refusal: RememError | None = None
        self._writer: Writer[Tx] | None = None
        self._displaced = False
        self._presence: Presence | None = None
        try:
            self._writer = self._open_writer()
        except StoreReadOnly as error:
            if not path.exists():
                raise
            self._refusal = error
            self._presence = Presence(path)
        try:
            self._readers = ReaderPool(path, self._connect_reader, self._close_reader)
        except BaseException:
            if self._writer is not None:
                self._writer.close()
            raise

    @property
    def writable(self) -> bool:
        return self._refusal is None

    @property
    def problem(self) -> str | None:
        """The reason why writes fail; None if they work."""
        return str(self._refusal) if self._refusal else None

    @property
    def displaced(self) -> bool:
        """Whether the file was removed or replaced since it was opened."""
        removed = self._presence is not None and self._presence.database_displaced
        return self._displaced or removed

    def close(self) -> None:
        """Run the pending writes, then close; closing twice is harmless."""
        if self._writer is not None:
            self._writer.close()
        self._readers.close()

    @contextmanager
    def _borrow_reader(self) -> Iterator[apsw.Connection]:
        with self._watching_for_damage():
            if self._presence is not None:
                self._presence.require_database()
            with self._readers.borrow() as connection:
                yield connection

    def _close_reader(self, connection: apsw.Connection) -> None:
        abandon(connection) if self.displaced else close(connection)

    def _require_writer(self) -> Writer[Tx]:
        if self._refusal is not None:
            raise self._refusal
        assert self._writer is not None
        return self._writer

    @contextmanager
    def _watching_for_damage(self) -> Iterator[None]:
        try:
            yield
        except StoreReplaced:
            self._displaced = True
            raise
        except StoreDamaged as error:
            self._stop_writing(error)
            raise

    def _stop_writing(self, error: StoreDamaged) -> None:
        """Refuse writes from now on; reads continue."""
        self._refusal = error

    def _open_writer(self) -> Writer[Tx]:
        if self._path.exists() and not os.access(self._path, os.W_OK):
            raise StoreReadOnly(
                f"{self._path} is read-only",
                hint="check its permissions; reading still works, writing does not",
            )
        lock = ProcessLock(self._path.parent, self._kind.lock_prefix)
        try:
            with lock:
                if not self._path.exists():
                    reset_counters(self._path)
                    create_private(self._path)  # SQLite would create it readable for all
                self._presence = Presence(self._path, irreplaceable=self._kind.is_irreplaceable)
                connection = self._connect_writer()
                counter_file = self._open_counter_file(connection)
            return Writer(
                self._path,
                connection,
                self._connect_writer,
                lock,
                begin=self._kind.begin,
                presence=self._presence,
                counter_file=counter_file,
            )
        except BaseException:
            lock.close()
            raise

    def _open_counter_file(self, connection: apsw.Connection) -> CounterFile | None:
        """Return the file that counts what was committed; None for data that can be rebuilt.

        If the file has counted more than the database contains, the database has lost commits. The
        loss is recorded in the database, and the file starts again from what is left.
        """
        record_loss = self._kind.record_loss
        if record_loss is None:
            return None
        counter_file = CounterFile(self._path)
        committed, present = counter_file.read(), lifetime_counts(connection)
        if committed is not None and (
            committed.entries > present.entries or committed.changes > present.changes
        ):
            lost_entries = max(0, committed.entries - present.entries)
            with translating_errors(self._path), connection:
                record_loss(self._kind.begin(connection), lost_entries)
            counter_file.write(present)
        return counter_file

    def _connect_writer(self) -> apsw.Connection:
        connection = open_for_writing(self._path, self._vfs, self._kind.newest_schema())
        return self._prepared(connection, self._kind.migrate)

    def _connect_reader(self) -> apsw.Connection:
        connection = open_for_reading(self._path, self._vfs, self._kind.newest_schema())
        return self._prepared(connection, self._kind.require_current)

    def _prepared(
        self, connection: apsw.Connection, prepare: Callable[[apsw.Connection, Path], None]
    ) -> apsw.Connection:
        try:
            with translating_errors(self._path):
                prepare(connection, self._path)
            forbid(connection)
        except BaseException:
            close(connection)
            raise
        return connection
