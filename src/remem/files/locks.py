"""Has a file changed since it was last looked at? Its time, size and number tell.

Who may write these files now? One at a time; the kernel frees the lock at death.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Final

from remem.files.disk import explained

_PAUSE: Final = 0.01


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Inside, no other process and no other thread holds this lock."""
    with explained(path, "opened"):
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


@contextmanager
def alone_within(path: Path, seconds: float | None) -> Iterator[bool]:
    """Like `alone`, but whoever cannot have the lock in time is told so: False."""
    with explained(path, "opened"):
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        yield _locked(lock, seconds)
    finally:
        os.close(lock)


def _locked(lock: int, seconds: float | None) -> bool:
    if seconds is None:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return True
    deadline = monotonic() + seconds
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if monotonic() >= deadline:
                return False
            sleep(_PAUSE)
        else:
            return True


Signature = tuple[int, int, int, int]


def signature(path: Path) -> Signature | None:
    """How a file looks; None if there is none."""
    with explained(path, "looked at"):
        try:
            return _of(path.lstat())
        except FileNotFoundError:
            return None


def signatures(folder: Path) -> dict[str, Signature]:
    """Those of everything in a folder, by name; links are not followed."""
    with explained(folder, "listed"):
        try:
            with os.scandir(folder) as found:
                return {
                    dir_entry.name: _of(dir_entry.stat(follow_symlinks=False))
                    for dir_entry in found
                }
        except FileNotFoundError:
            return {}


def _of(status: os.stat_result) -> Signature:
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino
