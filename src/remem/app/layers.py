"""Does each layer of the memory do its own job, and how is that mended? The owner's, in main."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from remem.app.facts import Knowledge
from remem.errors import NotAllowed
from remem.model.scope import MAIN
from remem.text.timestamps import parsed

if TYPE_CHECKING:
    from remem.admin.doctor.chatter import Proposal
    from remem.admin.doctor.facts import Lost


class Layers(Knowledge):
    """What the doctor mends between notes, MEMORY.md and facts."""

    def keep_stranded(self) -> int:
        """Make entries of what lasts and stands only in daily notes; how many are new."""
        from remem.setup.migrate.lasting_notes import keep, stranded

        self._mends()
        with self._store.read() as snapshot:
            found = stranded(self._parts.layout, snapshot, self._parts.rules(), self._now())
        new = keep(self._store, found, self._how, self._now())
        self._upkeep.after_write()
        return new

    def bring_back_facts(self, lost: Sequence[Lost]) -> int:
        """Put earlier wordings of facts back, as superseded; how many were missing."""
        from remem.admin.doctor.facts import bring_back

        self._mends()
        return bring_back(self._knowing, lost)

    def record_facts(self) -> int:
        """Remember the wordings of all facts, so that none can vanish unnoticed."""
        from remem.files.fact_history import record_facts

        self._mends()
        with self._knowing.alone():  # or what is just being erased would be noted once more
            return record_facts(self._parts.layout, self.known().facts)

    def chatter_proposal(self) -> Proposal | None:
        """What would change if MEMORY.md lost what belongs to a moment; None for nothing."""
        from remem.admin.doctor.chatter import proposed

        self._mends()
        today = parsed(self._now()).astimezone(self._parts.zone).date().isoformat()
        return proposed(self._parts.layout, self._parts.rules(), today)

    def move_chatter(self, proposal: Proposal) -> str:
        """Carry a proposal out; returns where the earlier bytes of MEMORY.md are kept."""
        from remem.admin.doctor.chatter import move

        self._mends()
        kept = move(self._parts.layout, proposal)
        return kept.relative_to(self._parts.layout.root).as_posix()

    def _mends(self) -> None:
        self._owner_only("mends the layers of a memory", "remem doctor")
        if self.scope != MAIN:
            raise NotAllowed("notes, MEMORY.md and facts are main's", hint="omit --session")
