"""Temporary files that a killed write has left, told from those that a live process is writing.

A writer holds a shared lock on the folder while its temporary file exists. Whoever gets the lock
for themselves knows that nobody is writing there; the kernel frees the lock of a dead process.
"""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import time
from typing import Final

from remem.files.disk import FRESH

_NAME: Final = re.compile(r"\.(?P<target>.+)\.[0-9a-f]{16}" + re.escape(FRESH))
_CERTAINLY_OLD: Final = 3600.0
"""Seconds. Where a folder cannot be locked, as on some network disks, age has to decide."""


def target_of(name: str) -> str | None:
    """The file that a temporary file was written for, by its name; None for any other name."""
    match = _NAME.fullmatch(name)
    return match["target"] if match else None


@contextmanager
def writing_in(folder: Path) -> Iterator[None]:
    """Inside, nobody takes temporary files in this folder for left over. A file system without
    such locks is no reason not to write."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_SH)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def left_in(folder: Path) -> Iterator[tuple[Path, ...]]:
    """The temporary files of dead processes; none while a live one is writing here. Inside,
    nobody begins to write."""
    found = _listed(folder)
    descriptor = _opened(folder) if found else None
    if descriptor is None:
        yield ()
        return
    try:
        yield _dead(descriptor, folder, found)
    finally:
        os.close(descriptor)


def _dead(descriptor: int, folder: Path, found: tuple[Path, ...]) -> tuple[Path, ...]:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return ()
    except OSError:
        return tuple(path for path in found if _is_old(path))
    return _listed(folder)  # again: those of a live writer may be gone by now


def _listed(folder: Path) -> tuple[Path, ...]:
    try:
        return tuple(sorted(path for path in folder.iterdir() if target_of(path.name)))
    except OSError:
        return ()


def _is_old(path: Path) -> bool:
    try:
        return time() - path.lstat().st_ctime > _CERTAINLY_OLD
    except OSError:
        return False


def _opened(folder: Path) -> int | None:
    try:
        return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
