"""Rename a room, with its gate, its files, its entries and their history.

`remem rooms` finishes an interrupted rename; until then the room cannot be opened.
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
from remem.learn.first_gate import title_of
from remem.model.rooms import RoomName, Rooms, rooms_from
from remem.model.scope import Scope
from remem.ports.state import SCOPE
from remem.setup.rooms import move_transcript_permission, rename_in_list
from remem.store.sqlite.entries import SqliteStore
from remem.store.sqlite.process_lock import exclusive_access


def rename_room(layout: Layout, room: str, name: str) -> str:
    """Rename a room, and return its old name."""
    finish_renaming(layout)
    (line,) = rooms_from({room: name}).lines
    rooms = read_rooms(layout.root)
    found = rooms.resolve(line.channel, line.id)
    if not isinstance(found, RoomName):
        raise InvalidInput(f"the room {quoted(room)} cannot be renamed: {found.reason}")
    renaming = Renaming(found.name, line.name)
    if renaming.old == renaming.new:
        return found.name
    _require_free(layout, rooms, renaming)
    require_sqlite(
        layout,
        "a room cannot be renamed",
        "copy the workspace to SQLite with `remem copy --to sqlite`, rename the room there, and "
        "copy it back to a new workspace",
    )
    if layout.database(renaming.scopes[0]).exists():
        with open_scope(layout, renaming.scopes[0]) as workspace:
            workspace.sync()  # before the paths change
    with _exclusive(layout, renaming.scopes[0]):
        begin_renaming(layout, renaming)
    finish_renaming(layout)
    return found.name


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
    _write_owner(layout, new)
    _rename_gate(layout, old, new)
    move_transcript_permission(layout, renaming)
    for place in NAME_FILES:
        rename_in_list(layout, layout.root / place, renaming.old, renaming.new)
    end_renaming(layout)
    return True


def _exclusive(layout: Layout, scope: Scope) -> AbstractContextManager[None]:
    """Return a lock on the room's memory, which no server and no command may have open."""
    state = layout.state_folder(scope)
    return exclusive_access(state) if state.is_dir() else nullcontext()


def _require_free(layout: Layout, rooms: Rooms, renaming: Renaming) -> None:
    """Check that neither another room nor existing files have the new name."""
    lines = [line for line in rooms.lines if line.name == renaming.old]
    renamed = rooms_from({"-": renaming.new}).lines[0]
    others = [line for line in rooms.lines if line not in lines]
    if not isinstance(Rooms((*others, renamed)).resolve(None, "-"), RoomName):
        raise InvalidInput(f"another room already has the name {quoted(renaming.new)}")
    for _, target in _moves(layout, *renaming.scopes):
        if target.exists() or target.is_symlink():
            raise FileError(
                f"{target} already exists", hint="choose another name, or move it away first"
            )


def _moves(layout: Layout, old: Scope, new: Scope) -> Iterator[tuple[Path, Path]]:
    """Yield the old and the new path of everything that is moved.

    The state folder is last: while it has its old name, the renaming is not finished.
    """
    before, after = layout.gate(old), layout.gate(new)
    if before is not None and after is not None:
        yield before, after
    yield layout.domains(old).parent, layout.domains(new).parent
    yield layout.state_folder(old), layout.state_folder(new)


def _write_owner(layout: Layout, scope: Scope) -> None:
    """Record the new scope in the database and its folder."""
    if not layout.state_folder(scope).is_dir():
        return
    remove_scope_name(layout, scope)
    record_scope_name(layout, scope)
    if layout.database(scope).exists():
        with closing(SqliteStore(layout.database(scope))) as store:
            store.write(lambda tx: tx.put_record(SCOPE, "", str(scope)))


def _rename_gate(layout: Layout, old: Scope, new: Scope) -> None:
    """Replace the room's name in the title of its gate, and the paths of its files."""
    gate = layout.gate(new)
    if gate is None or not gate.exists():
        return
    old_path, new_path = (f"{layout.scope_folder(scope)}/".encode() for scope in (old, new))
    old_title, new_title = (f"# {title_of(scope)}".encode() for scope in (old, new))
    title = re.compile(rb"\A(\xef\xbb\xbf)?" + re.escape(old_title) + rb"(?=[ \t]*\r?\n)")

    def renamed(data: bytes | None) -> bytes | None:
        return data and title.sub(lambda match: (match[1] or b"") + new_title, data).replace(
            old_path, new_path
        )

    rewrite(layout, gate, renamed, new)
