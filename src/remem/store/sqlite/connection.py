"""How is a database file opened? Strictly: every setting is read back before it is believed."""

from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path
from typing import Final

import apsw

from remem.errors import StoreError, StoreReadOnly
from remem.stores.sqlite.errors import translating
from remem.stores.sqlite.schema import version_of

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
