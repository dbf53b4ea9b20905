"""Decay and erasing. The owner erases entries of any scope and facts of main."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from remem.app.care import Care
from remem.app.layers import Layers
from remem.app.parts import Parts
from remem.app.synthesis import Synthesises
from remem.entries.erase import UnfinishedErasure, unfinished_erasures
from remem.errors import RememError, UnknownEntry, shown
from remem.files.locks import exclusive_lock, exclusive_lock_within
from remem.model.entry import is_entry_id
from remem.model.scope import MAIN
from remem.ports.records import Tombstone
from remem.text.similarity import folded_hash

if TYPE_CHECKING:
    from remem.entries.decay import DecayJob
    from remem.entries.erase import ErasureContext, ErasureReport
    from remem.entries.reinforcement import CitationCount, DecayReport, ReinforceReport, UndoneDecay
    from remem.learn.facts.erase import FactEraser


class Decays(Care):
    """Reinforcement and decay of one session's entries."""

    def reinforce(self, id: str) -> ReinforceReport:  # noqa: A002 - as the tool calls it
        """Mark an entry as still relevant: it fades more slowly; a faded one is restored."""
        from remem.entries.reinforcement import reinforce

        now, topics = self._now(), self._how.topics
        try:
            done = self._store.write(lambda tx: reinforce(tx, id, now, topics))
        except UnknownEntry as error:
            raise self._explained(error, [id]) from None
        self._upkeep.after_write()
        return done

    def decay(self, *, dry_run: bool = False, explain: bool = False) -> DecayReport:
        """Archive the low memories that nobody used for long; what was cited counts first."""
        from remem.entries.decay import decay

        self._owner_only("lets memory fade", "remem decay")
        self._upkeep.before_read()
        counted = None if dry_run else self.count_citations()
        done = decay(self._decaying(), dry_run=dry_run, explain=explain)
        self._upkeep.after_write()
        if counted is None:
            return done
        return replace(done, uses_found=counted.uses, notes=counted.troubles)

    def undo_decay(self) -> UndoneDecay:
        """Restore what the last run archived."""
        from remem.entries.decay import undo_decay

        self._owner_only("brings memory back", "remem decay --undo")
        done = undo_decay(self._decaying())
        self._upkeep.after_write()
        return done

    def count_citations(self) -> CitationCount:
        """Ids that the agent cites in conversations that may be read are uses, each once."""
        from remem.entries.reinforcement import CitationCount, count_citations

        parts = self._parts
        if str(parts.scope) not in parts.config.transcripts:
            return CitationCount()
        listing = parts.transcripts()
        counted = count_citations(self._store, listing.transcripts, self._now(), self._how.topics)
        return CitationCount(counted.uses, (*listing.troubles, *counted.troubles))

    def _decaying(self) -> DecayJob:
        from remem.entries.decay import DecayJob

        return DecayJob(self._store, str(self.scope), self._how.topics, self._now())


class Erases(Layers, Synthesises, Care):
    """Erasing, with a tombstone that keeps the words away."""

    def __init__(self, parts: Parts) -> None:
        super().__init__(parts)
        self._unerased: str | None = None
        self.finish_erasing()

    def erase(self, id_: str, *, entity: str | None = None) -> ErasureReport:
        """Remove an entry or a fact for good, with every wording it had. `entity` tells facts
        apart that have one id."""
        from remem.entries.erase import erase

        self._owner_only("erases memory", "remem erase")
        with exclusive_lock(self._erase_lock):
            if entity is not None or self._is_fact(id_):
                return self._erase_fact(id_, entity)
            return erase(self._erasing(), id_, self._now())

    def finish_erasing(self) -> None:
        """Take the steps that a killed `erase` has left, unless a live one is taking them."""
        if not self._store.writable:
            return
        try:
            with self._store.read() as snapshot:
                cut_short = unfinished_erasures(snapshot)
            if not cut_short:
                return
            with exclusive_lock_within(self._erase_lock, 0) as mine:
                if mine:
                    for erasure in cut_short:
                        self._finish(erasure)
        except RememError as error:
            self._unerased = f"an erasure was cut short, and cannot be finished yet: {error}"
        else:
            self._unerased = None

    @property
    def trouble(self) -> list[str]:
        return [*super().trouble, *([self._unerased] if self._unerased else [])]

    def _finish(self, erasure: UnfinishedErasure) -> None:
        from remem.entries.erase import finish_entry
        from remem.learn.facts.erase import finish_fact

        if erasure.entity is not None:
            finish_fact(self._erasing_facts(), erasure, self._now())
        else:
            finish_entry(self._erasing(), erasure.id)
        done = f"the erasure of {erasure.id} was cut short, and has been finished"
        self._store.write(lambda tx: tx.add_notice(self._now(), done))

    @property
    def _erase_lock(self) -> Path:
        return self._parts.layout.state_folder(self.scope) / "erase.lock"

    def said_by(self, id_: str, *, entity: str | None = None) -> list[str]:
        """The words that erasing would remove; none where they were erased before.

        An id that names nothing here raises UnknownEntry.
        """
        from remem.entries.erase import require_known
        from remem.learn.facts.entities import require_entity

        if entity is None and not self._is_fact(id_):
            with self._store.read() as snapshot:
                known = require_known(snapshot, id_)
            return [known.entry.content] if known else []
        facts = self.known()
        whose = facts.of(require_entity(facts, entity)) if entity else facts.facts
        said = [fact.fact for fact in whose if fact.id == id_]
        elsewhere = any(fact.id == id_ for fact in facts.facts)
        if not said and (elsewhere or id_ not in facts.ids):
            raise UnknownEntry(
                f"{shown(entity)} has no fact {shown(id_)}", hint="`remem fact list` shows ids"
            )
        return said

    def add_tombstones(self, tombstones: Sequence[Tombstone]) -> list[str]:
        """Take over what was erased elsewhere; returns the ids that were still here."""
        self._owner_only("erases memory", "remem erase")
        self._store.write(lambda tx: tx.add_tombstones(tombstones))
        with self._store.read() as snapshot:
            known = sorted(snapshot.by_ids([tombstone.id for tombstone in tombstones]))
        erased = [self.erase(id_).id for id_ in known]
        if self.scope != MAIN:
            return erased
        gone = {(tombstone.id, tombstone.wording) for tombstone in tombstones}
        facts = [fact for fact in self.known().facts if (fact.id, folded_hash(fact.fact)) in gone]
        return erased + [self._erase_fact(fact.id, fact.entity).id for fact in facts]

    def _is_fact(self, id_: str) -> bool:
        """Facts are main's; elsewhere nothing is looked at. What looks like an entry's id is a
        fact's only where no entry has it."""
        if self.scope != MAIN:
            return False
        if is_entry_id(id_):
            with self._store.read() as snapshot:
                if snapshot.by_ids([id_]):
                    return False
        return id_ in self.known().ids

    def _erase_fact(self, id_: str, entity: str | None) -> ErasureReport:
        from remem.learn.facts.erase import erase_fact

        done = erase_fact(self._erasing_facts(), id_, entity, self._now())
        self._brain_changed()
        return done

    def _erasing_facts(self) -> FactEraser:
        from remem.learn.facts.erase import FactEraser

        return FactEraser(self._knowing, self._erasing(), self._summarise, self._read_again)

    def _erasing(self) -> ErasureContext:
        from remem.entries.erase import ErasureContext

        parts, files = self._parts, self._upkeep.files

        def write_files() -> None:
            files.sweep()
            files.catch_up()

        return ErasureContext(self._store, parts.passages, parts.layout, self.scope, write_files)

    def _summarise(self, entity: str) -> None:
        """A page that was never made is not made for this."""
        from remem.learn.synthesize.entities import summary_path

        page = self._parts.layout.root / summary_path(self.known().root(entity))
        if page.exists():
            self.synthesize((entity,))

    def _read_again(self) -> None:
        self._freshness.run(lambda _done, _of: None)
        self._parts.passages.scrub()
