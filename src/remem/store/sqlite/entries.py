"""The entry store of one scope in one SQLite file, and copies of it.

A database that other processes may be writing is copied through SQLite, never as a file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeVar

import apsw

from remem.ports import entries as ports
from remem.ports.state import LOSS
from remem.store.sqlite import schema
from remem.store.sqlite.connection import close, open_for_reading, translating_errors
from remem.store.sqlite.database import Database, DatabaseKind
from remem.store.sqlite.process_lock import create_private
from remem.store.sqlite.snapshot import SqliteSnapshot
from remem.store.sqlite.transaction import SqliteTransaction
from remem.store.sqlite.vector_bits import SqliteBitCache

T = TypeVar("T")


def _record_loss(tx: SqliteTransaction, entries: int) -> None:
    tx.put_record(LOSS, "", max(entries, tx.record(LOSS) or 0))


_ENTRY_DATABASE: Final = DatabaseKind(
    newest_schema=lambda: len(schema.MIGRATIONS),
    migrate=schema.migrate,
    require_current=schema.require_current,
    begin=SqliteTransaction,
    record_loss=_record_loss,
)


class SqliteStore(Database[SqliteTransaction]):
    """The entries of one scope."""

    def __init__(self, path: Path, *, vfs: str | None = None) -> None:
        self._bits = SqliteBitCache()
        super().__init__(path, _ENTRY_DATABASE, vfs=vfs)

    @contextmanager
    def read(self) -> Iterator[ports.Snapshot]:
        with self._borrow_reader() as connection:
            yield SqliteSnapshot(connection, self._bits, self._stop_writing)

    def write(self, operation: Callable[[ports.Transaction], T]) -> T:
        with self._watching_for_damage():
            return self._require_writer().write(operation)

    @property
    def generation(self) -> int:
        return 0

    def scrub(self) -> None:
        """Remove all bytes of deleted rows from the database file and its log."""
        if self._refusal is not None:
            raise self._refusal
        from remem.store.sqlite.erasing import scrub  # rarely needed

        scrub(self._path)


def copy_database(source: Path, target: Path) -> None:
    """Copy the state of a database at one moment to a new file, which has no log."""
    create_private(target)
    old = open_for_reading(source)
    try:
        with translating_errors(target):
            new = apsw.Connection(str(target))
            try:
                with new.backup("main", old, "main") as backup:
                    backup.step()
                list(new.execute("PRAGMA journal_mode=delete"))
            finally:
                close(new)
    finally:
        close(old)


@contextmanager
def temporary_copy(path: Path) -> Iterator[SqliteStore]:
    """Yield a store on a private, temporary copy of the database, to try changes on."""
    from tempfile import TemporaryDirectory  # only dry runs need it

    with TemporaryDirectory(prefix="remem-trial-") as folder:
        copy = Path(folder) / path.name
        copy_database(path, copy)
        store = SqliteStore(copy)
        try:
            yield store
        finally:
            store.close()
