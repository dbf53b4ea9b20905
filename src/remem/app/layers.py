"""Checks that notes, MEMORY.md and facts each hold what they should, and repairs; main only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from remem.app.facts import Knowledge
from remem.errors import NotAllowed
from remem.model.scope import MAIN
from remem.text.timestamps import parse_time

if TYPE_CHECKING:
    from remem.admin.doctor.chatter import Proposal
    from remem.admin.doctor.facts import LostFact


class Layers(Knowledge):
    """What the doctor mends between notes, MEMORY.md and facts."""

    def keep_stranded(self) -> int:
        """Make entries of lasting statements that only daily notes hold; returns how many."""
        from remem.setup.migrate.lasting_notes import find_lasting, store_statements

        self._mends()
        with self._store.read() as snapshot:
            found = find_lasting(self._parts.layout, snapshot, self._parts.rules(), self._now())
        new = store_statements(self._store, found, self._how, self._now())
        self._upkeep.after_write()
        return new

    def bring_back_facts(self, lost: Sequence[LostFact]) -> int:
        """Put earlier wordings of facts back, as superseded; how many were missing."""
        from remem.admin.doctor.facts import restore_facts

        self._mends()
        return restore_facts(self._knowing, lost)

    def record_facts(self) -> int:
        """Remember the wordings of all facts, so that none can vanish unnoticed."""
        from remem.files.fact_history import record_facts

        self._mends()
        with self._knowing.exclusive():  # or what is just being erased would be noted once more
            return record_facts(self._parts.layout, self.known().facts)

    def chatter_proposal(self) -> Proposal | None:
        """What would change if MEMORY.md lost what belongs to a moment; None for nothing."""
        from remem.admin.doctor.chatter import propose_move

        self._mends()
        today = parse_time(self._now()).astimezone(self._parts.zone).date().isoformat()
        return propose_move(self._parts.layout, self._parts.rules(), today)

    def move_chatter(self, proposal: Proposal) -> str:
        """Carry a proposal out; returns where the earlier bytes of MEMORY.md are kept."""
        from remem.admin.doctor.chatter import move_chatter

        self._mends()
        kept = move_chatter(self._parts.layout, proposal)
        return kept.relative_to(self._parts.layout.root).as_posix()

    def _mends(self) -> None:
        self._owner_only("mends the layers of a memory", "remem doctor")
        if self.scope != MAIN:
            raise NotAllowed("notes, MEMORY.md and facts are main's", hint="omit --session")
