"""How could a lesson be lost or doubled? Each function spoils the flush, in this process."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from remem.learn.file_updates import apply
from remem.learn.flush import flush, result, state


def without_marks() -> None:
    """Nobody remembers what was flushed, and no file shows it."""
    state.noted = lambda *_: None
    apply.marks_in = lambda _: frozenset()


def without_intents() -> None:
    """A change is forgotten before its file is written."""
    write = flush.write

    def forgetful(how: Any, changes: Any) -> Any:
        store = how.announce.__self__.store
        store.write(lambda tx: state.done(tx, changes))
        return write(how, changes)

    flush.write = forgetful


def without_a_lock() -> None:
    """Two write the same file at the same time."""
    result.alone = lambda _: nullcontext()
