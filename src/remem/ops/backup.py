"""Which files of a workspace belong into a backup? Everything that is not derived, and what a
person may have written; links are named, not followed.

How is a whole workspace kept? Each scope at one moment, under its lock, into one place.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from remem.app.opening import open_workspace, owner_sessions, system_clock
from remem.config import EXAMPLE
from remem.errors import FileError, InvalidInput, StoreDamaged
from remem.files import archive, atomic
from remem.files.archive import TREES, Listed, Manifest
from remem.files.layout import Layout
from remem.files.locks import alone
from remem.model.scope import Session
from remem.setup.init import require_database
from remem.store.sqlite.entries import copy_database
from remem.store.sqlite.examine import examine
from remem.text.odd_names import portable, printable

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
    return [piece for piece in pieces if piece.is_symlink() or _holds_a_file(piece)]


def _holds_a_file(path: Path) -> bool:
    if not path.is_dir():
        return path.exists()
    found = (each for each in path.rglob("*") if not each.is_dir())
    return any(path.suffix != ".lock" and not _is_example(path) for path in found)


def _is_example(path: Path) -> bool:
    """What an initialisation leaves, and nobody has changed."""
    if path.name == "config.toml":
        return atomic.read(path) == EXAMPLE.encode()
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


Tell = Callable[[str], None]
_NOBODYS: Final = "it belongs to no scope that is known"
_LONGEST: Final = 255  # bytes in a name, on almost every disk


def back_up(layout: Layout, target: Path, tell: Tell = lambda _: None) -> Backup:
    """Keep databases and files in a new folder, or in one file where the name says so."""
    target = target.parent.resolve() / target.name
    if target.is_relative_to(layout.root.resolve()):
        raise InvalidInput(f"{target} lies in the workspace itself", hint="choose another place")
    if target.exists():
        raise FileError(f"{target} exists already", hint="a backup never replaces anything")
    sessions, nameless = owner_sessions(layout)
    beside = atomic.unused(target.parent, f".{target.name}")
    atomic.make_folder(beside)
    try:
        listed: list[Listed] = []
        entries: dict[str, int] = {}
        for session in sessions:
            tell(f"copying {session.scope}")
            _copy_entries(layout, session, beside, listed, entries)
        left_out = {path.relative_to(layout.root).as_posix(): _NOBODYS for path in nameless}
        tell("copying files")
        for path, name, reason in files_to_keep(layout):
            kept = reason or _kept(path, name, beside)
            if isinstance(kept, Listed):
                listed.append(kept)
            else:
                left_out[printable(name)] = kept
        manifest = Manifest(system_clock(), tuple(listed), entries, tuple(left_out))
        archive.write_manifest(beside, manifest)
        if target.name.endswith(archive.PACKED):
            archive.pack(beside, target, manifest)
        else:
            atomic.set_aside(beside, target)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    size = sum(each.size for each in listed)
    reasons = tuple(left_out.values())
    return Backup(str(target), len(listed), size, entries, tuple(left_out), reasons)


def _kept(path: Path, name: str, beside: Path) -> Listed | str:
    """A file, copied; or why it could not be read, which is no reason to give up the others."""
    stored, escaped = portable(name)
    if any(len(part.encode()) > _LONGEST for part in stored.split("/")):
        return "its name is too long to be written in a portable form; rename it"
    target = beside / stored
    try:
        got = archive.copied(path, target)
    except FileError as error:
        target.unlink(missing_ok=True)
        return printable(str(error.args[0]))
    return Listed(stored, got.size, got.sha256, escaped)


def _copy_entries(
    layout: Layout, session: Session, beside: Path, listed: list[Listed], entries: dict[str, int]
) -> None:
    """A scope's database at one moment. Nobody writes its files meanwhile, so that none of
    them can be ahead of it; what the copy is ahead of, its outbox names."""
    assert session.scope is not None
    database = layout.database(session.scope)
    require_database(database, layout.domains(session.scope))
    if not database.exists():
        return
    with open_workspace(layout.root, session, background=False) as workspace:
        workspace.write_files()
    copy = beside / database.relative_to(layout.root)
    atomic.make_folder(copy.parent)
    with alone(layout.state_folder(session.scope) / "files.lock"):
        copy_database(database, copy)
    found = examine(copy)
    if not found.sound:
        raise StoreDamaged(
            f"{database} is damaged, and a backup of it would be no better",
            hint="run `remem doctor --repair` first",
        )
    got = archive.measured(copy)
    listed.append(Listed(copy.relative_to(beside).as_posix(), got.size, got.sha256))
    entries[str(session.scope)] = found.entries
