"""Passage stores that hold the passages in memory while a database cannot be used."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Final, TypeVar

import apsw

from remem.errors import StoreClosed, StoreError, StoreReadOnly
from remem.ports.entries import Store
from remem.store.reopening import RETRY_SECONDS, ReopeningStore
from remem.store.sqlite import passage_tables
from remem.store.sqlite.connection import TransactionMarker, translating_errors
from remem.store.sqlite.passage_tables import PassageSnapshot
from remem.store.sqlite.passages import SqlitePassages
from remem.store.sqlite.vector_bits import SqliteBitCache

if TYPE_CHECKING:
    from remem.ports.passages import PassageReader, PassageStore
    from remem.store.sqlite.passage_transaction import SqlitePassageTransaction

T = TypeVar("T")
_MEMORY_PATH: Final = Path(":memory:")


_CONSEQUENCE: Final = "every process has to read the memory files again"


def open_passages(path: Path) -> PassageStore:
    """Open the passages in a file.

    A file that cannot be written, or that a later version of remem made, is not touched: search
    then reads the memory files into memory, and `problem` says why.
    """
    return FallbackPassages(path)


def fallback_for(store: Store) -> PassageStore | None:
    """Return an empty passage store to read domain files into while the entry store fails.

    It is None if the entry store is available. It is in memory, so that text erased later does not
    remain in another file.
    """
    return MemoryPassages() if isinstance(store, ReopeningStore) and store.unavailable else None


class MemoryPassages:
    """Passages in a database in memory; `problem` says why there is no file."""

    writable: Final = True

    def __init__(self, problem: str | None = None) -> None:
        self.problem = problem
        self._bits = SqliteBitCache()
        self._lock = threading.RLock()
        self._connection: apsw.Connection | None = apsw.Connection(str(_MEMORY_PATH))
        passage_tables.create(self._connection, _MEMORY_PATH)

    @contextmanager
    def read(self) -> Iterator[PassageReader]:
        with self._locked() as connection:
            yield PassageSnapshot(connection, self._bits)

    def reopen(self) -> None:
        """Do nothing, because there is no file."""

    def pop_notice(self) -> str | None:
        """Return None, because a database in memory is never found damaged."""
        return None

    def scrub(self) -> None:
        """Do nothing: memory leaves no bytes in a file."""

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def write(self, operation: Callable[[SqlitePassageTransaction], T]) -> T:
        from remem.store.sqlite.passage_transaction import (
            SqlitePassageTransaction,
        )  # only for writing

        with self._locked() as connection, TransactionMarker(), connection:
            result = operation(SqlitePassageTransaction(connection))
        return result  # noqa: RET504 - mypy does not know that a connection never swallows errors

    @contextmanager
    def _locked(self) -> Iterator[apsw.Connection]:
        with self._lock, translating_errors(_MEMORY_PATH):
            if self._connection is None:
                raise StoreClosed("the passages were closed")
            yield self._connection


class FallbackPassages:
    """Passages in a file, or in memory while the file cannot be used.

    They stay in memory until `reopen` succeeds.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.RLock()
        self._closed = False
        self._file: SqlitePassages | None = None
        self._memory: MemoryPassages | None = None
        self._retry_at = 0.0
        try:
            self._file = self._open()
        except StoreError as error:
            self._use_memory(error)

    @property
    def writable(self) -> bool:
        return self._current().writable

    @property
    def problem(self) -> str | None:
        return self._current().problem

    @contextmanager
    def read(self) -> Iterator[PassageReader]:
        with self._current().read() as reader:
            yield reader

    def reopen(self) -> None:
        """Try to open the file again, if passages are in memory now.

        Call it only between searches, because the passages in the file may differ from those in
        memory.
        """
        with self._lock:
            if self._memory is None or self._closed or monotonic() < self._retry_at:
                return
            try:
                self._file = self._open()
            except StoreError as error:
                self._use_memory(error)
            else:
                self._memory.close()
                self._memory = None

    def pop_notice(self) -> str | None:
        return self._current().pop_notice()

    def scrub(self) -> None:
        self._current().scrub()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            for store in (self._file, self._memory):
                if store is not None:
                    store.close()

    def write(self, operation: Callable[[SqlitePassageTransaction], T]) -> T:
        return self._current().write(operation)

    def _current(self) -> SqlitePassages | MemoryPassages:
        with self._lock:
            if self._memory is not None:
                return self._memory
            assert self._file is not None, "either a file or memory is open"
            try:
                if not self._closed:
                    self._file.ensure_open()
            except StoreClosed:
                raise
            except StoreError as error:
                self._file.close()
                self._file = None
                return self._use_memory(error)
            return self._file

    def _open(self) -> SqlitePassages:
        store = SqlitePassages(self._path)
        if not store.writable:
            reason = store.problem
            store.close()
            raise StoreReadOnly(str(reason))
        return store

    def _use_memory(self, error: StoreError) -> MemoryPassages:
        self._retry_at = monotonic() + RETRY_SECONDS
        if self._memory is None:
            self._memory = MemoryPassages(f"{_CONSEQUENCE}: {error}")
        return self._memory
