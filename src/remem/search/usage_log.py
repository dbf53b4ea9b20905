"""What is remembered of a recall? That somebody asked, and what he was shown or has read.

Nobody waits for this. But a write makes every reader of the database read all of it anew from
the system: what was only listed is gathered, and written once a minute and at the end, so that a
kill costs a minute of it. What was read by its id is use, and written at once.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Final

from remem.ports import Clock
from remem.ports.entries import Store, Transaction

_LAST: Final = "last_recall"
_MINUTE: Final = len("2026-11-16T08:00")


class Remarks:
    """What is still to be written of the questions that were asked of one opened memory."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._lock = threading.Lock()
        self._since = ""
        self._listed: dict[str, dict[str, None]] = {}

    def listed(self, ids: Sequence[str]) -> None:
        """The first question of a minute writes what those of the last one have left."""
        now = self._clock()
        with self._lock:
            first = now[:_MINUTE] != self._since[:_MINUTE]
            if first:
                self._since = now
            self._listed.setdefault(self._since, {}).update(dict.fromkeys(ids))
        if first:
            self._write(now)

    def used(self, ids: Sequence[str]) -> None:
        self._write(self._clock(), ids)

    def close(self) -> None:
        if self._listed:
            self._write(self._since)

    def _write(self, asked: str, used: Sequence[str] = ()) -> None:
        with self._lock:
            gathered, self._listed = self._listed, {}

        def operation(tx: Transaction) -> None:
            for moment, ids in gathered.items():
                tx.shown(list(ids), moment, used=False)
            if used:
                tx.shown(used, asked, used=True)
            if (tx.note(_LAST) or "")[:_MINUTE] != asked[:_MINUTE]:
                tx.keep_note(_LAST, asked)

        self._store.write_later(operation)
