"""The passages of one scope in one SQLite file, which is made anew where it is not sound.

It is a projection: what is damaged, or was made by an earlier remem, is set aside and begun
again; the next refresh fills it. A file of a later remem is refused and left as it is.

How is a store of passages written? Every change is one operation, wherever the store lies.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, Final, TypeVar

from remem.errors import StoreClosed, StoreDamaged, StoreDisplaced, WordsDamaged
from remem.model.passage import FileMark, Passage
from remem.ports.models import Embedding, ModelIdentity
from remem.ports.passages import PassageReading
from remem.store.sqlite import passage_tables
from remem.store.sqlite.connection import close, open_for_reading, translating
from remem.store.sqlite.database import Database, Design
from remem.store.sqlite.erasing import scrub
from remem.store.sqlite.passage_snapshot import PassageSnapshot
from remem.store.sqlite.passage_transaction import PassageTransaction
from remem.store.sqlite.process_lock import Turns
from remem.store.sqlite.vector_bits import BitCache


class PassageWriting(ABC):
    """What can be changed; who inherits it says how an operation is carried out."""

    def replace(self, changed: Sequence[tuple[FileMark, Sequence[Passage]]]) -> None:
        self._write(lambda tx: tx.replace(changed))

    def remark(self, marks: Sequence[FileMark]) -> None:
        self._write(lambda tx: tx.remark(marks))

    def forget(self, paths: Sequence[str]) -> None:
        self._write(lambda tx: tx.forget(paths))

    def want_vectors(self, *models: ModelIdentity) -> None:
        self._write(lambda tx: tx.want_vectors(*models))

    def save_vectors(
        self,
        identity: ModelIdentity,
        embedded: Sequence[tuple[int, int, Embedding]],
        *,
        more: bool = False,
    ) -> None:
        self._write(lambda tx: tx.save_vectors(identity, embedded, more=more))

    def save_quick_vectors(
        self, identity: ModelIdentity, embedded: Sequence[tuple[int, int, Embedding]]
    ) -> None:
        self._write(lambda tx: tx.save_quick_vectors(identity, embedded))

    def drop_vectors(self, identity: ModelIdentity, rows: Sequence[int]) -> None:
        self._write(lambda tx: tx.drop_vectors(identity, rows))

    def served(self, rows: Sequence[tuple[int, int]]) -> None:
        self._write(lambda tx: tx.served(rows))

    def keep_note(self, key: str, value: str) -> None:
        self._write(lambda tx: tx.keep_note(key, value))

    @abstractmethod
    def _write(self, operation: Callable[[PassageTransaction], Any]) -> Any: ...


T = TypeVar("T")

_LOCKS: Final = "passages-"
_DESIGN: Final = Design(
    newest=passage_tables.newest,
    migrate=passage_tables.create,
    require_current=passage_tables.require_current,
    begin=lambda connection, _operations: nullcontext(PassageTransaction(connection)),
    locks=_LOCKS,
)


class SqlitePassages(PassageWriting):
    """Opens the file, and opens it again after it was damaged, moved or removed."""

    def __init__(self, path: Path, *, vfs: str | None = None) -> None:
        self._path = path
        self._vfs = vfs
        self._lock = threading.Lock()
        self._closed = False
        self._renewed: str | None = None
        self._noticed = False
        self._file = self._opened()

    @property
    def writable(self) -> bool:
        return self._file.writable

    @property
    def trouble(self) -> str | None:
        """Why writing fails, or why everything had to be read again."""
        return self._file.trouble or self._renewed

    @contextmanager
    def read(self) -> Iterator[PassageReading]:
        with self._present().reading() as snapshot:
            yield snapshot

    def ensure_open(self) -> None:
        """Open the file again where it was damaged, moved or removed; StoreError if it cannot be
        opened."""
        self._present()

    def reopen(self) -> None:
        """Nothing to do: every use makes sure that the file is open."""

    def take_notice(self) -> str | None:
        if self._noticed:
            self._renewed = None
        self._noticed = self._renewed is not None
        return self._renewed

    def scrub(self) -> None:
        self._write(PassageTransaction.tidy_words)
        scrub(self._path, _LOCKS)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._file.close()

    def _write(self, operation: Callable[[PassageTransaction], T]) -> T:
        try:
            return self._present().write(operation)
        except StoreDisplaced:  # the next file begins empty: to write again doubles nothing
            return self._present().write(operation)

    def _present(self) -> _PassageFile:
        """The file as it now lies at the path: another process may have begun it anew."""
        if self._file.serves(self._path):
            return self._file
        with self._lock:
            if self._closed:
                raise StoreClosed(f"{self._path} was closed")
            old = self._file
            if not old.serves(self._path):
                old.close()
                if old.damaged:
                    self._set_aside(old.damaged, lambda: old.lies_at(self._path))
                if self._path.parent.parent.is_dir():
                    self._path.parent.mkdir(mode=0o700, exist_ok=True)
                self._file = self._opened()
            return self._file

    def _opened(self) -> _PassageFile:
        try:
            return _PassageFile(self._path, self._vfs)
        except StoreDamaged as error:
            keep = not isinstance(error, passage_tables.Outdated)
            self._set_aside(error.args[0], lambda: _is_unsound(self._path, self._vfs), keep=keep)
            return _PassageFile(self._path, self._vfs)

    def _set_aside(
        self, reason: str, still_there: Callable[[], bool], *, keep: bool = True
    ) -> None:
        """Under the writers' lock: of several processes that find the damage, one moves the
        file, and the others find a new one."""
        turns = Turns(self._path.parent, _LOCKS)
        try:
            with turns:
                if still_there():
                    _move(self._path) if keep else _remove(self._path)
        finally:
            turns.close()
        self._renewed, self._noticed = f"the memory files are read anew: {reason}", False


class _PassageFile(Database[PassageTransaction]):
    """One file, until it is found damaged; then `damaged` says how."""

    def __init__(self, path: Path, vfs: str | None) -> None:
        self._bits = BitCache()
        self.damaged: str | None = None
        super().__init__(path, _DESIGN, vfs=vfs)
        status = path.stat()
        self._identity = status.st_dev, status.st_ino

    def serves(self, path: Path) -> bool:
        return self.damaged is None and not self.displaced and self.lies_at(path)

    def lies_at(self, path: Path) -> bool:
        try:
            status = path.stat()
        except OSError:
            return False
        return (status.st_dev, status.st_ino) == self._identity

    @contextmanager
    def reading(self) -> Iterator[PassageReading]:
        with self._judging(), self._lent() as connection:
            yield PassageSnapshot(connection, self._bits)

    def write(self, operation: Callable[[PassageTransaction], T]) -> T:
        with self._judging(), self._noticing_damage():
            return self._pen().write(operation)

    @contextmanager
    def _judging(self) -> Iterator[None]:
        try:
            yield
        except (StoreDamaged, WordsDamaged) as error:
            self.damaged = error.args[0]
            raise


def _is_unsound(path: Path, vfs: str | None) -> bool:
    if not path.exists():
        return False
    try:
        with translating(path):
            connection = open_for_reading(path, vfs, passage_tables.newest())
            try:
                passage_tables.require_current(connection, path)
            finally:
                close(connection)
    except StoreDamaged:
        return True
    return False


def _move(path: Path) -> None:
    """Keep the last file that was not sound, for whoever wants to know why. Its log goes
    first: left behind by a kill, it would be taken for that of the next file."""
    folder = path.with_name(f"damaged-{path.stem}")
    folder.mkdir(mode=0o700, exist_ok=True)
    for older in folder.iterdir():
        older.unlink()
    for each in _log_first(path):
        each.replace(folder / each.name)


def _remove(path: Path) -> None:
    """A copy that nobody needs would keep what is erased later."""
    for each in _log_first(path):
        each.unlink()


def _log_first(path: Path) -> list[Path]:
    return sorted(path.parent.glob(f"{path.name}*"), reverse=True)
