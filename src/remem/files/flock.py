"""Locks on open files, which the system releases when their process ends.

POSIX systems have `flock`. Windows locks a byte, and only exclusively: a shared lock is not taken
there. Where neither exists, processes are not kept apart.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Final

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


def flock(descriptor: int, operation: int) -> None:
    """Take or release a lock; BlockingIOError if it is held and NONBLOCKING is given."""
    if _posix_flock is not None:
        _posix_flock(descriptor, operation)
    elif sys.platform == "win32":
        _lock_byte(descriptor, operation)


if sys.platform == "win32":
    import msvcrt

    def _lock_byte(descriptor: int, operation: int) -> None:
        if operation & SHARED:
            return
        waiting = msvcrt.LK_NBLCK if operation & NONBLOCKING else msvcrt.LK_LOCK
        mode = msvcrt.LK_UNLCK if operation & UNLOCK else waiting
        position = os.lseek(descriptor, 0, os.SEEK_CUR)
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, mode, 1)
        except PermissionError as error:
            raise BlockingIOError(error.errno, error.strerror) from error
        finally:
            os.lseek(descriptor, position, os.SEEK_SET)
