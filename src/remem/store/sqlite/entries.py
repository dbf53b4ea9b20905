"""The record of one scope in one SQLite file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, Final, TypeVar

import apsw

from remem import ports
from remem.stores.sqlite import schema
from remem.stores.sqlite.bits import BitCache
from remem.stores.sqlite.database import Database, Design
from remem.stores.sqlite.erasing import scrub
from remem.stores.sqlite.snapshot import Snapshot
from remem.stores.sqlite.transaction import Transaction

T = TypeVar("T")


@contextmanager
def _begin(
    connection: apsw.Connection, operations: Sequence[Callable[..., Any]]
) -> Iterator[Transaction]:
    transaction = Transaction(connection)
    transaction.foresee([each for one in operations for each in getattr(one, "coming", ())])
    yield transaction
    transaction.settle()


_ENTRIES: Final = Design(
    newest=lambda: len(schema.MIGRATIONS),
    migrate=schema.migrate,
    require_current=schema.require_current,
    begin=_begin,
    record=True,
)


class SqliteStore(Database[Transaction]):
    """The entries of one scope."""

    def __init__(self, path: Path, *, vfs: str | None = None) -> None:
        self._bits = BitCache()
        super().__init__(path, _ENTRIES, vfs=vfs)

    @contextmanager
    def read(self) -> Iterator[ports.Snapshot]:
        with self._lent() as connection:
            yield Snapshot(connection, self._bits, self._stop_writing)

    def write(self, operation: Callable[[ports.Transaction], T]) -> T:
        with self._noticing_damage():
            return self._pen().write(operation)

    @property
    def generation(self) -> int:
        return 0

    def hurried(self) -> AbstractContextManager[Sequence[str]]:
        return self._pen().hurried() if self.writable else nullcontext(())

    def scrub(self) -> None:
        """Leave no byte of what was deleted in the file or its log."""
        if self._refusal is not None:
            raise self._refusal
        scrub(self._path)

    def write_later(self, operation: Callable[[ports.Transaction], Any]) -> None:
        if self.writable:
            self._pen().write_later(operation)
