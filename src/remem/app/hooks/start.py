"""What does an OpenClaw conversation begin with? Its own scope's start, and the token to it.

In main, once the memory is activated, the index stands in the place of MEMORY.md's text: the
host's list of files is changed, never the file. The call comes with every turn, so the answer
names the files it was made of, and the handler asks again only when one of them has changed.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from remem.core.scope import MAIN, Scope
from remem.errors import NotAllowed
from remem.hosts.hook.event import Event
from remem.hosts.hook.payload import record, shortened
from remem.hosts.hook.who import scope_of
from remem.maintenance.activation import is_active
from remem.notes import files
from remem.notes.layout import Layout
from remem.notes.session_tokens import Issued, SessionTokens

_TOLD: Final = (
    "The memory tools need session_token in this conversation: {token}\n"
    "It is this conversation's alone. Do not show it to anybody, and do not store it.\n"
)


def bootstrap(layout: Layout, event: Event, *, files_alone: bool = False) -> str:
    """The payload for one conversation; empty for another agent's workspace.

    `files_alone` leaves the store out: where it does not answer in time, a room still has its
    gate.
    """
    if event.workspace is None or not _same(event.workspace, layout.root):
        return ""
    try:
        scope = scope_of(layout, event)
        text = _files(layout, scope) if files_alone else _start(layout, scope, event)
    except NotAllowed as error:  # an unmapped room, an unknown key: told why, and nothing else
        return record(text=f"This conversation has no memory: {error}\n", path="remem.md")
    active = is_active(layout)
    issued = _issued(layout, event)
    return record(
        text=None if scope == MAIN and not active else text,  # the host loads MEMORY.md itself
        in_place_of="MEMORY.md" if scope == MAIN and active else None,
        path=_name(layout, scope),
        files=[str(each) for each in _sources(layout, scope)],
        token=_TOLD.format(token=issued.token) if issued else None,
        expires_in=issued.expires_in if issued else None,
    )


def _issued(layout: Layout, event: Event) -> Issued | None:
    """A token for this conversation. The handler keeps it while it is surely good, so that what
    a conversation begins with is the same from turn to turn."""
    if event.has_token:
        return None
    return SessionTokens(layout).issue(event.session, event.conversation)


def _start(layout: Layout, scope: Scope, event: Event) -> str:
    """Main's index is a file, and a file is read in no time; what a room sees first is not."""
    if scope == MAIN and (text := _files(layout, scope)):
        return text
    from remem.hosts.hook.opening import opened

    with opened(layout, event.session) as workspace:
        return workspace.start().text


def _files(layout: Layout, scope: Scope) -> str:
    """What stands in the file that a scope begins with; one with a second name is refused."""
    path = layout.index_file if scope == MAIN else layout.gate(scope)
    data = files.read(path, sole_name=scope != MAIN) if path else None
    return shortened((data or b"").decode(errors="replace"))


def _sources(layout: Layout, scope: Scope) -> list[Path]:
    """What the start is made of; if none of it changes, neither does the text."""
    database = layout.database(scope)
    found = [database, database.with_name(f"{database.name}-wal"), layout.config_file]
    if scope == MAIN:
        found += [layout.index_file, layout.root / "AGENTS.md", layout.flush_state, layout.memory]
    if gate := layout.gate(scope):
        found.append(gate)
    return found


def _name(layout: Layout, scope: Scope) -> str:
    """Under which name the text stands in the conversation."""
    place = layout.index_file if scope == MAIN else layout.gate(scope)
    return place.relative_to(layout.root).as_posix() if place else "remem.md"


def _same(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)
