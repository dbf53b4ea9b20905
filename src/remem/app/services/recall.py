"""Recall: answering questions from the entries of a scope."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace

from remem.app.context import SessionContext
from remem.disclose.gate_guard import GateGuard
from remem.entries.sync import Sync
from remem.errors import StoreBusy
from remem.model.entry import is_entry_id
from remem.ports.entries import Store
from remem.search.answer.answer import Answer
from remem.search.query.question import RecallOptions, parse_request
from remem.search.recall import Recall
from remem.search.sync import Freshness
from remem.text.timestamps import normalize_time


@dataclass(frozen=True, slots=True)
class RecallService:
    """Answers questions, after bringing entries and files up to date."""

    context: SessionContext
    store: Store
    sync: Sync
    freshness: Freshness
    gate_guard: GateGuard
    answer: Recall

    def recall(self, query: str, now: str | None, options: RecallOptions) -> Answer:
        request = parse_request(query, options)
        self.gate_guard.require()
        when = normalize_time(now, "now") if now else self.context.now()
        return self.answer(request, when, lambda: self._bring_up_to_date(query))

    def recall_without_trace(self, query: str) -> Answer:
        """Recall for a validation, without recording a use."""
        answer = replace(self.answer, usage_log=None)
        return answer(parse_request(query, {}), self.context.now())

    def _bring_up_to_date(self, query: str) -> str | None:
        """Bring entries and files up to date; returns why something may be missing, or None."""
        self.sync.before_recall()
        self._revive_faded(query)
        return self.freshness.before_search() or self.sync.behind

    def _revive_faded(self, query: str) -> None:
        """Restore faded entries that are read by their ids."""
        ids = query.replace(",", " ").split()
        if not (ids and self.store.writable and all(map(is_entry_id, ids))):
            return
        with self.store.read() as snapshot:
            rows = [located.row for located in snapshot.by_ids(ids).values()]
            if not snapshot.faded(rows):
                return
        from remem.entries.lifecycle import revive_read  # few entries fade

        now, topics = self.context.now(), self.context.config.topics
        # While another program holds the database, the entry is only read, and restored later.
        with suppress(StoreBusy), self.store.without_waiting():
            self.store.write(lambda tx: revive_read(tx, ids, now, topics))
            self.sync.after_write()
