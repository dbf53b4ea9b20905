"""Files of a host: what remem adds to them and removes, and how they are rewritten safely.

A host may write its file at any time, so a rewrite always starts from the latest bytes. The old
file is moved aside within its own folder, because home and workspace may be on different disks,
and is removed once it is certain that nobody wrote to it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from remem.errors import FileError, NotAllowed
from remem.files import atomic
from remem.files.disk import TEMPORARY_SUFFIX, file_errors


class Target(Protocol):
    """A file of a host, and what remem adds to it."""

    @property
    def path(self) -> Path: ...

    def added(self, data: bytes | None) -> bytes:
        """The file with our additions; the same bytes if they are there already.

        Raises if the file cannot be parsed, or has somebody else's content under our name.
        """

    def cleared(self, data: bytes, before: Before) -> bytes | None:
        """The file without our additions; None if it should be removed."""


class Unknown:
    """Marks that there is no record of what the file was before."""


Before = bytes | None | Unknown
"""The file as it was before; None if it did not exist."""


def text_of(data: bytes, path: Path) -> str:
    """Decode a host's file; a byte order mark stays in the text."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise refusal(path, f"is not UTF-8 at byte {error.start}") from error


def refusal(path: Path, why: str) -> FileError:
    return FileError(f"{path} {why}", hint="fix it and try again; it was not changed")


def is_blank(data: bytes | None) -> bool:
    return not (data or b"").strip(b"\xef\xbb\xbf\r\n\t ")


_MAX_ATTEMPTS: Final = 8

Change = Callable[[bytes | None], bytes | None]
"""Maps the bytes of a file to the new ones; None stands for no file."""


def rewrite(path: Path, change: Change) -> bytes | None:
    """Apply `change` to a file; return its new bytes."""
    now = latest = atomic.read(path)
    displaced: list[Path] = []
    for _ in range(_MAX_ATTEMPTS):
        wanted = change(latest)
        if wanted == now:
            _remove_displaced(displaced)
            return now
        outcome, found, aside = _put(path, wanted, now)
        if outcome == "swapped":
            if aside is not None and now is not None:
                atomic.remove_if_unchanged(aside, atomic.digest(now))
            _remove_displaced(displaced)
            return wanted
        if outcome == "displaced":
            now, latest = wanted, found
            displaced += [aside] if aside else []
        else:
            now = latest = found
    raise FileError(f"{path} keeps changing", hint="close the program that keeps saving it")


def strays(path: Path) -> list[Path]:
    """Temporary files that an interrupted write of this file left in its folder."""
    found = atomic.strays(path.parent) if path.parent.is_dir() else ()
    return [stray for stray in found if stray.name.startswith(f".{path.name}.")]


def missing_folders(path: Path) -> int:
    """The number of folders that must be created for a file."""
    return sum(not parent.exists() for parent in path.parents)


def remove_folders(path: Path, most: int) -> None:
    """Remove the folders that were created for a file, as long as they are empty."""
    for folder in list(path.parents)[:most]:
        if not folder.is_dir() or any(folder.iterdir()):
            return
        with file_errors(folder, "removed"):
            folder.rmdir()


def _put(
    path: Path, wanted: bytes | None, now: bytes | None
) -> tuple[atomic.Outcome, bytes | None, Path | None]:
    if now is None:
        assert wanted is not None, "there is nothing to write or remove"
        created = atomic.create(path, wanted)
        return ("swapped", None, None) if created else ("changed", atomic.read(path), None)
    keep = _free_name(path)
    if wanted is None:
        atomic.set_aside(path, keep)
        found = atomic.read(keep)
        return ("swapped" if found == now else "displaced"), found, keep
    swapped = atomic.swap(
        path, wanted, expected=atomic.digest(now), keep=keep, conflict=_free_name(path)
    )
    return swapped.outcome, swapped.found, swapped.kept


def _free_name(path: Path) -> Path:
    """A free name in the same folder, which `strays` finds after a crash."""
    return path.parent / f".{path.name}.{os.urandom(8).hex()}{TEMPORARY_SUFFIX}"


def _remove_displaced(displaced: list[Path]) -> None:
    """Remove versions that the host wrote meanwhile and that are already part of the result."""
    for path in displaced:
        data = atomic.read(path)
        if data is not None:
            atomic.remove_if_unchanged(path, atomic.digest(data))


MARK: Final = b"written by `remem connect`"
"""Marks files that remem wrote; a person who takes over such a file removes the mark."""


@dataclass(frozen=True, slots=True)
class WholeFile:
    """A file that only remem writes."""

    path: Path
    content: bytes
    mark: bytes = MARK

    def added(self, data: bytes | None) -> bytes:
        if data is not None and data != self.content and self.mark not in data:
            raise NotAllowed(
                f"{self.path} already exists, and remem did not write it",
                hint="move it away; it was not changed",
            )
        return self.content

    def cleared(self, data: bytes, before: Before) -> bytes | None:
        if self.mark not in data:
            return data
        return None if isinstance(before, Unknown) else before
