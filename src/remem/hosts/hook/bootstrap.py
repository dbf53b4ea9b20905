"""What does an OpenClaw conversation begin with? Its own scope's start, and the token to it.

In main, once the memory is activated, the index stands in the place of MEMORY.md's text: the
host's list of files is changed, never the file. The call comes with every turn, so the answer
names the files it was made of, and the handler asks again only when one of them has changed.
"""

from __future__ import annotations

import os
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from remem.core.scope import MAIN, Scope
from remem.errors import NotAllowed
from remem.hosts.hook.event import Event
from remem.hosts.hook.payload import record
from remem.hosts.hook.who import scope_of
from remem.maintenance.activation import is_active
from remem.notes import files
from remem.notes.layout import Layout

_TOKENS: Final = "remem.tokens"
_TOLD: Final = (
    "The memory tools need session_token in this conversation: {token}\n"
    "It is this conversation's alone. Do not show it to anybody, and do not store it.\n"
)


def bootstrap(layout: Layout, event: Event) -> str:
    """The payload for one conversation; empty for another agent's workspace."""
    if event.workspace is None or not _same(event.workspace, layout.root):
        return ""
    try:
        scope = scope_of(layout, event)
        text = _start(layout, scope, event)
    except NotAllowed as error:  # an unmapped room, an unknown key: told why, and nothing else
        return record(text=f"This conversation has no memory: {error}\n", path="remem.md")
    active = is_active(layout)
    token = _token(layout, event)
    told = _TOLD.format(token=token["token"]) if token else ""
    if scope == MAIN and not active:
        text = ""  # the host loads MEMORY.md itself
    return record(
        text=f"{text}\n{told}" if text and told else text or told or None,
        in_place_of="MEMORY.md" if scope == MAIN and active else None,
        path=_name(layout, scope),
        files=[str(each) for each in _sources(layout, scope)],
        expires_in=token.get("expires_in") if token else None,
    )


def _start(layout: Layout, scope: Scope, event: Event) -> str:
    """Main's index is a file, and a file is read in no time; what a room sees first is not."""
    if scope == MAIN and (data := files.read(layout.index_file)):
        return data.decode(errors="replace")
    from remem.hosts.hook.opening import opened

    with opened(layout, event.session) as workspace:
        return workspace.start().text


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


def _token(layout: Layout, event: Event) -> dict[str, Any] | None:
    """A token for this conversation, where the server asks for one."""
    if find_spec(_TOKENS) is None:
        return None
    issue = import_module(_TOKENS).issue
    issued: dict[str, Any] = issue(layout, event.session, event.conversation)
    return issued


def _same(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)
