"""Repair daily notes, MEMORY.md and facts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from remem.admin.doctor.chatter import ChatterMove, move_chatter, propose_move
from remem.admin.doctor.facts import LostFact, restore_facts
from remem.app.context import SessionContext
from remem.app.services.entries import EntryService
from remem.app.services.facts import FactService
from remem.files.fact_history import record_facts
from remem.ports.models import Extractor
from remem.setup.migrate.lasting_notes import find_lasting, store_statements


@dataclass(frozen=True, slots=True)
class LayerService:
    """Repairs daily notes, MEMORY.md and facts; only for the owner, in main."""

    context: SessionContext
    entries: EntryService
    facts: FactService
    rule_extractor: Callable[[], Extractor]

    def store_lasting_statements(self) -> int:
        """Store lasting statements that only daily notes contain, and return how many."""
        self._require_owner()
        store, now = self.entries.store, self.context.now()
        with store.read() as snapshot:
            findings = find_lasting(self.context.layout, snapshot, self.rule_extractor(), now)
        count = store_statements(store, findings, self.entries.deps, now)
        self.entries.sync.after_write()
        return count

    def restore_facts(self, lost_facts: Sequence[LostFact]) -> int:
        """Restore lost facts as superseded, and return how many were missing."""
        self._require_owner()
        return restore_facts(self.facts.writer, lost_facts)

    def record_facts(self) -> int:
        """Record the texts of all facts, so that the doctor notices if one disappears."""
        self._require_owner()
        writer = self.facts.writer
        with writer.exclusive():  # a fact that is just being erased must not be recorded again
            return record_facts(self.context.layout, writer.read().facts)

    def propose_chatter_move(self) -> ChatterMove | None:
        """Return the change that moves chatter out of MEMORY.md; None if there is none."""
        self._require_owner()
        return propose_move(self.context.layout, self.context.today().isoformat())

    def move_chatter(self, proposal: ChatterMove) -> str:
        """Apply a proposal, and return the path of a copy of the previous MEMORY.md."""
        self._require_owner()
        backup = move_chatter(self.context.layout, proposal)
        return self.context.layout.relative(backup)

    def _require_owner(self) -> None:
        self.context.require_owner("repair notes, MEMORY.md and facts", "remem doctor")
        self.context.require_main("notes, MEMORY.md and facts belong to main")
