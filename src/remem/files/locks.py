"""Who may write these files now? One at a time; the kernel frees the lock at death."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Final

from remem.notes.disk import explained

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
