"""Open and close database files, and translate SQLite's errors into remem's.

Every setting is read back after it has been set.
"""

from __future__ import annotations

import errno
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import apsw

from remem.errors import (
    DiskFull,
    FullTextIndexDamaged,
    RememError,
    StoreBusy,
    StoreClosed,
    StoreDamaged,
    StoreError,
    StoreReadOnly,
)
from remem.store.sqlite.schema import version_of

_DISK_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_WITHDRAWN_VERSION: Final = (3, 52, 0)
_FIRST_SAFE_VERSION: Final = (3, 51, 3)
_BUSY_MILLISECONDS: Final = 10_000
_SHORT_BUSY_MILLISECONDS: Final = 200
_WRITER_PRAGMAS: Final[dict[str, str | int]] = {
    "journal_mode": "wal",
    "synchronous": 2,  # FULL: a commit that has returned survives a power cut
    "cache_size": -16_000,
    "wal_autocheckpoint": 4_000,  # pages; a page is often rewritten soon
    "journal_size_limit": 64 << 20,  # shrink the log after a large transaction
}
_READER_PRAGMAS: Final[dict[str, str | int]] = {
    "synchronous": 2,
    "query_only": 1,
    "cache_size": -32_000,
}
_FORBIDDEN_ACTIONS: Final = frozenset({apsw.SQLITE_ATTACH, apsw.SQLITE_DETACH})


def translate_error(error: apsw.Error, path: Path, system_error: int = 0) -> RememError:
    """Return the remem error for an SQLite error.

    SQLite reports an exhausted quota as an I/O error, so the `system_error` number decides.
    """
    match error:
        case apsw.FullError() | apsw.IOError() if _is_full(error, system_error):
            return DiskFull(
                f"the disk is full: nothing was written to {path}",
                hint="free some space and try again; what was stored before is safe",
            )
        case apsw.ReadOnlyError() | apsw.PermissionsError() | apsw.AuthError():
            return StoreReadOnly(
                f"{path} cannot be written: {error}",
                hint="check the permissions of the .remem folder; reading still works",
            )
        case apsw.CorruptError() if _is_in_full_text(error):
            return FullTextIndexDamaged(
                f"the full text in {path} is damaged: {error}",
                hint="no entry is lost; run `remem rebuild`",
            )
        case apsw.CorruptError() | apsw.NotADBError():
            return StoreDamaged(
                f"{path} is damaged: {error}",
                hint="run `remem doctor --repair`; it restores what it can and keeps the file",
            )
        case apsw.CantOpenError():
            return StoreReadOnly(
                f"{path} cannot be opened: {error}",
                hint="check that the folder exists and that you may write to it",
            )
        case apsw.BusyError() | apsw.LockedError():
            return StoreBusy(
                f"{path} is busy: {error}",
                hint="another program is using the database; close it or try again",
            )
        case apsw.ConnectionClosedError():
            return StoreClosed(f"{path} was closed")
        case _:
            return StoreError(
                f"the database {path} failed: {type(error).__name__}: {error}",
                hint="nothing was acknowledged; check the disk, then try again",
            )


def _is_full(error: apsw.Error, system_error: int) -> bool:
    return isinstance(error, apsw.FullError) or system_error in _DISK_FULL


def _is_in_full_text(error: apsw.Error) -> bool:
    return getattr(error, "extendedresult", 0) == apsw.SQLITE_CORRUPT_VTAB


@contextmanager
def translating_errors(path: Path) -> Iterator[None]:
    """Raise errors of SQLite as errors of remem."""
    try:
        yield
    except apsw.Error as error:
        raise translate_error(error, path) from error
    except UnicodeDecodeError as error:
        raise invalid_text_error(error, path) from error


def invalid_text_error(error: UnicodeDecodeError, path: Path) -> StoreDamaged:
    """Return the error for stored text that is no longer UTF-8."""
    return StoreDamaged(
        f"{path} is damaged: a text in it is not UTF-8 at byte {error.start}",
        hint="run `remem doctor --repair`; it restores what it can and keeps the file",
    )


_transactions = threading.local()


def require_safe_sqlite(version: str | None = None) -> None:
    """Refuse the SQLite releases whose write-ahead log can corrupt a shared file."""
    text = version or apsw.sqlite_lib_version()
    number = tuple(int(part) for part in text.split("."))
    if number < _FIRST_SAFE_VERSION or number == _WITHDRAWN_VERSION:
        raise StoreError(
            f"SQLite {text} can corrupt a database that several processes write to",
            hint="install apsw from its own wheel (it brings SQLite 3.51.3 or later)",
        )


def open_for_writing(
    path: Path, vfs: str | None = None, newest: int | None = None
) -> apsw.Connection:
    """Return a connection for reading and writing.

    A schema above `newest` is refused; without it, any schema that is newer than that of entries.
    """
    require_safe_sqlite()
    with translating_errors(path):
        connection = _connect(path, apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE, vfs)
        try:
            _require_known_schema(connection, path, newest)
            for pragma, value in _WRITER_PRAGMAS.items():
                _set_pragma(connection, pragma, value, path)
        except BaseException:
            close(connection)
            raise
        return connection


def open_for_reading(
    path: Path, vfs: str | None = None, newest: int | None = None
) -> apsw.Connection:
    """Return a read-only connection; `newest` as in `open_for_writing`.

    This also works in a folder in which SQLite cannot create its lock files.
    """
    require_safe_sqlite()
    with translating_errors(path):
        connection = _connect(path, apsw.SQLITE_OPEN_READWRITE, vfs)
        try:
            if not _readable(connection):
                close(connection)
                connection = _connect_without_locks(path)
            _require_known_schema(connection, path, newest)
            for pragma, value in _READER_PRAGMAS.items():
                _set_pragma(connection, pragma, value, path)
        except BaseException:
            close(connection)
            raise
        return connection


def close(connection: apsw.Connection) -> None:
    """Close a connection and ignore errors.

    Closing only cleans up the write-ahead log. If that fails, the log still contains everything
    that was acknowledged, and it is read the next time the database is opened.
    """
    with suppress(apsw.Error):
        connection.close(force=True)


def abandon(connection: apsw.Connection) -> None:
    """Close a connection to a file that is no longer at its path.

    The last connection to close normally removes the log *at the path*, which may belong to
    another database by now.
    """
    with suppress(apsw.Error):
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    close(connection)


def checkpoint(connection: apsw.Connection) -> bool:
    """Copy the write-ahead log into the database; return whether all of it was copied.

    A reader that still uses an older state of the database can prevent that.

    After a full copy, a small commit makes SQLite start the log again. Otherwise the old log would
    be read once more after a kill; if a part of it was damaged by then, the parts before it would
    hide newer pages of the database.
    """
    frames, copied = connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
    if 0 < frames == copied:
        connection.execute("INSERT OR REPLACE INTO meta VALUES ('checkpoint', '1')")
    return frames == copied


def set_busy_timeout(connection: apsw.Connection, *, short: bool) -> None:
    """Set how long a write waits for other programs.

    remem's own processes wait for `ProcessLock` instead.
    """
    connection.set_busy_timeout(_SHORT_BUSY_MILLISECONDS if short else _BUSY_MILLISECONDS)


def forbid(connection: apsw.Connection) -> None:
    """Make a connection refuse statements that attach other databases or change settings."""

    def authorize(
        action: int, _name: str | None, value: str | None, _database: str | None, _by: str | None
    ) -> int:
        changes_setting = action == apsw.SQLITE_PRAGMA and value is not None
        denied = action in _FORBIDDEN_ACTIONS or changes_setting
        return apsw.SQLITE_DENY if denied else apsw.SQLITE_OK

    connection.authorizer = authorize


def inside_transaction() -> bool:
    """Return whether this thread is in a transaction, during which nothing slow may run."""
    return bool(getattr(_transactions, "depth", 0))


class TransactionMarker:
    """Marks the current thread as being in a transaction."""

    def __enter__(self) -> None:
        _transactions.depth = getattr(_transactions, "depth", 0) + 1

    def __exit__(self, *_: object) -> None:
        _transactions.depth -= 1


def _connect(path: Path, flags: int, vfs: str | None) -> apsw.Connection:
    connection = apsw.Connection(str(path), flags=flags, vfs=vfs)
    connection.set_busy_timeout(_BUSY_MILLISECONDS)
    # Stable query plans: otherwise SQLite may plan again for other bound values.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    return connection


def _require_known_schema(connection: apsw.Connection, path: Path, newest: int | None) -> None:
    """Check the schema version, and only then allow a checkpoint when the connection is closed.

    A file that was written by a later version of remem must not be changed.
    """
    version_of(connection, path, newest)
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)


def _readable(connection: apsw.Connection) -> bool:
    try:
        _pragma(connection, "schema_version")
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        return False
    return True


def _connect_without_locks(path: Path) -> apsw.Connection:
    """Open a database in a folder where no file can be created.

    Only the file itself is read, which is complete only if there is no write-ahead log.
    """
    address = f"{path.absolute().as_uri()}?mode=ro"
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    connection = apsw.Connection(address, flags=flags)
    if _readable(connection):
        return connection
    close(connection)
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and log.stat().st_size:
        raise StoreReadOnly(
            f"{path} cannot be read here: its latest changes are still in {log.name}",
            hint="open the workspace once with write access",
        )
    return apsw.Connection(f"{address}&immutable=1", flags=flags)


def _pragma(connection: apsw.Connection, pragma: str) -> object:
    rows = list(connection.execute(f"PRAGMA {pragma}"))
    return rows[0][0] if rows else None


def _set_pragma(connection: apsw.Connection, pragma: str, value: str | int, path: Path) -> None:
    """Set one pragma and read it back."""
    if _pragma(connection, pragma) == value:
        return
    list(connection.execute(f"PRAGMA {pragma}={value}"))
    actual = _pragma(connection, pragma)
    if actual != value:
        raise StoreError(
            f"cannot set {pragma}={value} on {path}: it is {actual!r}",
            hint="is the workspace on a network drive or another special file system?",
        )
