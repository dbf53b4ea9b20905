"""A store that is opened again when its database could not be opened, or was removed or replaced.

While the database cannot be opened, using the store raises the reason. After a few seconds the next
use tries again: by then a lock may have been released or a file repaired.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from remem.errors import RememError, StoreClosed, StoreError, StoreReplaced
from remem.ports.entries import Store

if TYPE_CHECKING:
    from remem.ports.entries import Snapshot, Transaction

T = TypeVar("T")
RETRY_SECONDS: Final = 5.0
"""Time between attempts to open the database; each attempt may have to wait for a lock."""


class ReplaceableStore(Store, Protocol):
    """A store whose files can be removed or replaced while it is open."""

    @property
    def displaced(self) -> bool:
        """Whether its files were removed or replaced since it was opened."""


class ReopeningStore:
    """A store that is opened again when its files were replaced or could not be opened."""

    def __init__(
        self,
        reason: StoreError | None,
        connect: Callable[[], ReplaceableStore],
        prepare: Callable[[], None] = lambda: None,
    ) -> None:
        """If `connect` has just failed, `reason` is its error; otherwise it is called now.

        `prepare` is called before the store is opened again, to recreate a folder that was removed.
        """
        self._reason = reason
        self._connect = connect
        self._prepare = prepare
        self._store: ReplaceableStore | None = None if reason else connect()
        self._retry_at = monotonic() + RETRY_SECONDS
        self._closed = False
        self._lock = threading.Lock()
        self._generation = 0

    @property
    def writable(self) -> bool:
        store = self._current()
        return store is not None and store.writable

    @property
    def problem(self) -> str | None:
        store = self._current()
        return str(self._reason) if store is None else store.problem

    @property
    def unavailable(self) -> bool:
        """Whether no store is open now; unlike other members, this does not try to open it."""
        return self._store is None

    @property
    def generation(self) -> int:
        return self._generation

    @contextmanager
    def read(self) -> Iterator[Snapshot]:
        with self._required().read() as snapshot:
            yield snapshot

    def write(self, operation: Callable[[Transaction], T]) -> T:
        try:
            # An open store notices itself, before each commit, that its file was replaced.
            return (self._store or self._required()).write(operation)
        except StoreReplaced as error:
            store = self._required()
            if error.committed:
                raise  # reopening may have rescued the commit, so it must not be repeated
            return store.write(operation)

    def scrub(self) -> str | None:
        return self._required().scrub()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._store is not None:
                self._store.close()

    def _required(self) -> ReplaceableStore:
        store = self._current()
        if store is not None:
            return store
        if self._closed or self._reason is None:
            raise StoreClosed("the store was closed")
        raise self._reason

    def _current(self) -> ReplaceableStore | None:
        with self._lock:
            if self._closed:
                return self._store
            if self._store is not None and self._store.displaced:
                self._prepare_reopening(self._store)
            if self._store is None and monotonic() >= self._retry_at:
                try:
                    self._store = self._connect()
                    self._generation += 1
                except StoreError as error:
                    self._reason = error
                    self._retry_at = monotonic() + RETRY_SECONDS
            return self._store

    def _prepare_reopening(self, old: ReplaceableStore) -> None:
        self._store = None
        self._retry_at = monotonic()
        try:
            self._prepare()
        except RememError as error:
            self._reason = StoreError(str(error))
        old.close()  # rescues what only the open files still have
