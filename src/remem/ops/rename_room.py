"""Rename a room, with its gate, its files, its entries and their history.

During the renaming, which a file in `.remem` records, the room cannot be opened. `remem rooms`
finishes a renaming that was interrupted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, nullcontext
from pathlib import Path

from remem.app.opening import open_scope
from remem.app.stores import require_sqlite
from remem.errors import FileError, InvalidInput, quoted
from remem.files import atomic
from remem.files.layout import Layout
from remem.files.rewrite import rewrite
from remem.files.rooms import (
    NAME_FILES,
    Renaming,
    begin_renaming,
    end_renaming,
    read_rooms,
    unfinished_renaming,
)
from remem.files.scopes import record_scope_name, remove_scope_name
from remem.files.spaces import SpacesFile
from remem.learn.first_gate import title_of
from remem.learn.flush.state import move_files
from remem.model.rooms import RoomName, Rooms, rooms_from
from remem.model.scope import Scope
from remem.ports.entries import Transaction
from remem.ports.spaces import SpaceListContent
from remem.ports.state import SCOPE
from remem.setup.rooms import move_transcript_permission, rename_in_list
from remem.store.sqlite.entries import SqliteStore
from remem.store.sqlite.process_lock import exclusive_access


def rename_room(layout: Layout, room: str, name: str) -> str:
    """Rename a room, given by its id, and return its old name.

    Nothing is changed if it already has the new name.
    """
    finish_renaming(layout)
    (line,) = rooms_from({room: name}).lines
    rooms = read_rooms(layout.root)
    resolved = rooms.resolve(line.channel, line.id)
    if not isinstance(resolved, RoomName):
        raise InvalidInput(f"the room {quoted(room)} cannot be renamed: {resolved.reason}")
    renaming = Renaming(resolved.name, line.name)
    if renaming.old == renaming.new:
        return renaming.old
    _require_free(layout, rooms, renaming)
    require_sqlite(
        layout,
        "a room cannot be renamed",
        "copy the workspace to SQLite with `remem copy --to sqlite`, rename the room there, and "
        "copy it back to a new workspace",
    )
    old_scope, _ = renaming.scopes
    if layout.database(old_scope).exists():
        with open_scope(layout, old_scope) as workspace:
            workspace.sync()  # before the paths change
    with _exclusive(layout, old_scope):
        begin_renaming(layout, renaming)
    finish_renaming(layout)
    return renaming.old


def finish_renaming(layout: Layout) -> bool:
    """Finish an interrupted renaming; return False if there is none.

    It is safe to call this again after an error.
    """
    renaming = unfinished_renaming(layout)
    if renaming is None:
        return False
    old, new = renaming.scopes
    with _exclusive(layout, old):
        for source, target in _moves(layout, old, new):
            if source.exists():
                atomic.set_aside(source, target)
    _record_scope(layout, old, new)
    _rename_gate(layout, old, new)
    move_transcript_permission(layout, renaming)
    _move_grants(layout, renaming)
    for name_file in NAME_FILES:
        rename_in_list(layout, layout.root / name_file, renaming.old, renaming.new)
    end_renaming(layout)
    return True


def _exclusive(layout: Layout, scope: Scope) -> AbstractContextManager[None]:
    """Return a lock on the room's memory; it fails if a server or command has the memory open."""
    state = layout.state_folder(scope)
    return exclusive_access(state) if state.is_dir() else nullcontext()


def _require_free(layout: Layout, rooms: Rooms, renaming: Renaming) -> None:
    """Raise an error if another room, or files that exist already, have the new name."""
    lines = [line for line in rooms.lines if line.name == renaming.old]
    others = [line for line in rooms.lines if line not in lines]
    placeholder = "-"  # the id of a room that has the new name, next to all others
    renamed = rooms_from({placeholder: renaming.new}).lines
    if not isinstance(Rooms((*others, *renamed)).resolve(None, placeholder), RoomName):
        raise InvalidInput(f"another room already has the name {quoted(renaming.new)}")
    for _, target in _moves(layout, *renaming.scopes):
        if target.exists() or target.is_symlink():
            raise FileError(
                f"{target} already exists", hint="choose another name, or move it away first"
            )


def _moves(layout: Layout, old: Scope, new: Scope) -> Iterator[tuple[Path, Path]]:
    """Yield the old and the new path of everything that is moved.

    The state folder is last: while it has its old name, not everything has been moved.
    """
    old_gate, new_gate = layout.gate(old), layout.gate(new)
    if old_gate is not None and new_gate is not None:
        yield old_gate, new_gate
    yield layout.domains(old).parent, layout.domains(new).parent
    yield layout.state_folder(old), layout.state_folder(new)


def _record_scope(layout: Layout, old: Scope, new: Scope) -> None:
    """Record the new scope, and the new paths of its files, in its database and its folder.

    With the old paths, an unfinished flush would write its lessons to the files of the next room
    that gets the old name.
    """
    if not layout.state_folder(new).is_dir():
        return
    remove_scope_name(layout, new)
    record_scope_name(layout, new)
    if not layout.database(new).exists():
        return
    old_folder, new_folder = map(layout.scope_folder, (old, new))

    def new_path(path: str) -> str:
        if path == f"{old_folder}.md":  # the gate
            return f"{new_folder}.md"
        inside = path.removeprefix(f"{old_folder}/")
        return path if inside == path else f"{new_folder}/{inside}"

    def operation(tx: Transaction) -> None:
        tx.put_record(SCOPE, "", str(new))
        move_files(tx, new_path)

    with closing(SqliteStore(layout.database(new))) as store:
        store.write(operation)


def _move_grants(layout: Layout, renaming: Renaming) -> None:
    """Move the room's grants in shared spaces to its new name.

    Otherwise, the next room that gets the old name would have them.
    """
    old, new = map(str, renaming.scopes)
    list_ = SpacesFile(layout)

    def edit(spaces: SpaceListContent) -> None:
        for space in spaces.listed.values():
            if (level := space.grants.pop(old, None)) is not None:
                space.grants.setdefault(new, level)

    if any(old in space.grants for space in list_.read().listed.values()):
        list_.change(edit)


def _rename_gate(layout: Layout, old: Scope, new: Scope) -> None:
    """Replace the room's name in the title of its gate, and the paths of its files."""
    gate = layout.gate(new)
    if gate is None or not gate.exists():
        return
    old_path, new_path = (f"{layout.scope_folder(scope)}/".encode() for scope in (old, new))
    old_title, new_title = (f"# {title_of(scope)}".encode() for scope in (old, new))
    title = re.compile(rb"\A(\xef\xbb\xbf)?" + re.escape(old_title) + rb"(?=[ \t]*\r?\n)")

    def rename_paths(data: bytes | None) -> bytes | None:
        return data and title.sub(lambda match: (match[1] or b"") + new_title, data).replace(
            old_path, new_path
        )

    rewrite(layout, gate, rename_paths, new)
