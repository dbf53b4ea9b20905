"""What becomes of what nobody needs? It fades, and whoever needs it brings it back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from remem.errors import UnknownEntry
from remem.workspace.care import Care

if TYPE_CHECKING:
    from remem.maintenance.decay.citations import Counted
    from remem.maintenance.decay.result import Decayed, Reinforced, Undone
    from remem.maintenance.decay.run import Decaying


class Decays(Care):
    """Reinforcement and decay of one session's entries."""

    def reinforce(self, id: str) -> Reinforced:  # noqa: A002 - as the tool calls it
        """This memory still matters: it fades more slowly, and stands again if it had faded."""
        from remem.maintenance.decay.reinforcing import reinforce

        now, topics = self._now(), self._how.topics
        try:
            done = self._store.write(lambda tx: reinforce(tx, id, now, topics))
        except UnknownEntry as error:
            raise self._explained(error, [id]) from None
        self._upkeep.after_write()
        return done

    def decay(self, *, dry_run: bool = False, explain: bool = False) -> Decayed:
        """Archive the low memories that nobody used for long; what was cited counts first."""
        from remem.maintenance.decay.run import decay

        self._owner_only("lets memory fade", "remem decay")
        self._upkeep.before_read()
        counted = None if dry_run else self.count_citations()
        done = decay(self._decaying(), dry_run=dry_run, explain=explain)
        self._upkeep.after_write()
        if counted is None:
            return done
        return replace(done, uses_found=counted.uses, notes=counted.troubles)

    def undo_decay(self) -> Undone:
        """What the last run archived stands again."""
        from remem.maintenance.decay.run import undo

        self._owner_only("brings memory back", "remem decay --undo")
        done = undo(self._decaying())
        self._upkeep.after_write()
        return done

    def count_citations(self) -> Counted:
        """Ids that the agent cites in conversations that may be read are uses, each once."""
        from remem.maintenance.decay.citations import Counted, count_citations

        parts = self._parts
        if str(parts.scope) not in parts.config.transcripts:
            return Counted()
        listing = parts.transcripts()
        counted = count_citations(self._store, listing.transcripts, self._now(), self._how.topics)
        return Counted(counted.uses, (*listing.troubles, *counted.troubles))

    def _decaying(self) -> Decaying:
        from remem.maintenance.decay.run import Decaying

        return Decaying(self._store, str(self.scope), self._how.topics, self._now())
