"""How could a lesson be lost or doubled? Each function spoils the flush, in this process."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from remem.maintenance.flush import job, ledger
from remem.maintenance.flush import run as flushing
from remem.maintenance.write_back import run as writing


def without_marks() -> None:
    """Nobody remembers what was flushed, and no file shows it."""
    ledger.noted = lambda *_: None
    writing.marks_in = lambda _: frozenset()


def without_intents() -> None:
    """A change is forgotten before its file is written."""
    write = flushing.write

    def forgetful(how: Any, changes: Any) -> Any:
        store = how.announce.__self__.store
        store.write(lambda tx: ledger.done(tx, changes))
        return write(how, changes)

    flushing.write = forgetful


def without_a_lock() -> None:
    """Two write the same file at the same time."""
    job.alone = lambda _: nullcontext()
