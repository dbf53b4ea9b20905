"""The passage store of one scope in one SQLite file.

The passages can be rebuilt from the memory files. So a database that is damaged is moved away, one
that was made by an earlier version of remem is removed, and a new one is created, which the next
refresh fills. The database of a later version is refused and not touched.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from remem.errors import FullTextIndexDamaged, StoreClosed, StoreDamaged, StoreReplaced
from remem.store.sqlite import passage_tables
from remem.store.sqlite.connection import close, open_for_reading, translating_errors
from remem.store.sqlite.database import Database, DatabaseKind
from remem.store.sqlite.passage_tables import PassageSnapshot
from remem.store.sqlite.presence import identity
from remem.store.sqlite.process_lock import ProcessLock
from remem.store.sqlite.vector_bits import SqliteBitCache

if TYPE_CHECKING:
    import apsw

    from remem.ports.passages import PassageReader
    from remem.store.sqlite.passage_transaction import SqlitePassageTransaction

T = TypeVar("T")

_LOCK_PREFIX: Final = "passages-"


def _begin(connection: apsw.Connection) -> SqlitePassageTransaction:
    from remem.store.sqlite.passage_transaction import SqlitePassageTransaction  # only for writing

    return SqlitePassageTransaction(connection)


_PASSAGE_DATABASE: Final = DatabaseKind(
    newest_schema=lambda: passage_tables.SCHEMA,
    migrate=passage_tables.create,
    require_current=passage_tables.require_current,
    begin=_begin,
    lock_prefix=_LOCK_PREFIX,
)


class SqlitePassages:
    """A passage store that opens its file again if it was damaged, moved or removed."""

    def __init__(self, path: Path, *, vfs: str | None = None) -> None:
        self._path = path
        self._vfs = vfs
        self._lock = threading.Lock()
        self._closed = False
        self._rebuild_reason: str | None = None
        self._notice_was_returned = False
        self._file = self._open()

    @property
    def writable(self) -> bool:
        return self._file.writable

    @property
    def problem(self) -> str | None:
        """Why writing fails, or why all files had to be read again."""
        return self._file.problem or self._rebuild_reason

    @contextmanager
    def read(self) -> Iterator[PassageReader]:
        with self._current().reading() as snapshot:
            yield snapshot

    def ensure_open(self) -> None:
        """Open the file again if it was damaged, moved or removed."""
        self._current()

    def reopen(self) -> None:
        """Do nothing, because every use opens the file again if needed."""

    def pop_notice(self) -> str | None:
        """Return why the files had to be read again; None after it was returned once."""
        if self._notice_was_returned:
            self._rebuild_reason = None
        self._notice_was_returned = self._rebuild_reason is not None
        return self._rebuild_reason

    def scrub(self) -> None:
        self.write(lambda tx: tx.optimize_full_text())
        from remem.store.sqlite.erasing import scrub  # rarely needed

        scrub(self._path, _LOCK_PREFIX)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._file.close()

    def write(self, operation: Callable[[SqlitePassageTransaction], T]) -> T:
        try:
            return self._current().write(operation)
        except StoreReplaced:  # the new file is empty, so nothing is written twice
            return self._current().write(operation)

    def _current(self) -> _PassageFile:
        """Return the file that is at the path now; another process may have replaced it."""
        if self._file.serves(self._path):
            return self._file
        with self._lock:
            if self._closed:
                raise StoreClosed(f"{self._path} was closed")
            old = self._file
            if not old.serves(self._path):
                old.close()
                if old.damaged:
                    self._discard(old.damaged, lambda: old.is_at(self._path))
                if self._path.parent.parent.is_dir():
                    self._path.parent.mkdir(mode=0o700, exist_ok=True)
                self._file = self._open()
            return self._file

    def _open(self) -> _PassageFile:
        try:
            return _PassageFile(self._path, self._vfs)
        except StoreDamaged as error:
            keep = not isinstance(error, passage_tables.OutdatedSchema)
            self._discard(error.args[0], lambda: _is_damaged(self._path, self._vfs), keep=keep)
            return _PassageFile(self._path, self._vfs)

    def _discard(self, reason: str, is_still_bad: Callable[[], bool], *, keep: bool = True) -> None:
        """Move the file away, or remove it if not `keep`.

        This is done under the process lock, and only if another process has not done it already.
        """
        lock = ProcessLock(self._path.parent, _LOCK_PREFIX)
        try:
            with lock:
                if is_still_bad():
                    _move_away(self._path) if keep else _remove(self._path)
        finally:
            lock.close()
        self._rebuild_reason = f"the memory files are read again: {reason}"
        self._notice_was_returned = False


class _PassageFile(Database["SqlitePassageTransaction"]):
    """One database file; `damaged` describes the damage once some was found."""

    def __init__(self, path: Path, vfs: str | None) -> None:
        self._bits = SqliteBitCache()
        self.damaged: str | None = None
        super().__init__(path, _PASSAGE_DATABASE, vfs=vfs)
        self._identity = identity(path)

    def serves(self, path: Path) -> bool:
        """Return whether this is the database at the path, and not known to be damaged."""
        return self.damaged is None and not self.displaced and self.is_at(path)

    def is_at(self, path: Path) -> bool:
        """Return whether the path still leads to this file."""
        return identity(path) == self._identity

    @contextmanager
    def reading(self) -> Iterator[PassageReader]:
        with self._recording_damage(), self._borrow_reader() as connection:
            yield PassageSnapshot(connection, self._bits)

    def write(self, operation: Callable[[SqlitePassageTransaction], T]) -> T:
        with self._recording_damage(), self._watching_for_damage():
            return self._require_writer().write(operation)

    @contextmanager
    def _recording_damage(self) -> Iterator[None]:
        try:
            yield
        except (StoreDamaged, FullTextIndexDamaged) as error:
            self.damaged = error.args[0]
            raise


def _is_damaged(path: Path, vfs: str | None) -> bool:
    if not path.exists():
        return False
    try:
        with translating_errors(path):
            connection = open_for_reading(path, vfs, passage_tables.SCHEMA)
            try:
                passage_tables.require_current(connection, path)
            finally:
                close(connection)
    except StoreDamaged:
        return True
    return False


def _move_away(path: Path) -> None:
    """Move a damaged database away for inspection; only the last one is kept.

    Its log is moved first: SQLite would apply a log that is left behind to the next database.
    """
    folder = path.with_name(f"damaged-{path.stem}")
    folder.mkdir(mode=0o700, exist_ok=True)
    for older in folder.iterdir():
        older.unlink()
    for file in _log_first(path):
        file.replace(folder / file.name)


def _remove(path: Path) -> None:
    """Delete an outdated database; a copy would still contain text that is erased later."""
    for file in _log_first(path):
        file.unlink()


def _log_first(path: Path) -> list[Path]:
    """Return the files of a database, the log before the database itself."""
    return sorted(path.parent.glob(f"{path.name}*"), reverse=True)
