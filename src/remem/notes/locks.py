"""Who may write these files now? One at a time; the kernel frees the lock at death."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from remem.notes.disk import explained


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
