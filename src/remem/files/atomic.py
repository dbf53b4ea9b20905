"""Read and write memory files without losing anybody's changes.

A file is written under a temporary name and renamed into place. A file that people edit is
exchanged with the new one; the old one is compared with what was expected and kept, because an
editor may still have it open and save into it.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from io import BufferedReader
from pathlib import Path
from typing import Final, Literal

from remem.errors import FileError, RememError
from remem.fast_dataclass import dataclass
from remem.files.disk import (
    TEMPORARY_SUFFIX,
    Unsupported,
    exchange,
    file_errors,
    hard_link,
    make_folder,
    move_exclusive,
    sync_folder,
    write_temporary,
)
from remem.files.leftovers import writing_in

MAX_BYTES: Final = 16 * 2**20


Outcome = Literal["swapped", "displaced", "changed", "gone"]


@dataclass(frozen=True, slots=True)
class SwapResult:
    """The result of `swap`; `found` is the content that the file had.

    - swapped: the new content is in place. The old file is at `kept` until `remove_if_unchanged`
      removes it.
    - displaced: the new content is in place, but somebody saved the file at the same moment. Their
      version is at `kept`, and the caller has to merge it.
    - changed: the content was not as expected; nothing was written.
    - gone: the file does not exist; nothing was written.
    """

    outcome: Outcome
    found: bytes | None = None
    kept: Path | None = None


def digest(data: bytes) -> str:
    """Return the SHA-256 digest of some bytes, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def read(path: Path, *, limit: int = MAX_BYTES, single_link: bool = False) -> bytes | None:
    """Return the bytes of a regular file; None if there is none. Symbolic links are not followed.

    `single_link` refuses a file that has more than one hard link, through which text from one scope
    could get into another scope's folder. It is not the default, since some backup programs create
    hard links.
    """
    with file_errors(path, "read"):
        try:
            with open(path, "rb", opener=_open_strictly) as file:
                _check_regular(path, os.fstat(file.fileno()), single_link=single_link)
                data = file.read(limit + 1)
        except FileNotFoundError:
            return None
    if len(data) > limit:
        raise FileError(f"{path} is larger than {limit} bytes", hint="split it into smaller files")
    return data


def read_or_report(
    root: Path, path: Path, problems: list[str], *, single_link: bool = False
) -> bytes | None:
    """Return the bytes of a file in the workspace `root`; None if it cannot be read or is missing.

    A file that is a link or cannot be read is added to `problems`.
    """
    try:
        refuse_links(root, path)
        return read(path, single_link=single_link)
    except RememError as error:
        problems.append(str(error))
        return None


@contextmanager
def open_stream(path: Path) -> Iterator[BufferedReader]:
    """Open a regular file of any size for reading in chunks; symbolic links are not followed."""
    with file_errors(path, "read"), open(path, "rb", opener=_open_strictly) as file:
        _check_regular(path, os.fstat(file.fileno()), single_link=False)
        yield file


def decode_text(data: bytes, path: Path) -> str:
    """Decode the content of a memory file, which must be UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise FileError(
            f"{path} is not UTF-8 at byte {error.start}",
            hint="save it as UTF-8; the file is unchanged",
        ) from error


def refuse_links(root: Path, path: Path) -> None:
    """Raise FileError if the file, or a folder between it and the workspace, is a symbolic link.

    A link could lead into another scope, or out of the workspace.
    """
    with file_errors(path, "read"):
        for part in (path, *path.parents):
            if part == root:
                return
            if part.is_symlink():
                raise FileError(
                    f"{part} is a symbolic link, which remem does not follow",
                    hint="replace the link with the file or folder itself",
                )


def create(path: Path, data: bytes) -> bool:
    """Create a file atomically; return False if the path already exists."""
    make_folder(path.parent)
    with file_errors(path, "written"), writing_in(path.parent):
        temporary = write_temporary(path, data)
        try:
            move_exclusive(temporary, path)
        except FileExistsError:
            return False
        finally:
            temporary.unlink(missing_ok=True)
        sync_folder(path.parent)
    return True


def swap(path: Path, data: bytes, *, expected: str, keep: Path, conflict: Path) -> SwapResult:
    """Replace a file that should have the digest `expected`; see `SwapResult`.

    The old file is moved to `keep`, or to `conflict` if its content is not as expected; both are
    unused paths on the same file system. After an error the old file is in place or, where the file
    system cannot exchange files, at `keep`. If the process is killed, the old file may be left
    under a temporary name, where `temporary_files` finds it.
    """
    current = read(path)
    if current is None:
        return SwapResult("gone")
    if digest(current) != expected:
        return SwapResult("changed", current)
    make_folder(keep.parent)
    make_folder(conflict.parent)
    with file_errors(path, "written"), writing_in(path.parent):
        try:
            temporary = write_temporary(path, data, model=os.lstat(path))
            try:
                exchange(temporary, path)
            except Unsupported:
                return _link_and_replace(path, temporary, expected, keep)
            except BaseException:
                temporary.unlink()
                raise
        except FileNotFoundError:
            return SwapResult("gone")
        return _keep_old(path, temporary, data, expected=expected, keep=keep, conflict=conflict)


def remove_if_unchanged(copy: Path, expected: str) -> bytes | None:
    """Remove a file that was swapped out if it still has its digest; otherwise return its bytes.

    Call it some time after the swap, because an editor that had the file open may save it.
    """
    data = read(copy)
    if data is None or digest(data) != expected:
        return data
    with file_errors(copy, "removed"):
        copy.unlink()
    return None


def set_aside(path: Path, target: Path) -> None:
    """Move a file to an unused path, to keep it there."""
    make_folder(target.parent)
    with file_errors(path, "moved"):
        move_exclusive(path, target)
        sync_folder(target.parent)
        sync_folder(path.parent)


def remove(path: Path) -> None:
    """Remove a file that only remem uses; it may be gone already."""
    with file_errors(path, "removed"):
        path.unlink(missing_ok=True)
        sync_folder(path.parent)


def replace_file(path: Path, data: bytes) -> None:
    """Replace a file that only remem writes, atomically."""
    with file_errors(path, "written"), writing_in(path.parent):
        temporary = write_temporary(path, data)
        try:
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
        sync_folder(path.parent)


def temporary_files(folder: Path) -> tuple[Path, ...]:
    """Return the temporary files in a folder; they have the new or the old content of a file.

    If nobody is writing in the folder, interrupted writes have left them.
    """
    return tuple(sorted(folder.glob(f".*{TEMPORARY_SUFFIX}")))


def unused_path(folder: Path, name: str) -> Path:
    """Return an unused path that begins with a name."""
    return folder / f"{name}.{os.urandom(8).hex()}"


def _open_strictly(name: str, flags: int) -> int:
    """Open a file without following a link or waiting for the other end of a pipe."""
    return os.open(name, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


def _check_regular(path: Path, status: os.stat_result, *, single_link: bool) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise FileError(f"{path} is not a regular file")
    if single_link and status.st_nlink > 1:
        raise FileError(
            f"{path} is hard-linked to another file",
            hint="replace it with a copy",
        )


def _keep_old(
    path: Path, old: Path, data: bytes, *, expected: str, keep: Path, conflict: Path
) -> SwapResult:
    """Move the old file from `old`, where the exchange has put it, to `keep`.

    If its content is not as expected, it is moved to `conflict`; after an error, back to `path`.
    """
    try:
        content = read(old)
        assert content is not None, "the exchange has put the old file there"
        is_expected = digest(content) == expected
        target = keep if is_expected else conflict
        move_exclusive(old, target)
        old = target
        sync_folder(path.parent)
        sync_folder(old.parent)
    except (OSError, RememError):
        exchange(old, path)
        if read(old) == data:
            old.unlink()
        raise
    return SwapResult("swapped" if is_expected else "displaced", content, old)


def _link_and_replace(path: Path, temporary: Path, expected: str, keep: Path) -> SwapResult:
    """Swap without an exchange: create a hard link to the old file, then replace it.

    A save between the two system calls is lost.
    """
    with ExitStack() as undo:
        undo.callback(temporary.unlink, missing_ok=True)
        hard_link(path, keep)
        undo.callback(keep.unlink, missing_ok=True)
        current = read(keep)
        if current is None or digest(current) != expected:
            return SwapResult("changed", current)
        temporary.rename(path)
        undo.pop_all()
    sync_folder(path.parent)
    sync_folder(keep.parent)
    return SwapResult("swapped", current, keep)
