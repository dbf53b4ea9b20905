"""How is one database file served? One writer, a few readers, damage noticed and kept out.

Who reads? A few connections, lent to one thread at a time and kept for the next.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Generic, TypeVar

import apsw

from remem.errors import RememError, StoreClosed, StoreDamaged, StoreDisplaced, StoreReadOnly
from remem.ports.records import Progress, Shortfall
from remem.store.sqlite.connection import (
    abandon,
    close,
    forbid,
    open_for_reading,
    open_for_writing,
    translating,
)
from remem.store.sqlite.high_water import HighWater, forget, progress_of
from remem.store.sqlite.presence import Presence
from remem.store.sqlite.process_lock import Turns, create_private
from remem.store.sqlite.writer import Begin, Writer

_KEPT: Final = 8


class Readers:
    """Lends connections; more are opened when all are out, and closed when too many are in.

    Whoever has one sees the database as it was at his first question, until he gives it back.
    """

    def __init__(
        self,
        path: Path,
        connect: Callable[[], apsw.Connection],
        close: Callable[[apsw.Connection], None] = close,
    ) -> None:
        self._path = path
        self._connect = connect
        self._let_go = close
        self._idle = [connect()]
        self._lock = threading.Lock()
        self._closed = False

    @contextmanager
    def lent(self) -> Iterator[apsw.Connection]:
        connection = self._take()
        try:
            with translating(self._path):
                connection.execute("BEGIN")
                yield connection
                connection.execute("END")
        except BaseException:
            # What has failed once is not trusted with the next question.
            self._let_go(connection)
            raise
        self._give_back(connection)

    def close(self) -> None:
        """Close what lies here; what is lent out is closed when it comes back."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            self._let_go(connection)

    def _take(self) -> apsw.Connection:
        with self._lock:
            if self._closed:
                raise StoreClosed(f"{self._path} was closed")
            if self._idle:
                return self._idle.pop()
        return self._connect()

    def _give_back(self, connection: apsw.Connection) -> None:
        with self._lock:
            if not self._closed and len(self._idle) < _KEPT:
                self._idle.append(connection)
                return
        self._let_go(connection)


Tx = TypeVar("Tx")


@dataclass(frozen=True, slots=True)
class Design(Generic[Tx]):
    """What kind of database a file is: its schema, its transactions, the names of its locks."""

    newest: Callable[[], int]
    migrate: Callable[[apsw.Connection, Path], None]
    require_current: Callable[[apsw.Connection, Path], None]
    begin: Begin[Tx]
    locks: str = ""
    record: bool = False
    """Whether the file holds what cannot be made again: then its commits are counted outside of
    it, and it is saved when its files are removed while they are open."""


class Database(Generic[Tx]):
    """Opens for writing where it may; else it serves reads and says why in `trouble`.

    A file that turns out to be damaged is not written again, and reads go on as they can.
    """

    def __init__(self, path: Path, design: Design[Tx], *, vfs: str | None = None) -> None:
        self._path = path
        self._design = design
        self._vfs = vfs
        self._refusal: RememError | None = None
        self._writer: Writer[Tx] | None = None
        self._displaced = False
        self._had: Progress | None = None
        self._presence: Presence | None = None
        try:
            self._writer = self._open_writer()
        except StoreReadOnly as error:
            if not path.exists():
                raise
            self._refusal = error
            self._presence = Presence(path)
        try:
            self._readers = Readers(path, self._connect_reader, self._let_go)
        except BaseException:
            if self._writer is not None:
                self._writer.close()
            raise

    @property
    def writable(self) -> bool:
        return self._refusal is None

    @property
    def trouble(self) -> str | None:
        """Why writing fails or has failed, if it has."""
        error = self._refusal or (self._writer.late_error if self._writer else None)
        return str(error) if error else None

    @property
    def displaced(self) -> bool:
        """Whether the file was removed or replaced since it was opened."""
        gone = self._presence is not None and self._presence.database_displaced
        return self._displaced or gone

    def shortfall(self) -> Shortfall | None:
        if self._had is None:
            return None
        with self._lent() as connection:
            return Shortfall(self._had, progress_of(connection))

    def settle(self) -> None:
        if self._had is not None:
            self._had = None
            self._pen().settle(HighWater(self._path))

    def close(self) -> None:
        """Write what waits, then close; a second time it does nothing."""
        if self._writer is not None:
            self._writer.close()
        self._readers.close()

    @contextmanager
    def _lent(self) -> Iterator[apsw.Connection]:
        with self._noticing_damage():
            if self._presence is not None:
                self._presence.require_database()
            with self._readers.lent() as connection:
                yield connection

    def _let_go(self, connection: apsw.Connection) -> None:
        abandon(connection) if self.displaced else close(connection)

    def _pen(self) -> Writer[Tx]:
        if self._refusal is not None:
            raise self._refusal
        assert self._writer is not None
        return self._writer

    @contextmanager
    def _noticing_damage(self) -> Iterator[None]:
        try:
            yield
        except StoreDisplaced:
            self._displaced = True
            raise
        except StoreDamaged as error:
            self._stop_writing(error)
            raise

    def _stop_writing(self, error: StoreDamaged) -> None:
        """What is damaged is not written again; what is sound is still read."""
        self._refusal = error

    def _open_writer(self) -> Writer[Tx]:
        if self._path.exists() and not os.access(self._path, os.W_OK):
            raise StoreReadOnly(
                f"{self._path} is read-only",
                hint="check its permissions; reading still works, writing does not",
            )
        turns = Turns(self._path.parent, self._design.locks)
        try:
            with turns:
                if not self._path.exists():
                    forget(self._path)
                    create_private(self._path)  # SQLite would let everybody read it
                self._presence = Presence(self._path, record=self._design.record)
                connection = self._connect_writer()
                high_water = self._counted(connection) if self._design.record else None
            return Writer(
                self._path,
                connection,
                self._connect_writer,
                turns,
                begin=self._design.begin,
                presence=self._presence,
                high_water=high_water,
            )
        except BaseException:
            turns.close()
            raise

    def _counted(self, connection: apsw.Connection) -> HighWater | None:
        """Where commits are counted; nowhere while more is on record than the database holds,
        or the record would be lost as well."""
        high_water = HighWater(self._path)
        had, has = high_water.read(), progress_of(connection)
        if had is None or (had.entries <= has.entries and had.changes <= has.changes):
            return high_water
        self._had = had
        return None

    def _connect_writer(self) -> apsw.Connection:
        connection = open_for_writing(self._path, self._vfs, self._design.newest())
        return self._prepared(connection, self._design.migrate)

    def _connect_reader(self) -> apsw.Connection:
        connection = open_for_reading(self._path, self._vfs, self._design.newest())
        return self._prepared(connection, self._design.require_current)

    def _prepared(
        self, connection: apsw.Connection, check: Callable[[apsw.Connection, Path], None]
    ) -> apsw.Connection:
        try:
            with translating(self._path):
                check(connection, self._path)
            forbid(connection)
        except BaseException:
            close(connection)
            raise
        return connection
