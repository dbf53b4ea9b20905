"""How is a file opened by a name that somebody else chose? Step by step, following no link.

Each folder is opened inside the one before it, so that nothing can be exchanged on the way;
what is judged in the end is the opened file itself, not its name.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from remem.files.atomic import MAX_BYTES

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NO_SUCH: Final = (errno.ENOENT, errno.ENOTDIR)


class Astray(Exception):
    """A link stands on the way, or the file is not the one that its name says."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Which file it is, whatever it is called."""

    device: int
    inode: int


@dataclass(frozen=True, slots=True)
class Beneath:
    data: bytes
    identity: Identity


def read_beneath(
    folder: Path,
    parts: Sequence[str],
    refuse: Callable[[os.stat_result], str | None],
    *,
    follow_folder: bool = True,
) -> Beneath | None:
    """The file at `parts` below a folder; None if there is none.

    Raises Astray, or the system's own error. `follow_folder` is for the workspace itself, which
    may well be a link; an extra folder may not. `refuse` judges the opened file.
    """
    with ExitStack() as opened:
        try:
            place = os.open(folder, _FOLDER | (0 if follow_folder else os.O_NOFOLLOW))
            opened.callback(os.close, place)
            for part in parts[:-1]:
                place = _step(place, part, _FOLDER | os.O_NOFOLLOW)
                opened.callback(os.close, place)
            file = _step(place, parts[-1], _FILE)
            opened.callback(os.close, file)
        except OSError as error:
            if error.errno in _NO_SUCH:
                return None
            raise
        return _whole(file, refuse)


def identities(paths: Sequence[Path]) -> frozenset[Identity]:
    """Which files these are, of those that exist."""
    found = set()
    for path in paths:
        try:
            status = path.lstat()
        except OSError:
            continue
        found.add(Identity(status.st_dev, status.st_ino))
    return frozenset(found)


def _step(folder: int, name: str, flags: int) -> int:
    try:
        return os.open(name, flags, dir_fd=folder)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR) and _is_link(folder, name):
            raise Astray(name) from error
        raise


def _is_link(folder: int, name: str) -> bool:
    return stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)


def _whole(file: int, refuse: Callable[[os.stat_result], str | None]) -> Beneath:
    status = os.fstat(file)
    if stat.S_ISDIR(status.st_mode):
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(status.st_mode):
        raise OSError("it is not a regular file")
    if reason := refuse(status):
        raise Astray(reason)
    if status.st_size > MAX_BYTES:
        raise OSError(errno.EFBIG, f"it is larger than {MAX_BYTES} bytes")
    pieces, left = [], MAX_BYTES
    step = max(status.st_size, 4096) + 1  # a buffer of the greatest size would cost more than it
    while left and (piece := os.read(file, min(step, left))):
        pieces.append(piece)
        left -= len(piece)
    return Beneath(b"".join(pieces), Identity(status.st_dev, status.st_ino))
