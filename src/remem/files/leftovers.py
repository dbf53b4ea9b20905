"""Find the temporary files that interrupted writes have left, but not those being written now.

A writer holds a shared lock on the folder while its temporary file exists, and the kernel releases
the lock of a process that has died. So a process that gets an exclusive lock on the folder knows
that nobody is writing there.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import time
from typing import Final

from remem.files.disk import TEMPORARY_SUFFIX
from remem.files.locks import EXCLUSIVE, NONBLOCKING, SHARED, flock

_NAME: Final = re.compile(r"\.(?P<target>.+)\.[0-9a-f]{16}" + re.escape(TEMPORARY_SUFFIX))
_MAX_AGE_SECONDS: Final = 3600.0
"""The age from which temporary files count as left over in a folder that cannot be locked, as on
some network file systems."""


def target_of(name: str) -> str | None:
    """Return the name of the file that a temporary file was written for; None for other names."""
    match = _NAME.fullmatch(name)
    return match["target"] if match else None


@contextmanager
def writing_in(folder: Path) -> Iterator[None]:
    """Keep other processes from treating temporary files in this folder as left over.

    This needs a file system with locks.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with suppress(OSError):
            flock(descriptor, SHARED)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def leftovers_in(folder: Path) -> Iterator[tuple[Path, ...]]:
    """Yield the temporary files of dead processes; none while a live one writes in the folder.

    No other write begins before this context ends.
    """
    paths = _temporary_files(folder)
    descriptor = _open_folder(folder) if paths else None
    if descriptor is None:
        yield ()
        return
    try:
        yield _of_dead_writers(descriptor, folder, paths)
    finally:
        os.close(descriptor)


def _of_dead_writers(descriptor: int, folder: Path, paths: tuple[Path, ...]) -> tuple[Path, ...]:
    """Lock the open folder, and return the temporary files in it that nobody is writing."""
    try:
        flock(descriptor, EXCLUSIVE | NONBLOCKING)
    except BlockingIOError:
        return ()
    except OSError:
        return tuple(path for path in paths if _is_old(path))
    return _temporary_files(folder)  # listed again: a live writer may have moved its files


def _temporary_files(folder: Path) -> tuple[Path, ...]:
    try:
        return tuple(sorted(path for path in folder.iterdir() if target_of(path.name)))
    except OSError:
        return ()


def _is_old(path: Path) -> bool:
    try:
        return time() - path.lstat().st_ctime > _MAX_AGE_SECONDS
    except OSError:
        return False


def _open_folder(folder: Path) -> int | None:
    try:
        return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
