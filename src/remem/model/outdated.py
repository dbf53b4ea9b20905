"""Find memories that may no longer hold, because something that they build on was replaced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from remem.model.entry import Entry

_MAX_VISITED: Final = 20
"""The maximum number of memories that are followed from one."""


def outdated_by(entry: Entry, find: Callable[[str], Entry | None]) -> str | None:
    """Return the id of a replaced memory that a memory builds on, maybe indirectly, or None.

    A memory builds on the older ones in its `related_to`. It is not outdated if it was changed
    after the replacement, or is itself the replacement or related to it.
    """
    if entry.archived or entry.superseded_by is not None:
        return None
    visited, waiting = {entry.id}, [entry]
    while waiting and len(visited) <= _MAX_VISITED:
        current = waiting.pop()
        for id_ in current.related_to:
            base = find(id_)
            if base is None or base.id in visited or base.created_at > current.created_at:
                continue
            visited.add(base.id)
            if base.superseded_by is None:
                waiting.append(base)
            elif _predates_replacement(current, base, find):
                return base.id
    return None


def _predates_replacement(entry: Entry, base: Entry, find: Callable[[str], Entry | None]) -> bool:
    """Return whether an entry has not been changed since its base was replaced."""
    successor = base.superseded_by or ""
    if successor == entry.id or successor in entry.related_to:
        return False
    new = find(successor)
    since = max(base.updated_at, new.created_at) if new else base.updated_at
    return entry.updated_at <= since
