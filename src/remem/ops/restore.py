"""How does a workspace come back from a backup? Unpacked and verified beside its place, cleaned
of what was erased since, then moved in; what was there is kept."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from remem.app.opening import open_workspace, owner_sessions
from remem.errors import FileError, InvalidInput, RememError
from remem.files import archive, atomic, workspace_key
from remem.files.archive import Manifest
from remem.files.layout import Layout
from remem.model.scope import Scope
from remem.ops.backup import Restored, present
from remem.ports.records import Tombstone
from remem.store.sqlite.erasing import tombstones_in
from remem.store.sqlite.examine import examine
from remem.store.sqlite.process_lock import alone


def restore(layout: Layout, source: Path, *, force: bool = False) -> Restored:
    """Bring a backup back into an empty place; with `force`, what is there is moved aside."""
    met = present(layout)
    if met and not force:
        raise FileError(
            f"{layout.root} is not empty: {met[0].name} is there",
            hint="restore into another folder, or use --force, which keeps what is there",
        )
    atomic.make_folder(layout.root)
    beside = atomic.unused(layout.root, ".restoring")
    atomic.make_folder(beside)
    try:
        manifest = archive.unpack(source, beside)
        _require_sound(beside, manifest)
        with ExitStack() as held:
            for scope in _scopes(layout):
                held.enter_context(alone(layout.state_folder(scope)))
            erased = list(_erase_again(Layout(beside), dict(_tombstones(layout))))
            if (
                met
            ):  # what was signed here stays valid; a workspace that is still empty signed nothing
                workspace_key.carry_over(layout, Layout(beside))
            kept = _exchange(layout, beside, met)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    where = kept.relative_to(layout.root).as_posix() if kept else None
    return Restored(str(layout.root), len(manifest.files), manifest.entries, tuple(erased), where)


def _require_sound(beside: Path, manifest: Manifest) -> None:
    """Every database holds what the manifest counts, down to the last record."""
    counted = 0
    for file in manifest.files:
        if file.path.endswith("/entries.db"):
            found = examine(beside / file.path)
            if not found.sound:
                raise InvalidInput(f"{file.path} in the backup is damaged; nothing was restored")
            counted += found.entries
    if counted != sum(manifest.entries.values()):
        raise InvalidInput("the backup does not hold the entries that it counts")


def _scopes(layout: Layout) -> list[Scope]:
    """Those that have a folder here already; a broken list of rooms does not stand in the way."""
    try:
        sessions, _ = owner_sessions(layout)
    except RememError:
        sessions, _ = owner_sessions(layout, rooms=False)
    scopes = [session.scope for session in sessions if session.scope is not None]
    return [scope for scope in scopes if layout.state_folder(scope).is_dir()]


def _tombstones(layout: Layout) -> Iterator[tuple[str, list[Tombstone]]]:
    """What was erased here; a database that cannot be read has no say."""
    for scope in _scopes(layout):
        database = layout.database(scope)
        if not database.exists() or not database.stat().st_size:
            continue
        try:
            yield str(scope), tombstones_in(database)
        except RememError:
            continue


def _erase_again(staged: Layout, buried: dict[str, list[Tombstone]]) -> Iterator[str]:
    for session in owner_sessions(staged)[0]:
        gone = buried.get(str(session.scope), [])
        if not gone:
            continue
        with open_workspace(staged.root, session, background=False) as workspace:
            yield from workspace.bury(gone)


def _exchange(layout: Layout, beside: Path, met: list[Path]) -> Path | None:
    """The state of remem comes in last: until then nothing can be opened and mistaken."""
    kept = atomic.unused(layout.root, ".before-restore") if met else None
    for piece in met:
        assert kept is not None
        atomic.set_aside(piece, kept / piece.name)
    pieces = sorted(beside.iterdir(), key=lambda each: (each.name == ".remem", each.name))
    for piece in pieces:
        target = layout.root / piece.name
        if target.is_dir():
            shutil.rmtree(target)  # `present` found nothing of anybody's in it
        atomic.set_aside(piece, target)
    return kept
