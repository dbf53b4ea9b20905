"""Record when a recall happened, and which entries it showed or read by id.

A write invalidates the page cache of every reader of the database. So entries that were only shown
are collected and written once a minute and when the workspace is closed; if the process is killed,
at most one minute of them is lost. Entries that were read by id count as used and are written
immediately. While another program has locked the store, both are kept for the next write.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Final

from remem.errors import RememError, StoreBusy
from remem.ports import Clock, without_waiting
from remem.ports.entries import Store, Transaction
from remem.ports.state import ACTIVITY

_MINUTE_LENGTH: Final = len("2026-11-16T08:00")


class UsageLog:
    """Collects the usage of one open workspace, and writes it."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._lock = threading.Lock()
        self._since = ""
        self._collected: dict[tuple[str, bool], dict[str, None]] = {}
        """The ids that were used (True) or only shown, with the time."""
        self.problem: str | None = None

    def record_shown(self, ids: Sequence[str]) -> None:
        """Collect shown entries; the first call in each minute writes what has been collected."""
        now = self._clock()
        first = now[:_MINUTE_LENGTH] != self._since[:_MINUTE_LENGTH]
        if first:
            self._since = now
        self._collect({(self._since, False): dict.fromkeys(ids)})
        if first:
            self._write()

    def record_used(self, ids: Sequence[str]) -> None:
        now = self._clock()
        self._collect({(now, True): dict.fromkeys(ids)})
        self._write()

    def close(self) -> None:
        if self._collected:
            self._write()

    def _collect(self, usage: Mapping[tuple[str, bool], Mapping[str, None]]) -> None:
        with self._lock:
            for key, ids in usage.items():
                self._collected.setdefault(key, {}).update(ids)

    def _write(self) -> None:
        if not self._store.writable:
            return
        with self._lock:
            collected, self._collected = self._collected, {}
        latest = max((moment for moment, _ in collected), default="")

        def operation(tx: Transaction) -> None:
            for (moment, used), ids in collected.items():
                tx.record_use(list(ids), moment, was_used=used)
            if (tx.record(ACTIVITY, "recall") or "")[:_MINUTE_LENGTH] < latest[:_MINUTE_LENGTH]:
                tx.put_record(ACTIVITY, "recall", latest)

        try:
            with without_waiting():
                self._store.write(operation)
            self.problem = None
        except StoreBusy:
            self._collect(collected)
        except RememError as error:
            self.problem = f"the use of entries was not recorded: {error}"
