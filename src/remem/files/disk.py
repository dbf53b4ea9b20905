"""How do bytes reach the disk, and what does an error of the system mean for a file?

Each function makes the fewest system calls that do its work, so that a test can let any
of them fail.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from remem.errors import DiskFull, FileError, RememError, StoreReadOnly
from remem.notes.renames import Unsupported, rename_to_free

FRESH: Final = ".remem-new"
"""How the names of files end that are not yet in their place."""

_NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FORBIDDEN: Final = (errno.EACCES, errno.EPERM, errno.EROFS)
_LOOKED_AT: Final = ("listed", "looked at")


def write_beside(path: Path, data: bytes, like: os.stat_result | None = None) -> Path:
    """The data in a new file of the same folder, safe on the disk.

    Only the owner may read it, unless it is to have mode and owner of the old file.
    """
    fresh = path.parent / f".{path.name}.{os.urandom(8).hex()}{FRESH}"
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        try:
            if like is not None:
                _resemble(descriptor, like)
            _write(descriptor, data)
            sync(descriptor)
        finally:
            os.close(descriptor)
    except BaseException:
        fresh.unlink()
        raise
    return fresh


def move_to_free(source: Path, target: Path) -> None:
    """Rename, but never over anything: FileExistsError."""
    try:
        rename_to_free(source, target)
    except Unsupported:
        give_second_name(source, target)
        source.unlink()


def give_second_name(path: Path, name: Path) -> None:
    """A hard link: what the second-best ways are made of."""
    try:
        os.link(path, name, follow_symlinks=False)
    except PermissionError as error:
        raise FileError(
            f"{path} cannot be given a second name: {error.strerror}",
            hint="this file system can neither exchange nor link files, or the file is not yours",
        ) from error


def make_folder(path: Path) -> None:
    """Make a folder and those above it, so that they survive a power cut."""
    if path.is_dir():
        return
    make_folder(path.parent)
    with explained(path, "made"):
        try:
            path.mkdir(mode=0o700)
        except FileExistsError:
            if not path.is_dir():
                raise
        sync_folder(path.parent)


def sync(descriptor: int) -> None:
    if sys.platform == "darwin":
        import fcntl  # only there does fsync stop short of the disk

        fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
    else:
        os.fsync(descriptor)


def sync_folder(folder: Path) -> None:
    """What a rename has done survives a power cut only after this."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        sync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def explained(path: Path, done: str) -> Iterator[None]:
    """Turns an error of the system into one that says what it means for the file."""
    try:
        yield
    except OSError as error:
        raise _reason(error, path, done) from error


def _resemble(descriptor: int, old: os.stat_result) -> None:
    if os.geteuid() == 0:  # or root would take the owner's memory away from him
        os.fchown(descriptor, old.st_uid, old.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode))


def _write(descriptor: int, data: bytes) -> None:
    """One call: a disk that takes only a part of the data has no room for the rest."""
    if os.write(descriptor, data) != len(data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _reason(error: OSError, path: Path, done: str) -> RememError:
    if error.errno in _NO_ROOM:
        return DiskFull(f"no room to write {path}", hint="free some space; the file is as it was")
    if error.errno in _FORBIDDEN and done != "read":
        right = "read" if done in _LOOKED_AT else "write in"
        return StoreReadOnly(
            f"{path} cannot be {done}: {error.strerror}",
            hint=f"give remem's user the right to {right} that folder",
        )
    if error.errno == errno.ELOOP:
        return FileError(
            f"{path} is a symbolic link, and those are not followed",
            hint="put the file itself in its place",
        )
    return FileError(f"{path} cannot be {done}: {error.strerror}")
