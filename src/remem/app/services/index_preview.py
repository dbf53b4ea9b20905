"""Read a scope as it would be after a change, without making the change.

The change is made in a transaction that is always rolled back.
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
    read: Callable[[Snapshot], T],
    change: Callable[[Transaction], None] | None = None,
) -> T:
    """Return what `read` returns after a change; without a change, for the current state."""
    if change is None:
        with entries.store.read() as snapshot:
            return read(snapshot)
    previews: list[T] = []

    def operation(tx: Transaction) -> None:
        change(tx)
        previews[:] = [read(tx)]
        raise _PreviewDone("a preview changes nothing")

    with suppress(_PreviewDone):
        entries.store.write(operation)
    return previews[0]
