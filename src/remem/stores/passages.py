"""Where the passages of a scope are kept: in their file, or in memory while it cannot be used."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any, Final

from remem.errors import StoreClosed, StoreError, StoreReadOnly
from remem.ports import PassageReading, PassageStore, Store
from remem.stores.memory_passages import MemoryPassages
from remem.stores.refusing import PAUSE, RefusingStore
from remem.stores.sqlite import SqlitePassages
from remem.stores.sqlite.passage_transaction import PassageTransaction
from remem.stores.sqlite.passage_writing import PassageWriting

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
