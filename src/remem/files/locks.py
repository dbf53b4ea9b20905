"""File locks, and file signatures that show whether a file has changed.

The system releases a lock when its process ends. POSIX systems have `flock`. Windows locks a byte,
and only exclusively: a shared lock is not taken there. Where neither exists, locks have no effect.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Final

from remem.files.disk import file_errors

_posix_flock: Callable[[int, int], None] | None = None
with suppress(ImportError):  # Windows and WebAssembly do not have it
    import fcntl

    _posix_flock = fcntl.flock

SHARED: Final = 1
EXCLUSIVE: Final = 2
NONBLOCKING: Final = 4
UNLOCK: Final = 8
"""The values of `flock` on Linux and macOS."""

_LOCKED_BYTE: Final = 1 << 30  # beyond the content of the files that are locked
_POLL_SECONDS: Final = 0.01
Signature = tuple[int, int, int, int]
"""Times of modification and of status change, size and inode of a file."""


def flock(descriptor: int, operation: int) -> None:
    """Take or release a lock on an open file.

    Raise BlockingIOError if it is held and NONBLOCKING is given.
    """
    if _posix_flock is not None:
        _posix_flock(descriptor, operation)
    elif sys.platform == "win32":
        _lock_byte(descriptor, operation)


if sys.platform == "win32":
    import msvcrt

    def _lock_byte(descriptor: int, operation: int) -> None:
        if operation & SHARED:
            return
        locking = msvcrt.LK_NBLCK if operation & NONBLOCKING else msvcrt.LK_LOCK
        mode = msvcrt.LK_UNLCK if operation & UNLOCK else locking
        position = os.lseek(descriptor, 0, os.SEEK_CUR)
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, mode, 1)
        except PermissionError as error:
            raise BlockingIOError(error.errno, error.strerror) from error
        finally:
            os.lseek(descriptor, position, os.SEEK_SET)


@contextmanager
def exclusive_lock(path: Path) -> Iterator[None]:
    """Hold a lock that excludes every other process and thread."""
    with exclusive_lock_within(path, None):
        yield


@contextmanager
def exclusive_lock_within(path: Path, seconds: float | None) -> Iterator[bool]:
    """Hold a lock like `exclusive_lock`, and yield whether it was acquired within `seconds`."""
    with file_errors(path, "opened"):
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        yield _acquire(lock, seconds)
    finally:
        os.close(lock)


def _acquire(lock: int, seconds: float | None) -> bool:
    """Take the lock, and return whether that succeeded in time; None means without a limit."""
    if seconds is None:
        flock(lock, EXCLUSIVE)
        return True
    deadline = monotonic() + seconds
    while True:
        try:
            flock(lock, EXCLUSIVE | NONBLOCKING)
        except BlockingIOError:
            if monotonic() >= deadline:
                return False
            sleep(_POLL_SECONDS)
        else:
            return True


def signature(path: Path) -> Signature | None:
    """Return the signature of a file; None if the file does not exist."""
    with file_errors(path, "inspected"):
        try:
            return signature_of(path.lstat())
        except FileNotFoundError:
            return None


def signatures(folder: Path) -> dict[str, Signature]:
    """Return the signatures of everything in a folder, by name; links are not followed."""
    with file_errors(folder, "listed"):
        try:
            with os.scandir(folder) as entries:
                return {
                    dir_entry.name: signature_of(dir_entry.stat(follow_symlinks=False))
                    for dir_entry in entries
                }
        except FileNotFoundError:
            return {}


def signature_of(status: os.stat_result) -> Signature:
    """Return the signature of a file whose status is known."""
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino
