"""Folders in memory, where the machine has that, for tests that need no disk."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_SHARED_MEMORY = Path("/dev/shm")


def quick_folder() -> Path:
    """A new folder, which the caller removes."""
    return Path(tempfile.mkdtemp(dir=_SHARED_MEMORY if _SHARED_MEMORY.is_dir() else None))


@contextmanager
def borrowed_folder() -> Iterator[Path]:
    """A new folder, which is removed afterwards."""
    folder = quick_folder()
    try:
        yield folder
    finally:
        shutil.rmtree(folder)
