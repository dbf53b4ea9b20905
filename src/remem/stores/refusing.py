"""What does a store do whose database cannot be opened? It refuses, with the reason, and a
while later it tries again: a lock may be gone by then, a file mended."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from time import monotonic
from typing import Any, Final, TypeVar

from remem.errors import StoreClosed, StoreError
from remem.ports import Snapshot, Store, Transaction

T = TypeVar("T")
PAUSE: Final = 5.0
"""So many seconds lie between two attempts, or every question would wait for a lock."""


class RefusingStore:
    """Stands in for a store that could not be opened, and becomes it when that works."""

    def __init__(self, reason: StoreError, connect: Callable[[], Store]) -> None:
        self._reason = reason
        self._connect = connect
        self._store: Store | None = None
        self._next = monotonic() + PAUSE
        self._closed = False
        self._lock = threading.Lock()

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
        """Whether it still stands in; asked by those who must not wait for another attempt."""
        return self._store is None

    def read(self) -> AbstractContextManager[Snapshot]:
        return self._required().read()

    def write(self, operation: Callable[[Transaction], T]) -> T:
        return self._required().write(operation)

    def write_later(self, operation: Callable[[Transaction], Any]) -> None:
        store = self._opened()
        if store is not None:
            store.write_later(operation)

    def hurried(self) -> AbstractContextManager[Sequence[str]]:
        store = self._opened()
        return nullcontext(()) if store is None else store.hurried()

    def scrub(self) -> None:
        self._required().scrub()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._store is not None:
                self._store.close()

    def _required(self) -> Store:
        store = self._opened()
        if store is None:
            raise StoreClosed("the store was closed") if self._closed else self._reason
        return store

    def _opened(self) -> Store | None:
        with self._lock:
            if self._store is None and not self._closed and monotonic() >= self._next:
                try:
                    self._store = self._connect()
                except StoreError as error:
                    self._reason = error
                    self._next = monotonic() + PAUSE
            return self._store
