"""Repairs to daily notes, MEMORY.md and facts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from remem.admin.doctor.chatter import Proposal, move_chatter, propose_move
from remem.admin.doctor.facts import LostFact, restore_facts
from remem.app.context import SessionContext
from remem.app.services.entries import EntryService
from remem.app.services.facts import FactService
from remem.files.fact_history import record_facts
from remem.ports.models import Extractor
from remem.setup.migrate.lasting_notes import find_lasting, store_statements


@dataclass(frozen=True, slots=True)
class LayerService:
    """Repairs to daily notes, MEMORY.md and facts.

    Only the owner can run them, and only in the main scope.
    """

    context: SessionContext
    entries: EntryService
    facts: FactService
    rule_extractor: Callable[[], Extractor]

    def store_lasting_statements(self) -> int:
        """Store lasting statements that only daily notes contain; returns how many."""
        self._require_owner()
        store, now = self.entries.store, self.context.now()
        with store.read() as snapshot:
            found = find_lasting(self.context.layout, snapshot, self.rule_extractor(), now)
        new = store_statements(store, found, self.entries.deps, now)
        self.entries.sync.after_write()
        return new

    def restore_facts(self, lost: Sequence[LostFact]) -> int:
        """Restore earlier wordings of facts as superseded; returns how many were missing."""
        self._require_owner()
        return restore_facts(self.facts.writer, lost)

    def record_facts(self) -> int:
        """Record the wordings of all facts, so that none can disappear unnoticed."""
        self._require_owner()
        writer = self.facts.writer
        with writer.exclusive():  # a fact that is just being erased must not be recorded again
            return record_facts(self.context.layout, writer.known().facts)

    def propose_chatter_move(self) -> Proposal | None:
        """Return the change that removes passing remarks from MEMORY.md; None if there are none."""
        self._require_owner()
        return propose_move(self.context.layout, self.context.today().isoformat())

    def move_chatter(self, proposal: Proposal) -> str:
        """Apply a proposal; returns the path of the backup of MEMORY.md."""
        self._require_owner()
        backup = move_chatter(self.context.layout, proposal)
        return self.context.layout.relative(backup)

    def _require_owner(self) -> None:
        self.context.require_owner("repairs notes, MEMORY.md and facts", "remem doctor")
        self.context.require_main("notes, MEMORY.md and facts belong to main")
