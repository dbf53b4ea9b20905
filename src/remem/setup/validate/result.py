"""How is a store asked without leaving a trace? Through this: what would be noted is not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar

from remem.errors import StoreReadOnly
from remem.ports import Shortfall, Snapshot, Store, Transaction

T = TypeVar("T")


class Unseen:
    """A store that is only read. That somebody asked is not kept; a real write is an error."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @property
    def writable(self) -> bool:
        return self._store.writable

    @property
    def trouble(self) -> str | None:
        return self._store.trouble

    def read(self) -> AbstractContextManager[Snapshot]:
        return self._store.read()

    def write(self, operation: Callable[[Transaction], T]) -> T:
        raise StoreReadOnly(f"{operation} would write, and this is only to be read")

    def write_later(self, operation: Callable[[Transaction], Any]) -> None:
        """Nothing that nobody waits for is worth a trace."""

    def hurried(self) -> AbstractContextManager[Sequence[str]]:
        return nullcontext(())

    def scrub(self) -> None:
        raise StoreReadOnly("this is only to be read")

    def shortfall(self) -> Shortfall | None:
        return self._store.shortfall()

    def settle(self) -> None:
        raise StoreReadOnly("this is only to be read")

    @property
    def displaced(self) -> bool:
        return self._store.displaced

    @property
    def generation(self) -> int:
        return self._store.generation

    def close(self) -> None:
        """The store belongs to somebody else."""
