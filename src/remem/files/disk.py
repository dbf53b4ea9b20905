"""System calls on files, such as rename, exchange and sync, with errors that say what failed.

Python has no function that exchanges two files, or that renames a file only if the new name is
unused. `Unsupported` means that the operating system or the file system cannot do it; callers then
use hard links instead.
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

_AT_FDCWD: Final = -100
_LINUX_NOREPLACE: Final = 1
_MACOS_EXCL: Final = 4
_EXCHANGE: Final = 2  # the same number on both systems
_NOT_SUPPORTED: Final = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP)
TEMPORARY_SUFFIX: Final = ".remem-new"
"""Suffix of temporary files that have not been moved into place yet."""
_DISK_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_NOT_PERMITTED: Final = (errno.EACCES, errno.EPERM, errno.EROFS)
_READING_ACTIONS: Final = ("listed", "inspected")
_MOUNTS: Final = Path("/proc/self/mounts")


class Unsupported(Exception):
    """The file system cannot do this atomically."""


def exchange(path: Path, other: Path) -> None:
    """Exchange two files atomically; both names exist at all times."""
    _rename(path, other, _EXCHANGE)


def rename_exclusive(source: Path, target: Path) -> None:
    """Rename a file atomically; raise FileExistsError if the target exists.

    A dangling link at the target counts as existing.
    """
    _rename(source, target, _MACOS_EXCL if sys.platform == "darwin" else _LINUX_NOREPLACE)


def _rename(source: Path, target: Path, flags: int) -> None:
    import ctypes  # commands that write no file need not load it

    library = ctypes.CDLL(None, use_errno=True)
    try:
        if sys.platform == "darwin":
            result = library.renamex_np(os.fsencode(source), os.fsencode(target), flags)
        else:
            names = _AT_FDCWD, os.fsencode(source), _AT_FDCWD, os.fsencode(target)
            result = library.renameat2(*names, flags)
    except AttributeError as error:
        raise Unsupported from error
    if result:
        number = ctypes.get_errno()
        if number in _NOT_SUPPORTED:
            raise Unsupported
        raise OSError(number, os.strerror(number), str(source), None, str(target))


def temporary_path(path: Path) -> Path:
    """Return an unused path for a temporary file in the same folder.

    After a crash, the file can be recognised by its name.
    """
    return path.parent / f".{path.name}.{os.urandom(8).hex()}{TEMPORARY_SUFFIX}"


def write_temporary(path: Path, data: bytes, model: os.stat_result | None = None) -> Path:
    """Write a temporary file in the folder of `path`, synced to disk, and return its path.

    Only its owner can read it, unless `model` gives the mode and owner of an existing file.
    """
    temporary = temporary_path(path)
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        try:
            if model is not None:
                _copy_owner_and_mode(descriptor, model)
            _write(descriptor, data)
            sync(descriptor)
        finally:
            os.close(descriptor)
    except BaseException:
        temporary.unlink()
        raise
    return temporary


def move_exclusive(source: Path, target: Path) -> None:
    """Move a file; raise FileExistsError if the target exists."""
    try:
        rename_exclusive(source, target)
    except Unsupported:
        hard_link(source, target)
        source.unlink()


def hard_link(path: Path, name: Path) -> None:
    """Create a hard link, for file systems that cannot exchange files."""
    try:
        os.link(path, name, follow_symlinks=False)
    except PermissionError as error:
        raise FileError(
            f"{path} cannot be hard-linked: {error.strerror}",
            hint="use a file system that can exchange or link files, or take ownership of the file",
        ) from error


def make_folder(path: Path) -> None:
    """Create a folder and its parents, synced to disk."""
    if path.is_dir():
        return
    make_folder(path.parent)
    with file_errors(path, "created"):
        try:
            path.mkdir(mode=0o700)
        except FileExistsError:
            if not path.is_dir():
                raise
        sync_folder(path.parent)


def list_folder(folder: Path) -> list[os.DirEntry[str]]:
    """Return what is in a folder, sorted by name; nothing if there is no such folder."""
    with file_errors(folder, "listed"):
        try:
            with os.scandir(folder) as items:
                return sorted(items, key=lambda item: item.name)
        except (FileNotFoundError, NotADirectoryError):
            return []


def subfolders(folder: Path) -> list[Path]:
    """Return the folders in a folder; links are not followed."""
    return [Path(item) for item in list_folder(folder) if item.is_dir(follow_symlinks=False)]


def sync(descriptor: int) -> None:
    """Wait until the content of an open file is on the disk."""
    if sys.platform == "darwin":
        import fcntl  # on macOS, fsync leaves data in the drive's cache

        fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
    else:
        os.fsync(descriptor)


def sync_folder(folder: Path) -> None:
    """Sync a folder, so that a rename in it survives a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        sync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def file_errors(path: Path, action: str) -> Iterator[None]:
    """Raise an OSError as an error of remem that names the file.

    `action` completes the message "… cannot be", for example with "written".
    """
    try:
        yield
    except OSError as error:
        raise _file_error(error, path, action) from error


def _copy_owner_and_mode(descriptor: int, old: os.stat_result) -> None:
    if os.geteuid() == 0:  # otherwise the owner would lose access to a file that root rewrites
        os.fchown(descriptor, old.st_uid, old.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode))


def _write(descriptor: int, data: bytes) -> None:
    """Write some bytes with one call, which writes only a part of them if the disk is full."""
    if os.write(descriptor, data) != len(data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _file_error(error: OSError, path: Path, action: str) -> RememError:
    if error.errno in _DISK_FULL:
        return DiskFull(
            f"no space left to write {path}", hint="free some disk space; the file is unchanged"
        )
    if error.errno in _NOT_PERMITTED and action != "read":
        access = "read" if action in _READING_ACTIONS else "write to"
        return StoreReadOnly(
            f"{path} cannot be {action}: {error.strerror}",
            hint=f"allow the user that runs remem to {access} that folder",
        )
    if error.errno == errno.ELOOP:
        return FileError(
            f"{path} is a symbolic link, which remem does not follow",
            hint="replace the link with the file itself",
        )
    return FileError(f"{path} cannot be {action}: {error.strerror}")


def file_system_of(folder: Path) -> str | None:
    """Return the file system of a folder, such as `ext4` or `nfs4`; None if it is unknown."""
    try:
        lines = _MOUNTS.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    path = folder.resolve()
    nearest: tuple[int, str] | None = None
    for line in lines:
        _, escaped, kind, *_ = line.split(" ")
        mount = Path(escaped.replace("\\040", " "))
        if mount == path or mount in path.parents:
            nearest = max(nearest or (0, ""), (len(mount.parts), kind))
    return nearest[1] if nearest else None


def is_writable(folder: Path) -> bool:
    """Return whether a folder, or the nearest existing one above it, is writable."""
    while not folder.exists():
        folder = folder.parent
    return os.access(folder, os.W_OK)
