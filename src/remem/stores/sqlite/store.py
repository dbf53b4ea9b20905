"""The record of one scope in one SQLite file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import apsw

from remem import ports
from remem.errors import RememError, StoreDamaged, StoreReadOnly
from remem.stores.sqlite import schema
from remem.stores.sqlite.bits import BitCache
from remem.stores.sqlite.connection import close, forbid, open_for_reading, open_for_writing
from remem.stores.sqlite.errors import translating
from remem.stores.sqlite.readers import Readers
from remem.stores.sqlite.snapshot import Snapshot
from remem.stores.sqlite.turns import Turns, create_private
from remem.stores.sqlite.writer import Writer

T = TypeVar("T")


class SqliteStore:
    """Opens for writing where it may; else it serves reads and says why in `trouble`.

    A file that turns out to be damaged is not written again, and reads go on as they can.
    """

    def __init__(self, path: Path, *, vfs: str | None = None) -> None:
        self._path = path
        self._vfs = vfs
        self._bits = BitCache()
        self._refusal: RememError | None = None
        self._writer: Writer | None = None
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

    @contextmanager
    def read(self) -> Iterator[ports.Snapshot]:
        with self._noticing_damage(), self._readers.lent() as connection:
            yield Snapshot(connection, self._bits)

    def write(self, operation: Callable[[ports.Transaction], T]) -> T:
        with self._noticing_damage():
            return self._pen().write(operation)

    def write_later(self, operation: Callable[[ports.Transaction], Any]) -> None:
        if self.writable:
            self._pen().write_later(operation)

    def close(self) -> None:
        """Write what waits, then close; a second time it does nothing."""
        if self._writer is not None:
            self._writer.close()
        self._readers.close()

    def _pen(self) -> Writer:
        if self._refusal is not None:
            raise self._refusal
        assert self._writer is not None
        return self._writer

    @contextmanager
    def _noticing_damage(self) -> Iterator[None]:
        try:
            yield
        except StoreDamaged as error:
            self._refusal = error
            raise

    def _open_writer(self) -> Writer:
        if self._path.exists() and not os.access(self._path, os.W_OK):
            raise StoreReadOnly(
                f"{self._path} is read-only",
                hint="check its permissions; reading still works, writing does not",
            )
        turns = Turns(self._path.parent)
        try:
            with turns:
                if not self._path.exists():
                    create_private(self._path)  # SQLite would let everybody read it
                connection = self._connect_writer()
            return Writer(self._path, connection, self._connect_writer, turns)
        except BaseException:
            turns.close()
            raise

    def _connect_writer(self) -> apsw.Connection:
        connection = open_for_writing(self._path, self._vfs)
        try:
            with translating(self._path):
                schema.migrate(connection, self._path)
            forbid(connection)
        except BaseException:
            close(connection)
            raise
        return connection

    def _connect_reader(self) -> apsw.Connection:
        connection = open_for_reading(self._path, self._vfs)
        try:
            with translating(self._path):
                schema.require_current(connection, self._path)
            forbid(connection)
        except BaseException:
            close(connection)
            raise
        return connection
