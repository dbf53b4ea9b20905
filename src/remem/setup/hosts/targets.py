"""How does a file that is remem's alone come into a host's folder, and out of it?

What is one file of a host, seen from remem? Something of ours can be put into it and taken out.

Bytes in, bytes out: nothing here opens a file.

How is a host's file changed while the host itself may be writing it? Its latest bytes count.

The old file goes out beside its place, because a home and a workspace may lie on two disks, and
is removed once it is certain that nobody wrote into it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from remem.errors import FileError, NotAllowed
from remem.files import atomic
from remem.files.disk import FRESH, explained


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


_TRIES: Final = 8

Change = Callable[[bytes | None], bytes | None]
"""From the bytes of a file to those that should stand there; None for no file."""


def rewrite(path: Path, change: Change) -> bytes | None:
    """Make a file what `change` makes of it; what it holds in the end."""
    now = latest = atomic.read(path)
    taken: list[Path] = []
    for _ in range(_TRIES):
        wanted = change(latest)
        if wanted == now:
            _forget(taken)
            return now
        outcome, found, kept = _put(path, wanted, now)
        if outcome == "swapped":
            if kept is not None and now is not None:
                atomic.settle(kept, atomic.digest(now))
            _forget(taken)
            return wanted
        if outcome == "displaced":
            now, latest = wanted, found
            taken += [kept] if kept else []
        else:
            now = latest = found
    raise FileError(
        f"{path} changes too fast to be written", hint="close the program that keeps saving it"
    )


def strays(path: Path) -> list[Path]:
    """What a killed write of this file has left beside it."""
    found = atomic.strays(path.parent) if path.parent.is_dir() else ()
    return [each for each in found if each.name.startswith(f".{path.name}.")]


def missing_folders(path: Path) -> int:
    """How many folders have to be made for a file."""
    return sum(not parent.exists() for parent in path.parents)


def remove_folders(path: Path, most: int) -> None:
    """Remove the folders above a file that were made for it, as far as they are empty."""
    for folder in list(path.parents)[:most]:
        if not folder.is_dir() or any(folder.iterdir()):
            return
        with explained(folder, "removed"):
            folder.rmdir()


def _put(
    path: Path, wanted: bytes | None, now: bytes | None
) -> tuple[atomic.Outcome, bytes | None, Path | None]:
    if now is None:
        assert wanted is not None, "nothing is to be written over nothing"
        created = atomic.create(path, wanted)
        return ("swapped", None, None) if created else ("changed", atomic.read(path), None)
    keep = _beside(path)
    if wanted is None:
        atomic.set_aside(path, keep)
        found = atomic.read(keep)
        return ("swapped" if found == now else "displaced"), found, keep
    swapped = atomic.swap(
        path, wanted, expected=atomic.digest(now), keep=keep, conflict=_beside(path)
    )
    return swapped.outcome, swapped.found, swapped.kept


def _beside(path: Path) -> Path:
    """A free name in the same folder, which `strays` finds after a kill."""
    return path.parent / f".{path.name}.{os.urandom(8).hex()}{FRESH}"


def _forget(taken: list[Path]) -> None:
    """Files of the host that came out by chance: what they said has been taken in."""
    for path in taken:
        data = atomic.read(path)
        if data is not None:
            atomic.settle(path, atomic.digest(data))


MARK: Final = b"written by `remem connect`"
"""Stands in every file that is ours whole; a person who makes it his own takes it out."""


@dataclass(frozen=True, slots=True)
class WholeFile:
    """A file that nobody else writes."""

    path: Path
    content: bytes
    mark: bytes = MARK

    def added(self, data: bytes | None) -> bytes:
        if data is not None and data != self.content and self.mark not in data:
            raise NotAllowed(
                f"{self.path} is there already, and remem did not write it",
                hint="move it away; it was not touched",
            )
        return self.content

    def cleared(self, data: bytes, before: Before) -> bytes | None:
        if self.mark not in data:
            return data
        return None if isinstance(before, Unknown) else before
