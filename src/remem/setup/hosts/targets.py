"""Add remem to the files of a host, and remove it again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from remem.errors import FileError, NotAllowed
from remem.files.disk import file_errors

MARK: Final = b"written by `remem connect`"
"""Marks files that remem wrote; without the mark, the file belongs to a person."""


class HostTarget(Protocol):
    """A file of a host, and what remem adds to it."""

    @property
    def path(self) -> Path: ...

    def with_additions(self, data: bytes | None) -> bytes:
        """Return the file with our additions; unchanged if they are already there.

        Raise if the file cannot be parsed, or already has foreign content under our name.
        """

    def without_additions(self, data: bytes, before: Before) -> bytes | None:
        """Return the file without our additions; None if it should be removed."""


class Unknown:
    """Stands for the earlier content of a file if it was not recorded."""


Before = bytes | None | Unknown
"""The content of a file from before remem changed it; None if the file did not exist."""


def text_of(data: bytes, path: Path) -> str:
    """Decode a host's file; a byte order mark is kept in the text."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise refusal(path, f"is not UTF-8 at byte {error.start}") from error


def refusal(path: Path, reason: str) -> FileError:
    """Return the error for a settings file that remem does not change."""
    return FileError(f"{path} {reason}", hint="fix it and try again; it was not changed")


def is_blank(data: bytes | None) -> bool:
    """Return whether a file is missing, or contains only white space."""
    return not (data or b"").strip(b"\xef\xbb\xbf\r\n\t ")


def missing_folders(path: Path) -> int:
    """Return the number of folders that must be created for a file."""
    return sum(not parent.exists() for parent in path.parents)


def remove_folders(path: Path, count: int) -> None:
    """Remove the folders that were created for a file, as long as they are empty."""
    for folder in list(path.parents)[:count]:
        if not folder.is_dir() or any(folder.iterdir()):
            return
        with file_errors(folder, "removed"):
            folder.rmdir()


@dataclass(frozen=True, slots=True)
class WholeFile:
    """A file that only remem writes."""

    path: Path
    content: bytes
    mark: bytes = MARK

    def with_additions(self, data: bytes | None) -> bytes:
        if data is not None and data != self.content and self.mark not in data:
            raise NotAllowed(
                f"{self.path} already exists, and remem did not write it",
                hint="rename or move it, then run the command again; it was not changed",
            )
        return self.content

    def without_additions(self, data: bytes, before: Before) -> bytes | None:
        if self.mark not in data:
            return data
        return None if isinstance(before, Unknown) else before
