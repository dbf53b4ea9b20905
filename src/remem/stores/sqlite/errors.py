"""What does SQLite's error mean for a user? Every apsw error becomes one of ours."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
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
