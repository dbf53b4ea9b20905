"""How do a model's files get into their place? Each whole, the manifest last, or none at all."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from remem.errors import EmbedderError, shown

_PART: Final = ".part"
_STALE: Final = 24 * 3600  # seconds; nobody builds that long, so its process was killed


def publish(folder: Path, files: Mapping[str, bytes], *, megabytes: int) -> None:
    """Put each file in place whole, in their order: without its manifest the folder is no model.

    Two processes that do this at once write the same bytes, so the order does not matter.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _sweep(folder)
        for name, data in files.items():
            _replace(folder / name, data)
        _sync(folder)
    except OSError as error:
        raise EmbedderError(
            f"the model cannot be written to {shown(str(folder), 200)}: {error.strerror}",
            hint=f"it needs {megabytes} MB; nothing was left half-written",
        ) from error


def _replace(path: Path, data: bytes) -> None:
    part = path.with_name(f".{path.name}-{os.getpid()}-{threading.get_ident()}{_PART}")
    try:
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _sweep(folder: Path) -> None:
    for part in folder.glob(f".*{_PART}"):
        with suppress(FileNotFoundError):  # another process has just put it in place
            if part.stat().st_mtime < time.time() - _STALE:
                part.unlink()


def _sync(folder: Path) -> None:
    """Make the renames outlive a power cut, where folders can be synced at all."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
