"""Restore a workspace from a backup.

The backup is unpacked into a folder inside the workspace and verified. Entries and shared spaces
that were erased since are erased from it, and then it is moved into place. The previous files are
kept.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from remem.app.opening import all_scopes, open_scope
from remem.app.stores import require_sqlite
from remem.entries.spaces.listing import deleted_spaces
from remem.errors import FileError, InvalidInput, RememError
from remem.files import archive, atomic, workspace_key
from remem.files.archive import TREES, Manifest
from remem.files.disk import file_errors, make_folder
from remem.files.layout import Layout
from remem.files.spaces import SpacesFile, remove_space_files
from remem.model.scope import Scope
from remem.ops.scope_check import checkable_scopes
from remem.ports.records import Tombstone
from remem.ports.spaces import SpaceListContent
from remem.store.sqlite.erasing import tombstones_in
from remem.store.sqlite.examine import examine
from remem.store.sqlite.process_lock import exclusive_access


@dataclass(frozen=True, slots=True)
class RestoreReport:
    """The result of a restore.

    `erased` are the ids of entries that were erased again, and `kept` is the folder of the previous
    files. `unread` are the scopes whose previous database could not be read, so that memories that
    were erased there may be back.
    """

    path: str
    files: int
    entries: dict[str, int]
    erased: tuple[str, ...] = ()
    kept: str | None = None
    unread: tuple[str, ...] = ()


def restore(layout: Layout, source: Path, *, force: bool = False) -> RestoreReport:
    """Restore a backup into an empty folder; with `force`, existing files are moved aside."""
    require_sqlite(
        layout,
        "a backup of database files cannot be restored there",
        "restore it where REMEM_STORE is not set, then run `remem copy --to URL`",
    )
    existing = _existing_parts(layout)
    if existing and not force:
        raise FileError(
            f"{layout.root} is not empty: it contains {existing[0].name}",
            hint="restore into another folder, or use --force, which moves existing files aside",
        )
    make_folder(layout.root)
    staging = atomic.unused_path(layout.root, ".restoring")
    make_folder(staging)
    try:
        manifest = archive.unpack(source, staging)
        _require_intact(staging, manifest)
        with ExitStack() as locks:
            for scope in _scopes(layout):
                locks.enter_context(exclusive_access(layout.state_folder(scope)))
            _delete_spaces_again(Layout(staging), layout)
            tombstones = dict(_tombstones(layout))
            erased = list(_erase_again(Layout(staging), tombstones))
            if existing:  # an empty workspace has no proofs that must stay valid
                workspace_key.carry_over(layout, Layout(staging))
            previous = _exchange(layout, staging, existing)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return RestoreReport(
        str(layout.root),
        len(manifest.files),
        manifest.entries,
        tuple(erased),
        layout.relative(previous) if previous else None,
        tuple(scope for scope, erased_there in tombstones.items() if erased_there is None),
    )


def _existing_parts(layout: Layout) -> list[Path]:
    """Return the files and non-empty folders of a workspace that a restore replaces."""
    parts = [*sorted(layout.root.glob("*.md")), *(layout.root / tree for tree in TREES)]
    return [part for part in parts if part.is_symlink() or _has_files(part)]


def _has_files(path: Path) -> bool:
    """Return whether a path is a file, or a folder with files other than new ones of remem."""
    if not path.is_dir():
        return path.exists()
    is_state_folder = path.name == ".remem"
    with file_errors(path, "read"):
        for parent, folders, names in os.walk(path, onerror=_raise):
            for file in (Path(parent, name) for name in (*names, *folders)):
                if file.is_dir() and not file.is_symlink():
                    continue
                if not (is_state_folder and (file.suffix == ".lock" or _is_as_initialised(file))):
                    return True
    return False


def _raise(error: OSError) -> None:
    raise error


def _is_as_initialised(path: Path) -> bool:
    """Return whether a file is as `remem init` wrote it; the configuration then sets nothing."""
    if path.name == "config.toml":
        lines = (atomic.read(path) or b"").splitlines()
        return all(not line or line.startswith(b"#") for line in lines)
    return path.name in ("workspace.key", ".gitignore")


def _require_intact(staging: Path, manifest: Manifest) -> None:
    """Check that all databases are intact and have as many entries as the manifest says."""
    entries = 0
    for file in manifest.files:
        if file.path.endswith("/entries.db"):
            result = examine(staging / file.path)
            if not result.intact:
                raise InvalidInput(
                    f"{file.path} in the backup is damaged; nothing was restored",
                    hint="restore another backup",
                )
            entries += result.entries
    if entries != sum(manifest.entries.values()):
        raise InvalidInput(
            "the number of entries in the backup differs from its manifest; nothing was restored",
            hint="restore another backup",
        )


def _scopes(layout: Layout) -> list[Scope]:
    """Return the scopes that have a state folder here, even if the list of rooms is broken."""
    return [scope for scope in checkable_scopes(layout) if layout.state_folder(scope).is_dir()]


def _tombstones(layout: Layout) -> Iterator[tuple[str, list[Tombstone] | None]]:
    """Yield the name of each scope with its tombstones, or None if they cannot be read."""
    for scope in _scopes(layout):
        database = layout.database(scope)
        if not database.exists() or not database.stat().st_size:
            continue
        try:
            yield str(scope), tombstones_in(database)
        except RememError:
            yield str(scope), None


def _erase_again(
    staged_layout: Layout, tombstones: Mapping[str, list[Tombstone] | None]
) -> Iterator[str]:
    for scope in all_scopes(staged_layout)[0]:
        erased = tombstones.get(str(scope))
        if not erased:
            continue
        with open_scope(staged_layout, scope) as workspace:
            yield from workspace.services.erasure.add_tombstones(erased)


def _delete_spaces_again(staged_layout: Layout, layout: Layout) -> None:
    """Delete the spaces of the backup that were deleted here since."""
    deleted = deleted_spaces(SpacesFile(layout))
    if not deleted:
        return
    tombstones = SpacesFile(layout).read().deleted

    def delete_all(spaces: SpaceListContent) -> None:
        for name in deleted:
            spaces.delete(tombstones[name])

    for name in deleted:
        remove_space_files(staged_layout, name)
    SpacesFile(staged_layout).change(delete_all)


def _exchange(layout: Layout, staging: Path, existing: list[Path]) -> Path | None:
    """Move the restored files into place; return the folder of the previous ones, if there are any.

    The folder `.remem` is moved last, so that an incomplete workspace cannot be opened.
    """
    previous = atomic.unused_path(layout.root, ".before-restore") if existing else None
    for piece in existing:
        assert previous is not None
        atomic.set_aside(piece, previous / piece.name)
    pieces = sorted(staging.iterdir(), key=lambda piece: (piece.name == ".remem", piece.name))
    for piece in pieces:
        target = layout.root / piece.name
        if target.is_dir():
            shutil.rmtree(target)  # `_existing_parts` found no files in it
        atomic.set_aside(piece, target)
    return previous
