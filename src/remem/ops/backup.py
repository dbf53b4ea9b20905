"""Back up a whole workspace into one folder or archive.

A backup contains all data that is not derived, and all files that a person may have written. Each
scope is copied at one point in time, under its lock. Symbolic links are reported, not followed.
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

from remem.app.opening import all_scopes, open_scope, system_clock
from remem.app.stores import require_database, require_sqlite
from remem.errors import FileError, InvalidInput, StoreDamaged
from remem.files import archive, atomic
from remem.files.archive import TREES, BackupFile, Manifest
from remem.files.disk import make_folder
from remem.files.layout import Layout
from remem.files.locks import exclusive_lock
from remem.model.scope import Scope
from remem.store.sqlite.entries import copy_database
from remem.store.sqlite.examine import examine
from remem.text.path_escapes import portable, portable_twin, printable

_SKIPPED_PREFIXES: Final = (
    "aside",
    "damaged",
    "mending",
    "before-restore",
    "passages",
    "entries.db",
    "tokens",
)
_STATE_FOLDER: Final = ".remem"
_MAIN: Final = "main"
_LINK: Final = "it is a symbolic link"
_NO_SCOPE: Final = "it does not belong to a known scope"
_MAX_NAME_BYTES: Final = 255  # on almost every file system

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Backup:
    """The result of a backup.

    `left_out` lists the files that are not in it, and `reasons` says why, in the same order.
    """

    path: str
    files: int
    bytes: int
    entries: dict[str, int]
    left_out: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()


def _files(layout: Layout) -> Iterator[tuple[Path, str, str | None]]:
    """Yield each file to back up, its path in the workspace, and why it cannot be copied."""
    errors: list[OSError] = []
    for path in sorted(layout.root.glob("*.md")):
        yield path, path.name, _reason(path)
    for tree in TREES:
        for folder, folders, names in os.walk(layout.root / tree, onerror=errors.append):
            parent = Path(folder)
            folders[:] = sorted(
                name for name in folders if _belongs_in_backup(layout, parent / name)
            )
            for name in sorted(names):
                path = parent / name
                if _belongs_in_backup(layout, path):
                    yield path, layout.relative(path), _reason(path)
            for name in folders:
                if (parent / name).is_symlink():
                    yield parent / name, layout.relative(parent / name), _LINK
    for error in errors:
        path = Path(os.fsdecode(error.filename))
        if error.errno != errno.ENOENT:
            yield path, layout.relative(path), f"the folder cannot be listed: {error.strerror}"


def _belongs_in_backup(layout: Layout, path: Path) -> bool:
    """Return whether a path belongs in a backup.

    Derived and temporary files, which are directly in a state folder, do not.
    """
    parts = path.relative_to(layout.root).parts
    if parts[0] != _STATE_FOLDER or len(parts) not in (2, 3 if parts[1] == _MAIN else 4):
        return True
    return not (
        path.name.startswith(_SKIPPED_PREFIXES)
        or path.name.endswith((".lock", ".seq", "-wal", "-shm"))
    )


def _reason(path: Path) -> str | None:
    """Return why a file cannot be copied; None if it can."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return "it was removed during the backup"
    except OSError as error:
        return f"it cannot be read: {error.strerror}"
    if stat.S_ISLNK(mode):
        return _LINK
    return None if stat.S_ISREG(mode) else "it is not a regular file"


def back_up(layout: Layout, target: Path, progress: Progress = lambda _: None) -> Backup:
    """Copy databases and files into a new folder.

    If the name of the target has the suffix of an archive, they are packed into one.
    """
    target = target.parent.resolve() / target.name
    if target.is_relative_to(layout.root.resolve()):
        raise InvalidInput(
            f"{target} is inside the workspace", hint="choose a path outside the workspace"
        )
    if target.exists():
        raise FileError(
            f"{target} already exists",
            hint="choose another name; a backup never overwrites anything",
        )
    require_sqlite(
        layout,
        "`remem backup` cannot copy them",
        "back up the database with pg_dump and the files with git or a copy, or run "
        "`remem export`; see docs/guides/team.md",
    )
    scopes, nameless = all_scopes(layout)
    staging = atomic.unused_path(target.parent, f".{target.name}")
    make_folder(staging)
    try:
        files: list[BackupFile] = []
        entries: dict[str, int] = {}
        for scope in scopes:
            progress(f"copying {scope}")
            _copy_entries(layout, scope, staging, files, entries)
        left_out = {layout.relative(path): _NO_SCOPE for path in nameless}
        progress("copying files")
        taken_names = {archive.folded_name(file.path) for file in files}
        for path, name, reason in _files(layout):
            copy_or_reason = reason or _copy_file(path, name, staging, taken_names)
            if isinstance(copy_or_reason, BackupFile):
                files.append(copy_or_reason)
            else:
                left_out[printable(name)] = copy_or_reason
        manifest = Manifest(system_clock(), tuple(files), entries, tuple(left_out))
        archive.write_manifest(staging, manifest)
        if target.name.endswith(archive.ARCHIVE_SUFFIXES):
            archive.pack(staging, target, manifest)
        else:
            atomic.set_aside(staging, target)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    size = sum(file.size for file in files)
    reasons = tuple(left_out.values())
    return Backup(str(target), len(files), size, entries, tuple(left_out), reasons)


def _copy_file(path: Path, name: str, staging: Path, taken_names: set[str]) -> BackupFile | str:
    """Copy a file, and return its record; if it cannot be copied, return the reason.

    `taken_names` are the folded names of the copies so far; another name is used instead of them.
    """
    copy_name, escaped = portable(name)
    if archive.folded_name(copy_name) in taken_names:
        copy_name, escaped = portable_twin(name), True
    if any(len(part.encode()) > _MAX_NAME_BYTES for part in copy_name.split("/")):
        return "its name is too long to be written in a portable form; rename it"
    target = staging / copy_name
    try:
        copied = archive.copy_file(path, target)
    except FileError as error:
        target.unlink(missing_ok=True)
        return printable(str(error.args[0]))
    taken_names.add(archive.folded_name(copy_name))
    return BackupFile(copy_name, copied.size, copied.sha256, escaped)


def _copy_entries(
    layout: Layout,
    scope: Scope,
    staging: Path,
    files: list[BackupFile],
    entries: dict[str, int],
) -> None:
    """Copy the database of a scope, and add it to `files` and its entries to `entries`.

    Domain files are not written during the copy, so none is newer than the copy. If one is older,
    it is in the outbox of the copy.
    """
    database = layout.database(scope)
    require_database(database, layout.domains(scope))
    if not database.exists():
        return
    with open_scope(layout, scope) as workspace:
        workspace.sync()
    copy = staging / database.relative_to(layout.root)
    make_folder(copy.parent)
    with exclusive_lock(layout.state_folder(scope) / "files.lock"):
        copy_database(database, copy)
    result = examine(copy)
    if not result.intact:
        raise StoreDamaged(
            f"{database} is damaged, and its backup would be damaged too",
            hint="run `remem doctor --repair` first",
        )
    measured = archive.measure_file(copy)
    files.append(BackupFile(copy.relative_to(staging).as_posix(), measured.size, measured.sha256))
    entries[str(scope)] = result.entries
