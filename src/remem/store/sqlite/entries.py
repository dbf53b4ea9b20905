"""How is something tried out on a record that must not change? On a copy, which then is gone.

The record of one scope in one SQLite file.

How is a database copied while others write it? Through SQLite, never through the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeVar

import apsw

from remem import ports
from remem.store.sqlite import schema
from remem.store.sqlite.connection import close, open_for_reading, translating
from remem.store.sqlite.database import Database, Design
from remem.store.sqlite.erasing import scrub
from remem.store.sqlite.process_lock import create_private
from remem.store.sqlite.snapshot import Snapshot
from remem.store.sqlite.transaction import Transaction
from remem.store.sqlite.vector_bits import BitCache

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


def copy_database(source: Path, target: Path) -> None:
    """The database as it is at one moment, in one new file without a log, safe on the disk."""
    create_private(target)
    old = open_for_reading(source)
    try:
        with translating(target):
            new = apsw.Connection(str(target))
            try:
                with new.backup("main", old, "main") as copying:
                    copying.step()
                list(new.execute("PRAGMA journal_mode=delete"))
            finally:
                close(new)
    finally:
        close(old)


@contextmanager
def copied(path: Path) -> Iterator[SqliteStore]:
    """A store with all that the database holds now, in a folder that only its owner may enter."""
    with TemporaryDirectory(prefix="remem-trial-") as folder:
        copy = Path(folder) / path.name
        copy_database(path, copy)
        store = SqliteStore(copy)
        try:
            yield store
        finally:
            store.close()
