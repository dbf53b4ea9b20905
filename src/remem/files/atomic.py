"""How is a memory file read and written, so that nobody's bytes are ever lost?

A file is written beside its place and comes in whole, by a rename. A file that a person
edits is exchanged with the new one; what came out is compared with what was expected, and
kept, because an editor may still have it open and save into it.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final, Literal

from remem.errors import FileError, RememError
from remem.files.disk import (
    FRESH,
    Unsupported,
    exchange,
    explained,
    give_second_name,
    make_folder,
    move_to_free,
    sync_folder,
    write_beside,
)
from remem.files.strays import writing_in

__all__ = [
    "MAX_BYTES",
    "Outcome",
    "Swapped",
    "create",
    "digest",
    "make_folder",
    "read",
    "refuse_links",
    "remove",
    "renew",
    "set_aside",
    "settle",
    "strays",
    "streamed",
    "swap",
    "text_of",
    "unused",
]

MAX_BYTES: Final = 16 * 2**20


Outcome = Literal["swapped", "displaced", "changed", "gone"]


@dataclass(frozen=True, slots=True)
class Swapped:
    """What became of a swap; `found` is what the path held.

    swapped: as hoped. The old file lies at `kept` until `settle` finds it unchanged.
    displaced: a save came in between. Ours is in place, theirs lies at `kept`: absorb it.
    changed: the path held something else already; nothing was written.
    gone: the path held nothing any more; nothing was written.
    `atomic` is False where the file system cannot exchange two files: a save in the moment
    between two system calls would have been lost.
    """

    outcome: Outcome
    found: bytes | None = None
    kept: Path | None = None
    atomic: bool = True


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def read(path: Path, *, limit: int = MAX_BYTES, sole_name: bool = False) -> bytes | None:
    """The bytes of a regular file; None if there is none. A symbolic link is not followed.

    `sole_name` refuses a file that has a second hard link, which could carry the words of
    one scope into the folder of another. It is not the rule: some backups are made of links.
    """
    with explained(path, "read"):
        try:
            with open(path, "rb", opener=_strictly) as file:
                _check(path, os.fstat(file.fileno()), sole_name=sole_name)
                data = file.read(limit + 1)
        except FileNotFoundError:
            return None
    if len(data) > limit:
        raise FileError(f"{path} is larger than {limit} bytes", hint="split it into smaller files")
    return data


@contextmanager
def streamed(path: Path) -> Iterator[BinaryIO]:
    """A regular file of any size, to be read piece by piece; a symbolic link is not followed."""
    with explained(path, "read"), open(path, "rb", opener=_strictly) as file:
        _check(path, os.fstat(file.fileno()), sole_name=False)
        yield file


def text_of(data: bytes, path: Path) -> str:
    """The text of a file; every memory file is UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise FileError(
            f"{path} is not UTF-8 at byte {error.start}",
            hint="save it as UTF-8; it was not touched",
        ) from error


def refuse_links(root: Path, path: Path) -> None:
    """No folder between a workspace and its file may be a link: it could lead into another
    scope, or out of the workspace."""
    for part in (path, *path.parents):
        if part == root:
            return
        if part.is_symlink():
            raise FileError(
                f"{part} is a symbolic link, and those are not followed",
                hint="put the file or folder itself in its place",
            )


def create(path: Path, data: bytes) -> bool:
    """Write a new file, whole or not at all; False if anything is there already."""
    make_folder(path.parent)
    with explained(path, "written"), writing_in(path.parent):
        fresh = write_beside(path, data)
        try:
            move_to_free(fresh, path)
        except FileExistsError:
            return False
        finally:
            fresh.unlink(missing_ok=True)
        sync_folder(path.parent)
    return True


def swap(path: Path, data: bytes, *, expected: str, keep: Path, conflict: Path) -> Swapped:
    """Replace a file that should have the digest `expected`; see `Swapped`.

    `keep` and `conflict` are free names on the same file system, one of them for the file
    that comes out. After an error the old file is in its place (or, if the swap was not
    atomic, at `keep`). After a kill it may lie beside its place: `strays` finds it.
    """
    found = read(path)
    if found is None:
        return Swapped("gone")
    if digest(found) != expected:
        return Swapped("changed", found)
    make_folder(keep.parent)
    make_folder(conflict.parent)
    with explained(path, "written"), writing_in(path.parent):
        try:
            fresh = write_beside(path, data, like=os.lstat(path))
            try:
                exchange(fresh, path)
            except Unsupported:
                return _link_and_replace(path, fresh, expected, keep)
            except BaseException:
                fresh.unlink()
                raise
        except FileNotFoundError:
            return Swapped("gone")
        return _take_out(path, fresh, data, expected=expected, names=(keep, conflict))


def settle(kept: Path, expected: str) -> bytes | None:
    """Remove a file that was swapped out, if it still has its digest; else give its bytes.

    To be called some time after the swap: an editor that had the file open may have saved.
    """
    data = read(kept)
    if data is None or digest(data) != expected:
        return data
    with explained(kept, "removed"):
        kept.unlink()
    return None


def set_aside(path: Path, target: Path) -> None:
    """Move a file to a free name, where it is kept."""
    make_folder(target.parent)
    with explained(path, "moved"):
        move_to_free(path, target)
        sync_folder(target.parent)
        sync_folder(path.parent)


def remove(path: Path) -> None:
    """Take away a file of remem's own that has served; it may be gone already."""
    with explained(path, "removed"):
        path.unlink(missing_ok=True)
        sync_folder(path.parent)


def renew(path: Path, data: bytes) -> None:
    """Write a file of remem's own anew, whole or not at all; nobody else edits it."""
    with explained(path, "written"), writing_in(path.parent):
        fresh = write_beside(path, data)
        try:
            fresh.replace(path)
        finally:
            fresh.unlink(missing_ok=True)
        sync_folder(path.parent)


def strays(folder: Path) -> tuple[Path, ...]:
    """Files that a killed write has left: new bytes that never came in, or old ones.

    Only for a caller who knows that nobody is writing in the folder now.
    """
    return tuple(sorted(folder.glob(f".*{FRESH}")))


def unused(folder: Path, name: str) -> Path:
    """A free name for a file that is to be kept."""
    return folder / f"{name}.{os.urandom(8).hex()}"


def _strictly(name: str, flags: int) -> int:
    """Opens no link, and does not wait for the other end of a pipe."""
    return os.open(name, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


def _check(path: Path, status: os.stat_result, *, sole_name: bool) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise FileError(f"{path} is not a regular file")
    if sole_name and status.st_nlink > 1:
        raise FileError(
            f"{path} has {status.st_nlink} names, and this is one of them",
            hint="replace it by a copy of itself",
        )


def _take_out(
    path: Path, out: Path, data: bytes, *, expected: str, names: tuple[Path, Path]
) -> Swapped:
    """Judge and keep the file that the exchange has put at `out`; on an error, put it back."""
    keep, conflict = names
    kept = out
    try:
        found = read(out)
        assert found is not None, "the exchange has put a file there"
        clean = digest(found) == expected
        move_to_free(out, keep if clean else conflict)
        kept = keep if clean else conflict
        sync_folder(path.parent)
        sync_folder(kept.parent)
    except (OSError, RememError):
        exchange(kept, path)
        if read(kept) == data:
            kept.unlink()
        raise
    return Swapped("swapped" if clean else "displaced", found, kept)


def _link_and_replace(path: Path, fresh: Path, expected: str, keep: Path) -> Swapped:
    """The second-best way: the old file gets a second name before it loses its first."""
    with ExitStack() as undo:
        undo.callback(fresh.unlink, missing_ok=True)
        give_second_name(path, keep)
        undo.callback(keep.unlink, missing_ok=True)
        found = read(keep)
        if found is None or digest(found) != expected:
            return Swapped("changed", found)
        fresh.rename(path)
        undo.pop_all()
    sync_folder(path.parent)
    sync_folder(keep.parent)
    return Swapped("swapped", found, keep, atomic=False)
