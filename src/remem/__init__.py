"""remem: a memory that an AI agent can afford.

    from remem import open_workspace

    with open_workspace("~/agent", session="main") as memory:
        memory.store(category="preference", content="David drinks his coffee black.")
        answer = memory.recall("How does David like his coffee?")

The names below are loaded when they are first used: a command that needs no store does not
wait for one.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from remem.core.entry import Entry, Origin
    from remem.core.scope import Scope, Session
    from remem.errors import RememError
    from remem.recall.answer import Answer, Recalled
    from remem.remember.means import Receipt
    from remem.wiring import open_workspace
    from remem.workspace import Workspace

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "Entry",
    "Origin",
    "Recalled",
    "Receipt",
    "RememError",
    "Scope",
    "Session",
    "Workspace",
    "open_workspace",
]

_HOMES: Final = {
    "Answer": "remem.recall.answer",
    "Entry": "remem.core.entry",
    "Origin": "remem.core.entry",
    "Recalled": "remem.recall.answer",
    "Receipt": "remem.remember.means",
    "RememError": "remem.errors",
    "Scope": "remem.core.scope",
    "Session": "remem.core.scope",
    "Workspace": "remem.workspace",
    "open_workspace": "remem.wiring",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'remem' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
