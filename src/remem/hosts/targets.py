"""What is one file of a host, seen from remem? Something of ours can be put into it and taken out.

Bytes in, bytes out: nothing here opens a file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from remem.errors import FileError


class Target(Protocol):
    """A file of a host, and what belongs into it."""

    @property
    def path(self) -> Path: ...

    def added(self, data: bytes | None) -> bytes:
        """The file with all of ours in it; the same bytes where it is there already.

        A file that cannot be understood, or that holds another's under our name, is refused.
        """

    def cleared(self, data: bytes, before: Before) -> bytes | None:
        """The file without anything of ours; None if nothing is left that was there before."""


class Unknown:
    """There is no record of what the file was before."""


Before = bytes | None | Unknown
"""The file as it was before; None where there was none."""


def text_of(data: bytes, path: Path) -> str:
    """The text of a host's file; the mark of byte order stays in it."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise refused(path, f"is not UTF-8 at byte {error.start}") from error


def refused(path: Path, why: str) -> FileError:
    return FileError(f"{path} {why}", hint="mend it and try again; it was not touched")


def is_blank(data: bytes | None) -> bool:
    return not (data or b"").strip(b"\xef\xbb\xbf\r\n\t ")
