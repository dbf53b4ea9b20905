"""Record when a recall happened, and which entries it showed or read by id.

A write invalidates the page cache of every reader of the database. So entries that were only shown
are collected and written once a minute and when the workspace is closed; if the process is killed,
at most one minute of them is lost. Entries that were read by id count as used and are written at
once.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Final

from remem.ports import Clock
from remem.ports.entries import Store, Transaction

_LAST_RECALL: Final = "last_recall"
_MINUTE_LENGTH: Final = len("2026-11-16T08:00")


class UsageLog:
    """Collects the usage of one open workspace, and writes it."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._lock = threading.Lock()
        self._since = ""
        self._shown: dict[str, dict[str, None]] = {}

    def record_shown(self, ids: Sequence[str]) -> None:
        """Collect shown entries; the first call in each minute writes what has been collected."""
        now = self._clock()
        with self._lock:
            first = now[:_MINUTE_LENGTH] != self._since[:_MINUTE_LENGTH]
            if first:
                self._since = now
            self._shown.setdefault(self._since, {}).update(dict.fromkeys(ids))
        if first:
            self._write(now)

    def record_used(self, ids: Sequence[str]) -> None:
        self._write(self._clock(), ids)

    def close(self) -> None:
        if self._shown:
            self._write(self._since)

    def _write(self, now: str, used: Sequence[str] = ()) -> None:
        with self._lock:
            shown, self._shown = self._shown, {}

        def operation(tx: Transaction) -> None:
            for moment, ids in shown.items():
                tx.record_use(list(ids), moment, used=False)
            if used:
                tx.record_use(used, now, used=True)
            if (tx.get_state(_LAST_RECALL) or "")[:_MINUTE_LENGTH] != now[:_MINUTE_LENGTH]:
                tx.put_state(_LAST_RECALL, now)

        self._store.write_later(operation)
