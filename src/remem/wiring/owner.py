"""As whom does the owner open each memory of a workspace?"""

from __future__ import annotations

from pathlib import Path

from remem.core.scope import Scope, Session
from remem.notes.layout import Layout
from remem.notes.scopes import known_scopes


def owner_sessions(layout: Layout, *, rooms: bool = True) -> tuple[list[Session], list[Path]]:
    """A session on every scope, for the owner's commands over the whole workspace.

    The second list names folders whose scope cannot be told; without `rooms`, whose list may
    be unreadable, those may be more.
    """
    from remem.notes.rooms import read_rooms

    names = [line.name for line in read_rooms(layout.root).lines] if rooms else []
    scopes, nameless = known_scopes(layout, names)
    sessions = [owner_session(scope) for scope in scopes]
    return sessions, nameless


def owner_session(scope: Scope) -> Session:
    """The owner himself, at the memory of one scope."""
    assert scope.kind != "shared", "a shared space belongs to no session"
    return Session(scope.kind, "main", f"owner:{scope}", scope, None)
