"""Which files of a workspace belong into a backup? Everything that is not derived, and what a
person may have written; links are named, not followed."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from remem.config import EXAMPLE
from remem.core.archive_names import TREES
from remem.notes import files
from remem.notes.layout import Layout

_LEFT: Final = ("aside", "damaged", "mending", "before-restore", "passages", "entries.db", "tokens")
_OURS: Final = ".remem"
_MAIN: Final = "main"
_LINK: Final = "it is a symbolic link"


@dataclass(frozen=True, slots=True)
class Backup:
    """What was kept, and where; `left_out` names what was not, `reasons` why, in its order."""

    path: str
    files: int
    bytes: int
    entries: dict[str, int]
    left_out: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Restored:
    """What came back; `kept` is where that lies which was there before."""

    path: str
    files: int
    entries: dict[str, int]
    erased: tuple[str, ...] = ()
    kept: str | None = None


def files_to_keep(layout: Layout) -> Iterator[tuple[Path, str, str | None]]:
    """Each file with its path in the workspace; and, for one that cannot be taken along, why."""
    unlisted: list[OSError] = []
    for path in sorted(layout.root.glob("*.md")):
        yield path, path.name, _reason(path)
    for tree in TREES:
        for place, folders, names in os.walk(layout.root / tree, onerror=unlisted.append):
            here = Path(place)
            folders[:] = sorted(name for name in folders if _wanted(layout, here / name))
            for name in sorted(names):
                path = here / name
                if _wanted(layout, path):
                    yield path, path.relative_to(layout.root).as_posix(), _reason(path)
            for name in folders:
                if (here / name).is_symlink():
                    yield here / name, (here / name).relative_to(layout.root).as_posix(), _LINK
    for error in unlisted:
        folder = Path(os.fsdecode(error.filename))
        if error.errno != errno.ENOENT:
            reason = f"the folder cannot be listed: {error.strerror}"
            yield folder, folder.relative_to(layout.root).as_posix(), reason


def present(layout: Layout) -> list[Path]:
    """What a restore would meet: the pieces of a workspace that hold a file."""
    pieces = [*sorted(layout.root.glob("*.md")), *(layout.root / tree for tree in TREES)]
    return [each for each in pieces if each.is_symlink() or _holds_a_file(each)]


def _holds_a_file(path: Path) -> bool:
    if not path.is_dir():
        return path.exists()
    found = (each for each in path.rglob("*") if not each.is_dir())
    return any(each.suffix != ".lock" and not _is_example(each) for each in found)


def _is_example(path: Path) -> bool:
    """What an initialisation leaves, and nobody has changed."""
    if path.name == "config.toml":
        return files.read(path) == EXAMPLE.encode()
    return path.name in ("workspace.key", ".gitignore")


def _wanted(layout: Layout, path: Path) -> bool:
    """Of what remem keeps for itself, not the derived and not the transient. What a person has
    named, a room or a file that met a write, may be called as they are."""
    parts = path.relative_to(layout.root).parts
    if parts[0] != _OURS or len(parts) not in (2, 3 if parts[1] == _MAIN else 4):
        return True
    return not (
        path.name.startswith(_LEFT) or path.name.endswith((".lock", ".seq", "-wal", "-shm"))
    )


def _reason(path: Path) -> str | None:
    """Why a file cannot be taken along; None if nothing speaks against it."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return "it was removed meanwhile"
    except OSError as error:
        return f"it cannot be looked at: {error.strerror}"
    if stat.S_ISLNK(mode):
        return _LINK
    return None if stat.S_ISREG(mode) else "it is not a regular file"
