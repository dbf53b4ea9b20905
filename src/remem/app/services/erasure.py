"""Erase entries of any scope and facts of main; tombstones prevent the text from returning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from remem.app.context import SessionContext
from remem.app.services.facts import FactService
from remem.app.services.summaries import SummaryService
from remem.entries.erase import (
    ErasureContext,
    ErasureReport,
    clear_graph,
    erase,
    finish_entry,
    require_known,
    unfinished_erasures,
)
from remem.entries.lifecycle import UnfinishedErasure
from remem.entries.notices import add_notice
from remem.entries.sync import Sync
from remem.errors import UnknownEntry, quoted
from remem.files.layout import Layout
from remem.files.locks import exclusive_lock, exclusive_lock_within
from remem.learn.facts.entities import require_entity
from remem.learn.facts.erase import FactEraser, erase_fact, finish_fact
from remem.learn.synthesize.entities import summary_path
from remem.model.arguments import meant_id
from remem.model.entry import is_entry_id
from remem.model.scope import Scope
from remem.ports.entries import Store
from remem.ports.passages import PassageStore
from remem.ports.records import Tombstone
from remem.search.sync import Freshness
from remem.text.similarity import folded_hash


def erase_lock(layout: Layout, scope: Scope) -> Path:
    """Return the file whose lock a process holds while it erases something in a scope."""
    return layout.state_folder(scope) / "erase.lock"


@dataclass(frozen=True, slots=True)
class ErasureService:
    """Erases entries and facts, with all their copies.

    `withdraw_copies` removes the copies of an entry that main has shared.
    """

    context: SessionContext
    store: Store
    passages: PassageStore
    sync: Sync
    freshness: Freshness
    facts: FactService
    summaries: SummaryService
    withdraw_copies: Callable[[str], object]

    def erase(self, id_: str, entity: str | None = None) -> ErasureReport:
        self._require_owner()
        id_ = meant_id(id_)
        if self.context.is_main:
            self.withdraw_copies(id_)
        with exclusive_lock(erase_lock(self.context.layout, self.context.scope)):
            if entity is not None or self._is_fact(id_):
                report = self._erase_fact(id_, entity)
            else:
                report = erase(self._erasure_context(), id_, self.context.now())
        if self.context.is_main:
            self.withdraw_copies(id_)  # another process may have shared it meanwhile
        return report

    def finish_interrupted(self) -> None:
        """Finish interrupted erasures, unless another process is erasing."""
        with self.store.read() as snapshot:
            erasures = unfinished_erasures(snapshot)
        lock = erase_lock(self.context.layout, self.context.scope)
        with exclusive_lock_within(lock, 0) as acquired:
            if acquired:
                for erasure in erasures:
                    self._finish(erasure)

    def _finish(self, erasure: UnfinishedErasure) -> None:
        """Finish an interrupted erasure; the caller holds the lock."""
        if erasure.entity is not None:
            finish_fact(self._fact_eraser(), erasure, self.context.now())
        else:
            finish_entry(self._erasure_context(), erasure.id)
        notice = f"the erasure of {erasure.id} was interrupted and has been finished"
        self.store.write(lambda tx: add_notice(tx, self.context.now(), notice))

    def texts_to_erase(self, id_: str, entity: str | None = None) -> list[str]:
        """Return the texts that erasing would remove; none if they were already erased.

        Raise UnknownEntry if nothing in this scope has the id.
        """
        id_ = meant_id(id_)
        if entity is None and not self._is_fact(id_):
            with self.store.read() as snapshot:
                entry = require_known(snapshot, id_)
            return [entry.content] if entry else []
        facts = self.facts.known()
        candidates = facts.facts_of(require_entity(facts, entity)) if entity else facts.facts
        texts = [fact.fact for fact in candidates if fact.id == id_]
        belongs_to_other_entity = not texts and any(fact.id == id_ for fact in facts.facts)
        if belongs_to_other_entity or id_ not in facts.ids:
            raise UnknownEntry(
                f"{quoted(entity)} has no fact {quoted(id_)}",
                hint="`remem fact list` shows ids",
            )
        return texts

    def add_tombstones(self, tombstones: Sequence[Tombstone]) -> list[str]:
        """Erase the texts that another workspace has erased, and return the ids erased here."""
        self._require_owner()
        self.store.write(lambda tx: tx.add_tombstones(tombstones))
        with self.store.read() as snapshot:
            known_ids = sorted(snapshot.find(tombstone.id for tombstone in tombstones))
        erased_ids = [self.erase(id_).id for id_ in known_ids]
        if not self.context.is_main:
            return erased_ids
        erased_texts = {(tombstone.id, tombstone.wording_hash) for tombstone in tombstones}
        facts = self.facts.known().facts
        facts_to_erase = [
            fact for fact in facts if (fact.id, folded_hash(fact.fact)) in erased_texts
        ]
        return erased_ids + [self._erase_fact(fact.id, fact.entity).id for fact in facts_to_erase]

    def _require_owner(self) -> None:
        self.context.require_owner("erase memories", "remem erase")

    def _is_fact(self, id_: str) -> bool:
        """Return whether an id names a fact and no entry; only main has facts."""
        if not self.context.is_main:
            return False
        if is_entry_id(id_):
            with self.store.read() as snapshot:
                if snapshot.find([id_]):
                    return False
        return id_ in self.facts.known().ids

    def _erase_fact(self, id_: str, entity: str | None) -> ErasureReport:
        report = erase_fact(self._fact_eraser(), id_, entity, self.context.now())
        self.facts.update_qmd()
        return report

    def _fact_eraser(self) -> FactEraser:
        return FactEraser(
            self.facts.writer, self._erasure_context(), self._summarise, self._refresh_search
        )

    def _erasure_context(self) -> ErasureContext:
        files = self.sync.files

        def write_files() -> None:
            files.sweep()
            files.catch_up()

        context = self.context
        return ErasureContext(self.store, self.passages, context.layout, context.scope, write_files)

    def _summarise(self, entity: str) -> None:
        """Rewrite the summary of an entity, if it has one."""
        page = self.context.layout.root / summary_path(self.facts.known().root(entity))
        if page.exists():
            self.summaries.synthesize((entity,), lambda _page: None)

    def _refresh_search(self) -> None:
        self.freshness.run(lambda _done, _of: None)
        clear_graph(self.passages)
        self.passages.scrub()
