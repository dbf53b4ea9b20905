"""Decay: archiving low-priority entries that have not been used for a long time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from remem.app.context import SessionContext
from remem.entries.citations import CitationCount, count_citations
from remem.entries.decay import DecayJob, DecayReport, UndoneDecay, decay, undo_decay
from remem.entries.sync import Sync
from remem.files.transcripts.locate import Listing
from remem.ports.entries import Store


@dataclass(frozen=True, slots=True)
class DecayService:
    """Archives unused entries; citations in the transcripts that may be read count as uses."""

    context: SessionContext
    store: Store
    sync: Sync
    transcripts: Callable[[], Listing]

    def decay(self, *, dry_run: bool, explain: bool) -> DecayReport:
        self.context.require_owner("archives unused memory", "remem decay")
        self.sync.before_read()
        counted = None if dry_run else self.count_citations()
        done = decay(self._job(), dry_run=dry_run, explain=explain)
        self.sync.after_write()
        if counted is None:
            return done
        return replace(done, uses_found=counted.uses, notes=counted.troubles)

    def undo(self) -> UndoneDecay:
        self.context.require_owner("restores archived memory", "remem decay --undo")
        done = undo_decay(self._job())
        self.sync.after_write()
        return done

    def count_citations(self) -> CitationCount:
        """Count every citation of an id by the agent in a conversation as a use, once."""
        if not self.context.reads_transcripts:
            return CitationCount()
        listing = self.transcripts()
        topics = self.context.config.topics
        counted = count_citations(self.store, listing.transcripts, self.context.now(), topics)
        return CitationCount(counted.uses, (*listing.problems, *counted.troubles))

    def _job(self) -> DecayJob:
        context = self.context
        return DecayJob(self.store, str(context.scope), context.config.topics, context.now())
