"""Scheduled work and repairs: `workspace.maintenance`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from remem.app import ignore_progress

if TYPE_CHECKING:
    from remem.app.composition import Services
    from remem.entries.decay import DecayReport, UndoneDecay
    from remem.entries.rebuild import RebuildReport
    from remem.files.domain_file.details import Form
    from remem.learn.consolidate.result import Consolidation, UndoResult
    from remem.learn.flush.result import FlushResult
    from remem.learn.heartbeat import Heartbeat
    from remem.learn.synthesize.plan import Synthesis


class MaintenanceFacade:
    """Learning from past conversations, decay, and rebuilding derived data."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def heartbeat(
        self, days: int = 7, progress: Callable[[int, int], None] = ignore_progress
    ) -> Heartbeat:
        """Store lasting statements from recent conversations and, in main, from daily notes.

        Args:
            days: How far back to read; texts that were read before are not read again.
            progress: Called with the number of conversations read and the total number.
        """
        return self._services.learning.heartbeat(days, progress)

    def consolidate(
        self,
        days: int = 60,
        *,
        explain: bool = False,
        progress: Callable[[int, int], None] = ignore_progress,
    ) -> Consolidation:
        """Store statements that recur in several conversations, after a `heartbeat`.

        Args:
            days: How far back.
            explain: Also list statements that were not stored, and why.
            progress: Called with the number of conversations read and the total number.

        Returns:
            The stored statements with reasons, and the contradictions that were found.
        """
        return self._services.learning.consolidate(days, explain=explain, progress=progress)

    def undo_consolidation(self) -> UndoResult:
        """Undo the last `consolidate`, except for entries and facts that have changed since."""
        return self._services.learning.undo_consolidation()

    def synthesize(
        self, entities: Sequence[str] = (), progress: Callable[[str], None] = ignore_progress
    ) -> Synthesis:
        """Write the summaries of entities; text that a person wrote in them is kept.

        Args:
            entities: Names or ids. Without any, all summaries are written, and also
                `main/longterm.md` and `main/daily-synced.md`.
            progress: Called with the path of each page.
        """
        return self._services.summaries.synthesize(entities, progress)

    def flush_idle(self) -> list[FlushResult]:
        """Flush the conversations that have been idle for half an hour, once each."""
        return self._services.flushes.flush_idle()

    def decay(self, *, dry_run: bool = False, explain: bool = False) -> DecayReport:
        """Archive low-priority entries that have not been used for a long time. Owner only.

        Args:
            dry_run: Only report what would be archived.
            explain: Add the reasons for every entry.
        """
        return self._services.maintenance.decay(dry_run=dry_run, explain=explain)

    def undo_decay(self) -> UndoneDecay:
        """Restore what the last `decay` archived. Owner only."""
        return self._services.maintenance.undo_decay()

    def rebuild(
        self, progress: Callable[[str], None] = ignore_progress, *, form: Form | None = None
    ) -> RebuildReport:
        """Drop everything that is derived from the entries and rebuild it.

        `form` chooses where domain files keep metadata from now on: `new`, at the end of the file,
        or `old`, in comments on the entries' lines.
        """
        return self._services.maintenance.rebuild(progress, form)

    def restore_from_files(self) -> RebuildReport:
        """Restore the entries of a lost database from the domain files. Owner only."""
        return self._services.maintenance.restore_from_files()

    def embed_pending(self, progress: Callable[[int], None] = ignore_progress) -> int:
        """Make the missing vectors of entries now, and return how many were made."""
        return self._services.sync.embed_pending(progress)
