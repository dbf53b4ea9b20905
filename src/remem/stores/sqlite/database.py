"""How is one database file served? One writer, a few readers, damage noticed and kept out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

import apsw

from remem.errors import RememError, StoreDamaged, StoreReadOnly
from remem.stores.sqlite.connection import close, forbid, open_for_reading, open_for_writing
from remem.stores.sqlite.errors import translating
from remem.stores.sqlite.readers import Readers
from remem.stores.sqlite.turns import Turns, create_private
from remem.stores.sqlite.writer import Begin, Writer

Tx = TypeVar("Tx")


@dataclass(frozen=True, slots=True)
class Design(Generic[Tx]):
    """What kind of database a file is: its schema, its transactions, the names of its locks."""

    newest: Callable[[], int]
    migrate: Callable[[apsw.Connection, Path], None]
    require_current: Callable[[apsw.Connection, Path], None]
    begin: Begin[Tx]
    locks: str = ""


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
        try:
            self._writer = self._open_writer()
        except StoreReadOnly as error:
            if not path.exists():
                raise
            self._refusal = error
        try:
            self._readers = Readers(path, self._connect_reader)
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

    def close(self) -> None:
        """Write what waits, then close; a second time it does nothing."""
        if self._writer is not None:
            self._writer.close()
        self._readers.close()

    @contextmanager
    def _lent(self) -> Iterator[apsw.Connection]:
        with self._noticing_damage(), self._readers.lent() as connection:
            yield connection

    def _pen(self) -> Writer[Tx]:
        if self._refusal is not None:
            raise self._refusal
        assert self._writer is not None
        return self._writer

    @contextmanager
    def _noticing_damage(self) -> Iterator[None]:
        try:
            yield
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
                    create_private(self._path)  # SQLite would let everybody read it
                connection = self._connect_writer()
            return Writer(self._path, connection, self._connect_writer, turns, self._design.begin)
        except BaseException:
            turns.close()
            raise

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
