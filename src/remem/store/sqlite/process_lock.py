"""Whose turn is it to write? Processes queue at a lock that the kernel frees at death.

Two locks make it fair: whoever waits for the pen holds the door, so the process that
just wrote cannot take the pen again before the one that waits.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from remem.errors import StoreError, StoreReadOnly

_PRESENT: Final = "open.lock"
"""Whoever has the database open holds this lock together with the others who do."""


class Turns:
    """A context manager: inside it, no other process writes this scope's database.

    `name` tells the locks of one database in a folder from those of another.
    """

    def __init__(self, folder: Path, name: str = "") -> None:
        self._folder = folder
        with ExitStack() as undo:
            here = open_private(folder / f"{name}{_PRESENT}")
            undo.callback(os.close, here)
            _be_present(here, folder)
            self._door = open_private(folder / f"{name}door.lock")
            undo.callback(os.close, self._door)
            self._pen = open_private(folder / f"{name}pen.lock")
            undo.callback(os.close, self._pen)
            self._close = undo.pop_all().close
        self._locks = {
            here: folder / f"{name}{_PRESENT}",
            self._door: folder / f"{name}door.lock",
            self._pen: folder / f"{name}pen.lock",
        }

    def __enter__(self) -> None:
        try:
            fcntl.flock(self._door, fcntl.LOCK_EX)
            try:
                fcntl.flock(self._pen, fcntl.LOCK_EX)
            finally:
                fcntl.flock(self._door, fcntl.LOCK_UN)
        except OSError as error:
            raise _no_lock(self._folder, error) from error

    def __exit__(self, *_: object) -> None:
        fcntl.flock(self._pen, fcntl.LOCK_UN)

    @property
    def displaced(self) -> bool:
        """Whether another process may hold other files for these locks: then they protect
        nothing."""
        return any(not _is_at(descriptor, path) for descriptor, path in self._locks.items())

    def close(self) -> None:
        self._close()


@contextmanager
def alone(folder: Path, name: str = "") -> Iterator[None]:
    """Inside, nobody has the database open, and who comes is told to come later: only then
    may its file be exchanged, because whoever closes the old one removes the log of the new."""
    here = open_private(folder / f"{name}{_PRESENT}")
    try:
        try:
            fcntl.flock(here, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise StoreError(
                f"another program has the database in {folder} open",
                hint="end the servers and commands that use this workspace, then try again",
            ) from error
        yield
    finally:
        os.close(here)


def _be_present(here: int, folder: Path) -> None:
    try:
        fcntl.flock(here, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise StoreError(
            f"the database in {folder} is being repaired or restored", hint="try again later"
        ) from error
    except OSError as error:
        raise _no_lock(folder, error) from error


def _no_lock(folder: Path, error: OSError) -> StoreError:
    return StoreError(
        f"no lock can be had in {folder}: {error.strerror}",
        hint="is the workspace on a network drive or another special file system?",
    )


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except OSError:
        return False


def create_private(path: Path) -> None:
    """An empty file that only its owner may read."""
    os.close(open_private(path))


def open_private(path: Path) -> int:
    """A descriptor of a file that only its owner may read, and that is made if it is missing."""
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except PermissionError as error:
        raise StoreReadOnly(
            f"{path} cannot be opened for writing",
            hint="check the permissions of the .remem folder; reading still works",
        ) from error
    except OSError as error:
        raise StoreReadOnly(f"{path} cannot be created: {error.strerror}") from error
