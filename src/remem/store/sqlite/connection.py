"""How is a database file opened? Strictly: every setting is read back before it is believed.

What does SQLite's error mean for a user? Every apsw error becomes one of ours.
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
    RememError,
    StoreBusy,
    StoreClosed,
    StoreDamaged,
    StoreError,
    StoreReadOnly,
    WordsDamaged,
)
from remem.store.sqlite.schema import version_of

_NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def translated(error: apsw.Error, path: Path, system_error: int = 0) -> RememError:
    """The error in our words; SQLite calls a quota that is used up a failure of the disk, so
    the number that the system gave decides."""
    match error:
        case apsw.FullError() | apsw.IOError() if _no_room(error, system_error):
            return DiskFull(
                f"the disk is full: nothing was written to {path}",
                hint="free some space and try again; what was stored before is safe",
            )
        case apsw.ReadOnlyError() | apsw.PermissionsError() | apsw.AuthError():
            return StoreReadOnly(
                f"{path} cannot be written: {error}",
                hint="check the permissions of the .remem folder; reading still works",
            )
        case apsw.CorruptError() if _in_full_text(error):
            return WordsDamaged(
                f"the full text in {path} is damaged: {error}",
                hint="no entry is lost; run `remem rebuild`",
            )
        case apsw.CorruptError() | apsw.NotADBError():
            return StoreDamaged(
                f"{path} is not a sound database: {error}",
                hint="`remem doctor --repair` brings back what can be had, and keeps the file",
            )
        case apsw.CantOpenError():
            return StoreReadOnly(
                f"{path} cannot be opened: {error}",
                hint="check that the folder exists and that you may write to it",
            )
        case apsw.BusyError() | apsw.LockedError():
            return StoreBusy(
                f"{path} is busy: {error}",
                hint="another program holds the database; close it, or try again",
            )
        case apsw.ConnectionClosedError():
            return StoreClosed(f"{path} was closed")
        case _:
            return StoreError(
                f"the database {path} failed: {type(error).__name__}: {error}",
                hint="nothing was acknowledged; check the disk, then try again",
            )


def _no_room(error: apsw.Error, system_error: int) -> bool:
    return isinstance(error, apsw.FullError) or system_error in _NO_ROOM


def _in_full_text(error: apsw.Error) -> bool:
    return getattr(error, "extendedresult", 0) == apsw.SQLITE_CORRUPT_VTAB


@contextmanager
def translating(path: Path) -> Iterator[None]:
    try:
        yield
    except apsw.Error as error:
        raise translated(error, path) from error
    except UnicodeDecodeError as error:
        raise not_text(error, path) from error


def not_text(error: UnicodeDecodeError, path: Path) -> StoreDamaged:
    """What was written as text is none any more."""
    return StoreDamaged(
        f"{path} is not a sound database: a text in it is not UTF-8 at byte {error.start}",
        hint="`remem doctor --repair` brings back what can be had, and keeps the file",
    )


_WITHDRAWN: Final = (3, 52, 0)
_WAL_SAFE: Final = (3, 51, 3)
_BUSY_MILLISECONDS: Final = 10_000
_HURRIED_MILLISECONDS: Final = 200
_WRITING: Final[dict[str, str | int]] = {
    "journal_mode": "wal",
    "synchronous": 2,  # FULL: a commit that has returned survives a power cut
    "cache_size": -16_000,
    "wal_autocheckpoint": 4_000,  # pages; the same page is often written again soon
    "journal_size_limit": 64 << 20,  # what one great transaction made of the log is given back
}
_READING: Final[dict[str, str | int]] = {
    "synchronous": 2,
    "query_only": 1,
    "cache_size": -32_000,
}
_DENIED: Final = frozenset({apsw.SQLITE_ATTACH, apsw.SQLITE_DETACH})

_held = threading.local()


def require_sound_sqlite(version: str | None = None) -> None:
    """Refuse the SQLite releases whose write-ahead log can corrupt a shared file."""
    text = version or apsw.sqlite_lib_version()
    number = tuple(int(part) for part in text.split("."))
    if number < _WAL_SAFE or number == _WITHDRAWN:
        raise StoreError(
            f"SQLite {text} can corrupt a database that several processes write",
            hint="install apsw from its own wheel (it brings SQLite 3.51.3 or later)",
        )


def open_for_writing(
    path: Path, vfs: str | None = None, newest: int | None = None
) -> apsw.Connection:
    require_sound_sqlite()
    with translating(path):
        connection = _connect(path, apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE, vfs)
        try:
            _adopt(connection, path, newest)
            for pragma, value in _WRITING.items():
                _settle(connection, pragma, value, path)
        except BaseException:
            close(connection)
            raise
        return connection


def open_for_reading(
    path: Path, vfs: str | None = None, newest: int | None = None
) -> apsw.Connection:
    """A connection that cannot write; on a read-only file system it needs no lock files."""
    require_sound_sqlite()
    with translating(path):
        connection = _connect(path, apsw.SQLITE_OPEN_READWRITE, vfs)
        try:
            if not _readable(connection):
                close(connection)
                connection = _connect_without_locks(path)
            _adopt(connection, path, newest)
            for pragma, value in _READING.items():
                _settle(connection, pragma, value, path)
        except BaseException:
            close(connection)
            raise
        return connection


def close(connection: apsw.Connection) -> None:
    """Let go of a file. A disk that fails now takes nothing away: closing only tidies up the
    write-ahead log, which holds all that was acknowledged and is read on the next opening."""
    with suppress(apsw.Error):
        connection.close(force=True)


def abandon(connection: apsw.Connection) -> None:
    """Let go of a file that is no longer at its path. The last connection to close removes the
    log *at the path*, which may belong to another database by now: this one leaves it alone."""
    with suppress(apsw.Error):
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    close(connection)


def checkpoint(connection: apsw.Connection) -> None:
    """Bring the log into the database, so that little is lost with a log that is damaged.

    A log whose frames are all in the database is still read after a kill. If one of them is
    damaged, SQLite reads the frames before it, and those hide newer pages of the database. So a
    small commit follows, with which SQLite begins the log again: older frames no longer count.
    """
    frames, done = connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
    if 0 < frames == done:
        connection.execute("INSERT OR REPLACE INTO meta VALUES ('checkpoint', '1')")


def wait_for_others(connection: apsw.Connection, *, patiently: bool) -> None:
    """How long a write waits for another program: remem's own take turns, and never meet here."""
    connection.set_busy_timeout(_BUSY_MILLISECONDS if patiently else _HURRIED_MILLISECONDS)


def forbid(connection: apsw.Connection) -> None:
    """After opening, nothing may reach another file or change a setting."""

    def judge(
        action: int, _name: str | None, value: str | None, _database: str | None, _by: str | None
    ) -> int:
        changes_setting = action == apsw.SQLITE_PRAGMA and value is not None
        denied = action in _DENIED or changes_setting
        return apsw.SQLITE_DENY if denied else apsw.SQLITE_OK

    connection.authorizer = judge


def holding() -> bool:
    """Whether this thread is inside a transaction, where nothing slow may happen."""
    return bool(getattr(_held, "depth", 0))


class Holding:
    """Marks the present thread as being inside a transaction."""

    def __enter__(self) -> None:
        _held.depth = getattr(_held, "depth", 0) + 1

    def __exit__(self, *_: object) -> None:
        _held.depth -= 1


def _connect(path: Path, flags: int, vfs: str | None) -> apsw.Connection:
    connection = apsw.Connection(str(path), flags=flags, vfs=vfs)
    connection.set_busy_timeout(_BUSY_MILLISECONDS)
    # A plan that depends on the values bound to it is made anew at every call.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    return connection


def _adopt(connection: apsw.Connection, path: Path, newest: int | None) -> None:
    """From here on closing may tidy up; the file of a later remem is refused before that."""
    version_of(connection, path, newest)
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)


def _readable(connection: apsw.Connection) -> bool:
    try:
        _ask(connection, "schema_version")
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        return False
    return True


def _connect_without_locks(path: Path) -> apsw.Connection:
    """For a folder in which nothing can be created. The whole file is read as it stands; that
    is all there is only if no write-ahead log lies beside it."""
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
            hint="open the workspace once where it can be written",
        )
    return apsw.Connection(f"{address}&immutable=1", flags=flags)


def _ask(connection: apsw.Connection, pragma: str) -> object:
    rows = list(connection.execute(f"PRAGMA {pragma}"))
    return rows[0][0] if rows else None


def _settle(connection: apsw.Connection, pragma: str, value: str | int, path: Path) -> None:
    """Set one pragma, read its answer to the end, and read the setting back."""
    if _ask(connection, pragma) == value:
        return
    list(connection.execute(f"PRAGMA {pragma}={value}"))
    actual = _ask(connection, pragma)
    if actual != value:
        raise StoreError(
            f"{path} does not take {pragma}={value}: it is {actual!r}",
            hint="is the workspace on a network drive or another special file system?",
        )
