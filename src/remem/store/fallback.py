"""The store at a path, for as long as a workspace is open.

A database that cannot be opened refuses, with the reason, and is tried again a while later: a
lock may be gone by then, a file repaired. One whose files are removed or replaced while they are
open is opened again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from time import monotonic
from typing import Any, Final, TypeVar

from remem.errors import RememError, StoreClosed, StoreDisplaced, StoreError
from remem.ports import Shortfall, Snapshot, Store, Transaction

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
