"""How is a host's file changed while the host itself may be writing it? Its latest bytes count.

The old file goes out beside its place, because a home and a workspace may lie on two disks, and
is removed once it is certain that nobody wrote into it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from remem.errors import FileError
from remem.notes import files
from remem.notes.disk import FRESH, explained

_TRIES: Final = 8

Change = Callable[[bytes | None], bytes | None]
"""From the bytes of a file to those that should stand there; None for no file."""


def rewrite(path: Path, change: Change) -> bytes | None:
    """Make a file what `change` makes of it; what it holds in the end."""
    now = latest = files.read(path)
    taken: list[Path] = []
    for _ in range(_TRIES):
        wanted = change(latest)
        if wanted == now:
            _forget(taken)
            return now
        outcome, found, kept = _put(path, wanted, now)
        if outcome == "swapped":
            if kept is not None and now is not None:
                files.settle(kept, files.digest(now))
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
    found = files.strays(path.parent) if path.parent.is_dir() else ()
    return [each for each in found if each.name.startswith(f".{path.name}.")]


def missing_folders(path: Path) -> int:
    """How many folders have to be made for a file."""
    return sum(not each.exists() for each in path.parents)


def remove_folders(path: Path, most: int) -> None:
    """Remove the folders above a file that were made for it, as far as they are empty."""
    for folder in list(path.parents)[:most]:
        if not folder.is_dir() or any(folder.iterdir()):
            return
        with explained(folder, "removed"):
            folder.rmdir()


def _put(
    path: Path, wanted: bytes | None, now: bytes | None
) -> tuple[files.Outcome, bytes | None, Path | None]:
    if now is None:
        assert wanted is not None, "nothing is to be written over nothing"
        created = files.create(path, wanted)
        return ("swapped", None, None) if created else ("changed", files.read(path), None)
    keep = _beside(path)
    if wanted is None:
        files.set_aside(path, keep)
        found = files.read(keep)
        return ("swapped" if found == now else "displaced"), found, keep
    swapped = files.swap(
        path, wanted, expected=files.digest(now), keep=keep, conflict=_beside(path)
    )
    return swapped.outcome, swapped.found, swapped.kept


def _beside(path: Path) -> Path:
    """A free name in the same folder, which `strays` finds after a kill."""
    return path.parent / f".{path.name}.{os.urandom(8).hex()}{FRESH}"


def _forget(taken: list[Path]) -> None:
    """Files of the host that came out by chance: what they said has been taken in."""
    for each in taken:
        data = files.read(each)
        if data is not None:
            files.settle(each, files.digest(data))
