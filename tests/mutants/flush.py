"""Defects of the flush that lose or double lessons, each planted by one function."""

from __future__ import annotations

import os
import secrets
import signal
from contextlib import nullcontext
from typing import Any

from remem.learn.file_updates import apply
from remem.learn.flush import flush, result, state


def without_marks() -> None:
    """Nobody remembers what was flushed, and no file shows it."""
    state.lesson_record = lambda *_: None
    apply.lesson_ids_in = lambda _: frozenset()  # type: ignore[attr-defined]


def without_intents() -> None:
    """A change is forgotten before its file is written; one process in three dies in between.

    Waiting for a kill from outside to fall into that moment depends on the machine's speed.
    """
    write = flush.write_changes  # type: ignore[attr-defined]

    def forgetful(how: Any, changes: Any) -> Any:
        store = how.add_notice.__self__.store
        store.write(lambda tx: state.remove_pending(tx, changes))
        if secrets.randbelow(3) == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return write(how, changes)

    flush.write_changes = forgetful  # type: ignore[attr-defined]


def without_a_lock() -> None:
    """Two write the same file at the same time."""
    result.exclusive_lock = lambda _: nullcontext()  # type: ignore[attr-defined]
