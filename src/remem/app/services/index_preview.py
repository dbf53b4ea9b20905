"""Look at a scope as it would be after a change that has not been made.

The change is made in a transaction that then fails on purpose, so that nothing of it is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from remem.app.services.entries import EntryService
from remem.ports.entries import Snapshot, Transaction

T = TypeVar("T")


class _PreviewDone(Exception):
    """Ends the transaction of a preview."""


def preview(
    entries: EntryService,
    look: Callable[[Snapshot], T],
    change: Callable[[Transaction], None] | None = None,
) -> T:
    """Return what `look` sees after a change; without one, as things are."""
    if change is None:
        with entries.store.read() as snapshot:
            return look(snapshot)
    previews: list[T] = []

    def operation(tx: Transaction) -> None:
        change(tx)
        previews[:] = [look(tx)]
        raise _PreviewDone("a preview changes nothing")

    with suppress(_PreviewDone):
        entries.store.write(operation)
    return previews[0]
