"""How is a whole workspace kept? Each scope at one moment, under its lock, into one place."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

from remem.core.odd_names import portable, printable
from remem.core.scope import Session
from remem.errors import FileError, InvalidInput, StoreDamaged
from remem.maintenance.backup import Backup, files_to_keep
from remem.maintenance.initialise import require_database
from remem.notes import archive, files
from remem.notes.archive import Listed, Manifest
from remem.notes.layout import Layout
from remem.notes.locks import alone
from remem.stores.sqlite.backup import copy_database
from remem.stores.sqlite.examine import examine
from remem.wiring import open_workspace, owner_sessions, system_clock

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
    beside = files.unused(target.parent, f".{target.name}")
    files.make_folder(beside)
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
            files.set_aside(beside, target)
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
    files.make_folder(copy.parent)
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
