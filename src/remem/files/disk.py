"""On what kind of file system does a folder lie? As the kernel calls it.

How are two names exchanged, or a name taken only if it is free, in one step?

The system calls have no function in Python's library. `Unsupported` means that this system
or file system cannot do it; then the caller has a second-best way.

How do bytes reach the disk, and what does an error of the system mean for a file?

Each function makes the fewest system calls that do its work, so that a test can let any
of them fail.
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from remem.errors import DiskFull, FileError, RememError, StoreReadOnly

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


_MOUNTS: Final = Path("/proc/self/mounts")


def kind_of(folder: Path) -> str | None:
    """Such as `ext4` or `nfs4`; None where the system does not tell."""
    try:
        lines = _MOUNTS.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    place = folder.resolve()
    best: tuple[int, str] | None = None
    for line in lines:
        _, mounted, kind, *_ = line.split(" ")
        at = Path(mounted.replace("\\040", " "))
        if at == place or at in place.parents:
            best = max(best or (0, ""), (len(at.parts), kind))
    return best[1] if best else None
