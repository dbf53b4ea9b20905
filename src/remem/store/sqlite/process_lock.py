"""A fair lock between the processes that write a database.

The kernel releases it when a process ends. A process that wants to write takes the queue lock
(`door.lock`), waits for the write lock (`pen.lock`) and then releases the queue lock. So a process
that has just released the write lock cannot take it again before one that is already waiting.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from remem.errors import StoreError, StoreReadOnly
from remem.files.locks import EXCLUSIVE, NONBLOCKING, SHARED, UNLOCK, flock

_OPEN_LOCK: Final = "open.lock"
"""Held, as a shared lock, by all processes that have the database open."""


class ProcessLock:
    """A context manager that keeps other processes from writing a database.

    `prefix` distinguishes the lock files of several databases in one folder.
    """

    def __init__(self, folder: Path, prefix: str = "") -> None:
        self._folder = folder
        with ExitStack() as undo:
            shared = open_private(folder / f"{prefix}{_OPEN_LOCK}")
            undo.callback(os.close, shared)
            _lock_shared(shared, folder)
            self._queue = open_private(folder / f"{prefix}door.lock")
            undo.callback(os.close, self._queue)
            self._write = open_private(folder / f"{prefix}pen.lock")
            undo.callback(os.close, self._write)
            self._close = undo.pop_all().close
        self._locks = {
            shared: folder / f"{prefix}{_OPEN_LOCK}",
            self._queue: folder / f"{prefix}door.lock",
            self._write: folder / f"{prefix}pen.lock",
        }

    def __enter__(self) -> None:
        try:
            flock(self._queue, EXCLUSIVE)
            try:
                flock(self._write, EXCLUSIVE)
            finally:
                flock(self._queue, UNLOCK)
        except OSError as error:
            raise _lock_error(self._folder, error) from error

    def __exit__(self, *_: object) -> None:
        flock(self._write, UNLOCK)

    @property
    def displaced(self) -> bool:
        """Whether the lock files were replaced, so that they no longer protect anything."""
        return any(not _is_at(descriptor, path) for descriptor, path in self._locks.items())

    def close(self) -> None:
        self._close()


@contextmanager
def exclusive_access(folder: Path, prefix: str = "") -> Iterator[None]:
    """Ensure that no other process has the database open or can open it.

    This is required before its file is replaced: a process that closes the old file later would
    remove the log of the new one.
    """
    descriptor = open_private(folder / f"{prefix}{_OPEN_LOCK}")
    try:
        try:
            flock(descriptor, EXCLUSIVE | NONBLOCKING)
        except OSError as error:
            raise StoreError(
                f"another program has the database in {folder} open",
                hint="stop the servers and commands that use this workspace, then try again",
            ) from error
        yield
    finally:
        os.close(descriptor)


def _lock_shared(descriptor: int, folder: Path) -> None:
    try:
        flock(descriptor, SHARED | NONBLOCKING)
    except BlockingIOError as error:
        raise StoreError(
            f"the database in {folder} is being repaired or restored", hint="try again later"
        ) from error
    except OSError as error:
        raise _lock_error(folder, error) from error


def _lock_error(folder: Path, error: OSError) -> StoreError:
    return StoreError(
        f"cannot lock files in {folder}: {error.strerror}",
        hint="is the workspace on a network drive or another special file system?",
    )


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except OSError:
        return False


def create_private(path: Path) -> None:
    """Create an empty file that only its owner may read."""
    os.close(open_private(path))


def open_private(path: Path) -> int:
    """Open a file, creating it so that only its owner may read it."""
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except PermissionError as error:
        raise StoreReadOnly(
            f"{path} cannot be opened for writing",
            hint="check the permissions of the .remem folder; reading still works",
        ) from error
    except OSError as error:
        raise StoreReadOnly(f"{path} cannot be created: {error.strerror}") from error
