"""The store at a path, for as long as a workspace is open.

A database that cannot be opened refuses, with the reason, and is tried again a while later: a
lock may be gone by then, a file repaired. One whose files are removed or replaced while they are
open is opened again.

Where do passages live when no file can hold them? In memory, for as long as a process.

It serves a workspace that cannot be written, and is filled by reading the files anew.

Where the passages of a scope are kept: in their file, or in memory while it cannot be used.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from time import monotonic
from typing import Any, Final, TypeVar

import apsw

from remem.errors import RememError, StoreClosed, StoreDisplaced, StoreError, StoreReadOnly
from remem.ports.entries import Snapshot, Store, Transaction
from remem.ports.passages import PassageReading, PassageStore
from remem.ports.records import Shortfall
from remem.store.sqlite import passage_tables
from remem.store.sqlite.connection import Holding, translating
from remem.store.sqlite.passage_snapshot import PassageSnapshot
from remem.store.sqlite.passage_transaction import PassageTransaction
from remem.store.sqlite.passages import PassageWriting, SqlitePassages
from remem.store.sqlite.vector_bits import BitCache

_NOWHERE: Final = Path(":memory:")


class MemoryPassages(PassageWriting):
    """One connection, lent to one thread at a time; `trouble` says why there is no file."""

    writable: Final = True

    def __init__(self, trouble: str | None = None) -> None:
        self.trouble = trouble
        self._bits = BitCache()
        self._lock = threading.RLock()
        self._connection: apsw.Connection | None = apsw.Connection(str(_NOWHERE))
        passage_tables.create(self._connection, _NOWHERE)

    @contextmanager
    def read(self) -> Iterator[PassageReading]:
        with self._lent() as connection:
            yield PassageSnapshot(connection, self._bits)

    def reopen(self) -> None:
        """There is no file to open."""

    def take_notice(self) -> str | None:
        """Memory is never damaged."""
        return None

    def scrub(self) -> None:
        """What lies in memory leaves no bytes in any file."""

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _write(self, operation: Callable[[PassageTransaction], None]) -> None:
        with self._lent() as connection, Holding(), connection:
            operation(PassageTransaction(connection))

    @contextmanager
    def _lent(self) -> Iterator[apsw.Connection]:
        with self._lock, translating(_NOWHERE):
            if self._connection is None:
                raise StoreClosed("the passages were closed")
            yield self._connection


T = TypeVar("T")
PAUSE: Final = 5.0
"""So many seconds lie between two attempts, or every question would wait for a lock."""


class RefusingStore:
    """Stands for a store that may not be open, and opens it when that works."""

    def __init__(
        self,
        reason: StoreError | None,
        connect: Callable[[], Store],
        prepare: Callable[[], None] = lambda: None,
    ) -> None:
        """With a reason, `connect` has just failed for it. `prepare` makes the folder again in
        which a store lay that was removed."""
        self._reason = reason
        self._connect = connect
        self._prepare = prepare
        self._store: Store | None = None if reason else connect()
        self._next = monotonic() + PAUSE
        self._closed = False
        self._lock = threading.Lock()
        self._generation = 0

    @property
    def writable(self) -> bool:
        store = self._opened()
        return store is not None and store.writable

    @property
    def trouble(self) -> str | None:
        store = self._opened()
        return str(self._reason) if store is None else store.trouble

    @property
    def refuses(self) -> bool:
        """Whether no store is open; asked by those who must not wait for another attempt."""
        return self._store is None

    @property
    def displaced(self) -> bool:
        return False

    @property
    def generation(self) -> int:
        return self._generation

    @contextmanager
    def read(self) -> Iterator[Snapshot]:
        with self._required().read() as snapshot:
            yield snapshot

    def write(self, operation: Callable[[Transaction], T]) -> T:
        try:
            return self._required().write(operation)
        except StoreDisplaced as error:
            store = self._required()
            if error.committed:  # into files that may be lost, or saved: nobody knows yet
                raise
            return store.write(operation)

    def write_later(self, operation: Callable[[Transaction], Any]) -> None:
        store = self._opened()
        if store is not None:
            store.write_later(operation)

    def hurried(self) -> AbstractContextManager[Sequence[str]]:
        store = self._opened()
        return nullcontext(()) if store is None else store.hurried()

    def scrub(self) -> None:
        self._required().scrub()

    def shortfall(self) -> Shortfall | None:
        store = self._opened()
        return None if store is None else store.shortfall()

    def settle(self) -> None:
        self._required().settle()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._store is not None:
                self._store.close()

    def _required(self) -> Store:
        store = self._opened()
        if store is not None:
            return store
        if self._closed or self._reason is None:
            raise StoreClosed("the store was closed")
        raise self._reason

    def _opened(self) -> Store | None:
        with self._lock:
            if self._closed:
                return self._store
            if self._store is not None and self._store.displaced:
                self._renew(self._store)
            if self._store is None and monotonic() >= self._next:
                try:
                    self._store = self._connect()
                    self._generation += 1
                except StoreError as error:
                    self._reason = error
                    self._next = monotonic() + PAUSE
            return self._store

    def _renew(self, old: Store) -> None:
        self._store = None
        self._next = monotonic()
        try:
            self._prepare()
        except RememError as error:
            self._reason = StoreError(str(error))
        old.close()  # which saves what only the open files still hold


_IN_MEMORY: Final = "the memory files are read anew in each process"


def open_passages(path: Path) -> PassageStore:
    """The passages in a file. One that cannot be written, or that a later remem made, is left
    as it is: search then reads the memory files into memory, and `trouble` says why."""
    return FallbackPassages(path)


def in_place_of(store: Store) -> PassageStore | None:
    """Where the words of entries can be put while their own store refuses; None if it does
    not. In memory: what is erased one day must not lie in another file."""
    return MemoryPassages() if isinstance(store, RefusingStore) and store.refuses else None


class FallbackPassages(PassageWriting):
    """Uses the file; when that fails, whether at opening or while a server runs, uses memory
    until `reopen` can open the file again."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.RLock()
        self._closed = False
        self._file: SqlitePassages | None = None
        self._memory: MemoryPassages | None = None
        self._retry_at = 0.0
        try:
            self._file = self._opened()
        except StoreError as error:
            self._use_memory(error)

    @property
    def writable(self) -> bool:
        return self._current().writable

    @property
    def trouble(self) -> str | None:
        return self._current().trouble

    @contextmanager
    def read(self) -> Iterator[PassageReading]:
        with self._current().read() as reading:
            yield reading

    def reopen(self) -> None:
        """Only between two searches: the file then knows other memory files than memory did."""
        with self._lock:
            if self._memory is None or self._closed or monotonic() < self._retry_at:
                return
            try:
                self._file = self._opened()
            except StoreError as error:
                self._use_memory(error)
            else:
                self._memory.close()
                self._memory = None

    def take_notice(self) -> str | None:
        return self._current().take_notice()

    def scrub(self) -> None:
        self._current().scrub()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            for store in (self._file, self._memory):
                if store is not None:
                    store.close()

    def _write(self, operation: Callable[[PassageTransaction], Any]) -> Any:
        return self._current()._write(operation)

    def _current(self) -> SqlitePassages | MemoryPassages:
        with self._lock:
            if self._memory is not None:
                return self._memory
            assert self._file is not None, "there is a file, or memory"
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

    def _opened(self) -> SqlitePassages:
        store = SqlitePassages(self._path)
        if not store.writable:
            reason = store.trouble
            store.close()
            raise StoreReadOnly(str(reason))
        return store

    def _use_memory(self, error: StoreError) -> MemoryPassages:
        self._retry_at = monotonic() + PAUSE
        if self._memory is None:
            self._memory = MemoryPassages(f"{_IN_MEMORY}: {error}")
        return self._memory
