"""What can be done about a memory as a whole? Its projections, vectors and files."""

from __future__ import annotations

from collections.abc import Callable

from remem.audit import Status, Surroundings, status
from remem.maintenance.rebuild import Rebuilt, rebuild, restore_from_files
from remem.workspace.entries import Entries


class Care(Entries):
    """Status, and making anew what is derived."""

    def status(self) -> Status:
        """What the memory holds, what it costs, and what is degraded."""
        around = Surroundings(
            layout=self._parts.layout,
            scope=self.scope,
            counter=self._parts.counter,
            always_loaded=self.index().tokens,
            trouble=self.trouble,
            schema=self._parts.schema,
        )
        return status(self._store, around)

    def rebuild(self, progress: Callable[[str], None] = lambda _step: None) -> Rebuilt:
        """Drop every projection of this scope and make it anew from the entries."""
        self._upkeep.files.catch_up()
        done = rebuild(self._store, self._how.topics, progress)
        self._upkeep.after_rebuild()
        return done

    def restore_from_files(self) -> Rebuilt:
        """Bring back the entries of a lost database from the domain files."""
        done = restore_from_files(
            self._store, self._parts.layout, self.scope, self._how, self._now()
        )
        self._upkeep.after_rebuild()
        return done

    def write_files(self) -> None:
        """Wait until every file says what the store says."""
        self._upkeep.files.catch_up()

    def embed_pending(self, progress: Callable[[int], None] = lambda _done: None) -> int:
        """Make every missing vector now."""
        return self._upkeep.embed_pending(progress)
