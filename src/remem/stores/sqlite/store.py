"""The record of one scope in one SQLite file."""

from __future__ import annotations

import os
import queue
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

import apsw

from remem import ports
from remem.errors import RememError, StoreClosed, StoreReadOnly
from remem.stores.sqlite import schema
from remem.stores.sqlite.connection import forbid, open_for_reading, open_for_writing
from remem.stores.sqlite.errors import translating
from remem.stores.sqlite.snapshot import BitCache, Snapshot
from remem.stores.sqlite.transaction import Transaction
from remem.stores.sqlite.turns import Turns
from remem.stores.sqlite.writer import Writer

T = TypeVar("T")
_READERS: Final = 4


class SqliteStore:
    """Opens for writing where it may; else it serves reads and says why in `trouble`."""

    def __init__(self, path: Path, *, vfs: str | None = None) -> None:
        self._path = path
        self._vfs = vfs
        self._bits = BitCache()
        self._readers: queue.LifoQueue[apsw.Connection] = queue.LifoQueue()
        self._closed = False
        self._refusal: RememError | None = None
        self._writer: Writer | None = None
        try:
            self._writer = self._open_writer()
        except StoreReadOnly as error:
            if not path.exists():
                raise
            self._refusal = error
        self._readers.put(self._connect_reader())

    @property
    def writable(self) -> bool:
        return self._writer is not None

    @property
    def trouble(self) -> str | None:
        """Why writing fails or has failed, if it has."""
        error = self._refusal or (self._writer.late_error if self._writer else None)
        return str(error) if error else None

    @contextmanager
    def read(self) -> Iterator[ports.Snapshot]:
        if self._closed:
            raise StoreClosed(f"{self._path} was closed")
        try:
            connection = self._readers.get_nowait()
        except queue.Empty:
            connection = self._connect_reader()
        try:
            with translating(self._path):
                yield Snapshot(connection, self._bits)
        finally:
            if self._closed or self._readers.qsize() >= _READERS:
                connection.close()
            else:
                self._readers.put(connection)

    def write(self, operation: Callable[[ports.Transaction], T]) -> T:
        return self._pen().write(lambda connection: operation(self._transaction(connection)))

    def write_later(self, operation: Callable[[ports.Transaction], Any]) -> None:
        if self._writer is not None:
            self._writer.write_later(lambda connection: operation(self._transaction(connection)))

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        if self._writer is not None:
            self._writer.close()
        while not self._readers.empty():
            self._readers.get_nowait().close()

    def _pen(self) -> Writer:
        if self._writer is None:
            assert self._refusal is not None
            raise self._refusal
        return self._writer

    def _transaction(self, connection: apsw.Connection) -> Transaction:
        return Transaction(connection, self._bits)

    def _open_writer(self) -> Writer:
        if self._path.exists() and not os.access(self._path, os.W_OK):
            raise StoreReadOnly(
                f"{self._path} is read-only",
                hint="check its permissions; reading still works, writing does not",
            )
        turns = Turns(self._path.parent)
        try:
            with turns:
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
            connection.close()
            raise
        return connection

    def _connect_reader(self) -> apsw.Connection:
        connection = open_for_reading(self._path, self._vfs)
        try:
            with translating(self._path):
                schema.version_of(connection, self._path)
            forbid(connection)
        except BaseException:
            connection.close()
            raise
        return connection
