"""Open a file by a path that somebody else chose, without following any link.

Every folder is opened relative to its parent, so that no folder can be replaced with a link in the
meantime. The final check looks at the open file, not at its name.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from remem.fast_dataclass import dataclass
from remem.files.atomic import MAX_BYTES

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NOT_FOUND: Final = (errno.ENOENT, errno.ENOTDIR)


class UnsafePath(Exception):
    """The path contains a symbolic link, or `refuse` rejected the file."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Device and inode, which identify a file whatever its name."""

    device: int
    inode: int


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """The content of an opened file, and its identity."""

    data: bytes
    identity: Identity


def read_below(
    folder: Path,
    parts: Sequence[str],
    refuse: Callable[[os.stat_result], str | None],
    *,
    follow_folder: bool = True,
) -> OpenedFile | None:
    """Return the file at `parts` below a folder; None if there is none.

    Raise UnsafePath if a part is a link or `refuse` returns a reason against reading the open file,
    and OSError if it cannot be read. `follow_folder` allows the folder itself to be a link.
    """
    with ExitStack() as descriptors:
        try:
            parent = os.open(folder, _FOLDER | (0 if follow_folder else os.O_NOFOLLOW))
            descriptors.callback(os.close, parent)
            for part in parts[:-1]:
                parent = _open_in(parent, part, _FOLDER | os.O_NOFOLLOW)
                descriptors.callback(os.close, parent)
            file = _open_in(parent, parts[-1], _FILE)
            descriptors.callback(os.close, file)
        except OSError as error:
            if error.errno in _NOT_FOUND:
                return None
            raise
        return _read_all(file, refuse)


def identities(paths: Sequence[Path]) -> frozenset[Identity]:
    """Return the identities of the paths that exist."""
    found = set()
    for path in paths:
        try:
            status = path.lstat()
        except OSError:
            continue
        found.add(Identity(status.st_dev, status.st_ino))
    return frozenset(found)


def _open_in(folder: int, name: str, flags: int) -> int:
    try:
        return os.open(name, flags, dir_fd=folder)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR) and _is_link(folder, name):
            raise UnsafePath(name) from error
        raise


def _is_link(folder: int, name: str) -> bool:
    return stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)


def _read_all(file: int, refuse: Callable[[os.stat_result], str | None]) -> OpenedFile:
    status = os.fstat(file)
    if stat.S_ISDIR(status.st_mode):
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(status.st_mode):
        raise OSError("it is not a regular file")
    if reason := refuse(status):
        raise UnsafePath(reason)
    if status.st_size > MAX_BYTES:
        raise OSError(errno.EFBIG, f"it is larger than {MAX_BYTES} bytes")
    with open(file, "rb", closefd=False) as stream:
        data = stream.read()[:MAX_BYTES]  # it may be growing
    return OpenedFile(data, Identity(status.st_dev, status.st_ino))
