"""A memory for AI agents, in Markdown files that people can edit.

    import remem

    with remem.open_workspace("~/agent", session="main") as memory:
        memory.store(category="preference", content="David drinks coffee black.")
        answer = memory.recall("How does David like his coffee?")

    open_workspace   opens a memory; see help(remem.open_workspace)
    Workspace        its methods: store, recall, list with entries, edit, forget, index, search …
    Receipt          what store returns
    Answer           what recall returns: its entries are Recalled
    Entry, Origin    a stored memory, and where it comes from
    Session, Scope   who is asking, and the memory that they see
    RememError       the base of all errors; its `hint` says what to do
    aio              the same for asyncio: remem.aio.open_workspace

The other packages are internal.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from remem.app.opening import open_workspace
    from remem.app.workspace import Workspace
    from remem.entries.receipt import Receipt
    from remem.errors import RememError
    from remem.model.entry import Entry, Origin
    from remem.model.scope import Scope, Session
    from remem.search.answer.answer import Answer, Recalled

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

_MODULES: Final = {
    "Answer": "remem.search.answer.answer",
    "Entry": "remem.model.entry",
    "Origin": "remem.model.entry",
    "Recalled": "remem.search.answer.answer",
    "Receipt": "remem.entries.receipt",
    "RememError": "remem.errors",
    "Scope": "remem.model.scope",
    "Session": "remem.model.scope",
    "Workspace": "remem.app.workspace",
    "open_workspace": "remem.app.opening",
}


def __getattr__(name: str) -> Any:
    """Import a name on first use, so that `import remem` stays fast."""
    if name == "aio":
        return import_module("remem.aio")
    if name not in _MODULES:
        raise AttributeError(f"module 'remem' has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__", "aio"]
