"""How does a room get another name? Its memory moves along, whole: the gate, the files, the
entries with their history. What a kill interrupts, the next look at the rooms finishes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from remem.app.opening import open_workspace, owner_session
from remem.errors import FileError, InvalidInput, shown
from remem.files import atomic
from remem.files.layout import Layout
from remem.files.rewrite import rewrite
from remem.files.rooms import (
    PLACES,
    Renaming,
    begin_renaming,
    end_renaming,
    read_rooms,
    unfinished_renaming,
)
from remem.files.scopes import forget_name, leave_name
from remem.learn.first_gate import title_of
from remem.model.rooms import RoomName, Rooms, rooms_from
from remem.model.scope import Scope
from remem.setup.rooms import allow_anew, named_anew
from remem.store.sqlite.entries import SqliteStore
from remem.store.sqlite.process_lock import alone


def rename_room(layout: Layout, room: str, name: str) -> str:
    """Give a room that has a name another one; the name that it had."""
    finish_renaming(layout)
    (asked,) = rooms_from({room: name}).lines
    rooms = read_rooms(layout.root)
    found = rooms.resolve(asked.channel, asked.id)
    if not isinstance(found, RoomName):
        raise InvalidInput(f"the room {shown(room)} has no name to change: {found.reason}")
    renaming = Renaming(found.name, asked.name)
    if renaming.old == renaming.new:
        return found.name
    _require_free(layout, rooms, renaming)
    if layout.database(renaming.scopes[0]).exists():
        with open_workspace(layout.root, owner_session(renaming.scopes[0]), background=False) as ws:
            ws.write_files()  # and whatever a flush has left: later the paths are others
    with _nobody_there(layout, renaming.scopes[0]):
        begin_renaming(layout, renaming)
    finish_renaming(layout)
    return found.name


def finish_renaming(layout: Layout) -> bool:
    """Do what is left of a renaming; False if none is under way. Safe to repeat."""
    renaming = unfinished_renaming(layout)
    if renaming is None:
        return False
    old, new = renaming.scopes
    with _nobody_there(layout, old):
        for source, target in _moves(layout, old, new):
            if source.exists():
                atomic.set_aside(source, target)
    _sign_anew(layout, new)
    _rename_gate(layout, old, new)
    allow_anew(layout, renaming)
    for place in PLACES:
        named_anew(layout, layout.root / place, renaming.old, renaming.new)
    end_renaming(layout)
    return True


def _nobody_there(layout: Layout, scope: Scope) -> AbstractContextManager[None]:
    """Inside, no server and no command has the room's memory open."""
    state = layout.state_folder(scope)
    return alone(state) if state.is_dir() else nullcontext()


def _require_free(layout: Layout, rooms: Rooms, renaming: Renaming) -> None:
    """A new name must be nobody's: neither another room's, nor that of files that lie there."""
    lines = [line for line in rooms.lines if line.name == renaming.old]
    wanted = [rooms_from({"-": renaming.new}).lines[0]]
    others = [line for line in rooms.lines if line not in lines]
    if not isinstance(Rooms((*others, *wanted)).resolve(None, "-"), RoomName):
        raise InvalidInput(f"the name {shown(renaming.new)} is given to another room")
    for _, target in _moves(layout, *renaming.scopes):
        if target.exists() or target.is_symlink():
            raise FileError(
                f"{target} is there already", hint="choose another name, or move it away first"
            )


def _moves(layout: Layout, old: Scope, new: Scope) -> Iterator[tuple[Path, Path]]:
    """What moves where; the state last, so that it tells whose files are still to move."""
    before, after = layout.gate(old), layout.gate(new)
    if before is not None and after is not None:
        yield before, after
    yield layout.domains(old).parent, layout.domains(new).parent
    yield layout.state_folder(old), layout.state_folder(new)


def _sign_anew(layout: Layout, scope: Scope) -> None:
    """The database and its folder say whose they are."""
    if not layout.state_folder(scope).is_dir():
        return
    forget_name(layout, scope)
    leave_name(layout, scope)
    if layout.database(scope).exists():
        store = SqliteStore(layout.database(scope))
        try:
            store.write(lambda tx: tx.keep_note("scope", str(scope)))
        finally:
            store.close()


def _rename_gate(layout: Layout, old: Scope, new: Scope) -> None:
    """A gate that bears the room's name bears the new one, and where it writes out where its
    files lie, it writes where they lie now."""
    gate = layout.gate(new)
    if gate is None or not gate.exists():
        return
    was, is_ = (
        f"{layout.domains(scope).parent.relative_to(layout.root).as_posix()}/".encode()
        for scope in (old, new)
    )
    before, after = (f"# {title_of(scope)}".encode() for scope in (old, new))
    title = re.compile(rb"\A(\xef\xbb\xbf)?" + re.escape(before) + rb"(?=[ \t]*\r?\n)")

    def led_on(data: bytes | None) -> bytes | None:
        return data and title.sub(lambda found: (found[1] or b"") + after, data).replace(was, is_)

    rewrite(layout, gate, led_on, new)
