"""Exclusive file locks, and file signatures that show whether a file has changed.

The kernel releases a lock when its process ends.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Final

from remem.files.disk import file_errors
from remem.files.flock import EXCLUSIVE, NONBLOCKING, flock

_POLL_SECONDS: Final = 0.01


@contextmanager
def exclusive_lock(path: Path) -> Iterator[None]:
    """Hold a lock that excludes every other process and thread."""
    with exclusive_lock_within(path, None):
        yield


@contextmanager
def exclusive_lock_within(path: Path, seconds: float | None) -> Iterator[bool]:
    """Like `exclusive_lock`, but yields whether the lock was acquired within `seconds`."""
    with file_errors(path, "opened"):
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        yield _acquire(lock, seconds)
    finally:
        os.close(lock)


def _acquire(lock: int, seconds: float | None) -> bool:
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


Signature = tuple[int, int, int, int]
"""Times of modification and of status change, size and inode of a file."""


def signature(path: Path) -> Signature | None:
    """The signature of a file; None if the file does not exist."""
    with file_errors(path, "inspected"):
        try:
            return signature_of(path.lstat())
        except FileNotFoundError:
            return None


def signatures(folder: Path) -> dict[str, Signature]:
    """The signatures of everything in a folder, by name; links are not followed."""
    with file_errors(folder, "listed"):
        try:
            with os.scandir(folder) as found:
                return {
                    dir_entry.name: signature_of(dir_entry.stat(follow_symlinks=False))
                    for dir_entry in found
                }
        except FileNotFoundError:
            return {}


def signature_of(status: os.stat_result) -> Signature:
    """The signature of a file whose status is known."""
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino
