"""How are two names exchanged, or a name taken only if it is free, in one step?

The system calls have no function in Python's library. `Unsupported` means that this system
or file system cannot do it; then the caller has a second-best way.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from pathlib import Path
from typing import Final

_AT_FDCWD: Final = -100
_LINUX_NOREPLACE: Final = 1
_MACOS_EXCL: Final = 4
_EXCHANGE: Final = 2  # the same number on both systems
_CANNOT: Final = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP)


class Unsupported(Exception):
    """The file system cannot do this in one step."""


def exchange(one: Path, other: Path) -> None:
    """Both names stay taken; each now has what the other had."""
    _rename(one, other, _EXCHANGE)


def rename_to_free(source: Path, target: Path) -> None:
    """FileExistsError if anything is there already, a dangling link included."""
    _rename(source, target, _MACOS_EXCL if sys.platform == "darwin" else _LINUX_NOREPLACE)


def _rename(source: Path, target: Path, flags: int) -> None:
    library = ctypes.CDLL(None, use_errno=True)
    try:
        if sys.platform == "darwin":
            failed = library.renamex_np(os.fsencode(source), os.fsencode(target), flags)
        else:
            names = _AT_FDCWD, os.fsencode(source), _AT_FDCWD, os.fsencode(target)
            failed = library.renameat2(*names, flags)
    except AttributeError as error:
        raise Unsupported from error
    if failed:
        number = ctypes.get_errno()
        if number in _CANNOT:
            raise Unsupported
        raise OSError(number, os.strerror(number), str(source), None, str(target))
