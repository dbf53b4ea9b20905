"""Folders in memory, where the machine has that, for tests that need no disk."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_SHARED_MEMORY = Path("/dev/shm")
_ROOM_NEEDED = 4 << 30  # bytes: as much as two runs of the whole suite leave behind


def memory_folder() -> str | None:
    """The file system in memory, if it has room for a whole run and lets programs be started."""
    if not _SHARED_MEMORY.is_dir() or not os.access(_SHARED_MEMORY, os.W_OK):
        return None
    found = os.statvfs(_SHARED_MEMORY)
    if found.f_flag & os.ST_NOEXEC or found.f_bavail * found.f_frsize < _ROOM_NEEDED:
        return None
    return str(_SHARED_MEMORY)


def quick_folder() -> Path:
    """A new folder, which the caller removes."""
    return Path(tempfile.mkdtemp(dir=memory_folder()))


@contextmanager
def borrowed_folder() -> Iterator[Path]:
    """A new folder, which is removed afterwards."""
    folder = quick_folder()
    try:
        yield folder
    finally:
        shutil.rmtree(folder)
