"""Whose turn is it to write? Processes queue at a lock that the kernel frees at death.

Two locks make it fair: whoever waits for the pen holds the door, so the process that
just wrote cannot take the pen again before the one that waits.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from remem.errors import StoreError, StoreReadOnly


class Turns:
    """A context manager: inside it, no other process writes this scope's database."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._door = _open(folder / "door.lock")
        try:
            self._pen = _open(folder / "pen.lock")
        except BaseException:
            os.close(self._door)
            raise

    def __enter__(self) -> None:
        try:
            fcntl.flock(self._door, fcntl.LOCK_EX)
            try:
                fcntl.flock(self._pen, fcntl.LOCK_EX)
            finally:
                fcntl.flock(self._door, fcntl.LOCK_UN)
        except OSError as error:
            raise StoreError(
                f"no lock can be had in {self._folder}: {error.strerror}",
                hint="is the workspace on a network drive or another special file system?",
            ) from error

    def __exit__(self, *_: object) -> None:
        fcntl.flock(self._pen, fcntl.LOCK_UN)

    def close(self) -> None:
        os.close(self._door)
        os.close(self._pen)


def create_private(path: Path) -> None:
    """An empty file that only its owner may read."""
    os.close(_open(path))


def _open(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except PermissionError as error:
        raise StoreReadOnly(
            f"{path} cannot be opened for writing",
            hint="check the permissions of the .remem folder; reading still works",
        ) from error
    except OSError as error:
        raise StoreReadOnly(f"{path} cannot be created: {error.strerror}") from error
