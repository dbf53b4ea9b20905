"""Status, rebuilding, restoring entries from their files, and decay."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from remem.admin.status import Status, status
from remem.app.context import Resources, SessionContext
from remem.app.services.entries import EntryService
from remem.errors import FileError, StoreError
from remem.fast_dataclass import dataclass
from remem.model.recovery import Recovery

if TYPE_CHECKING:
    from remem.entries.citations import CitationCount
    from remem.entries.decay import DecayJob, DecayReport, UndoneDecay
    from remem.entries.rebuild import RebuildReport
    from remem.files.domain_file.details import Form
    from remem.ports.entries import Transaction
    from remem.ports.passages import PassageStore
    from remem.search.sync import Freshness


@dataclass(frozen=True, slots=True)
class MaintenanceService:
    """Reports on, rebuilds and restores one scope, and archives its unused entries.

    Citations in the transcripts that the scope may read count as uses.
    """

    context: SessionContext
    resources: Resources
    entries: EntryService
    passages: PassageStore
    freshness: Freshness

    def status(self, problems: Callable[[], list[str]]) -> Status:
        self.freshness.read_changes()
        hint = self.freshness.language_hint()
        spaces, damage = self._spaces()
        store_name = self.resources.store_name
        report = status(
            self.entries.store,
            self.passages,
            scope=str(self.context.scope),
            token_counter=self.entries.deps.counter.name,
            index_tokens=self._index_tokens(),
            problems=[*problems(), *damage, *([hint] if hint else [])],
            schema=self.resources.schema,
            store_name=store_name if self.context.is_main else store_name.split(":")[0],
        )
        return replace(report, spaces=spaces or None)

    def _spaces(self) -> tuple[dict[str, str], list[str]]:
        """Return the shared spaces of the session with its level, and why they cannot be read."""
        if self.context.scope.kind == "shared" or not self.context.may_have_spaces:
            return {}, []
        from remem.entries.spaces.listing import spaces_of  # lazy: most workspaces share nothing

        try:
            return dict(spaces_of(self.context.space_list(), self.context.session)), []
        except (FileError, StoreError) as error:
            return {}, [str(error)]

    def _index_tokens(self) -> int:
        try:
            return self.entries.index_text().tokens
        except StoreError:  # the status says why
            return 0

    def rebuild(self, progress: Callable[[str], None], form: Form | None) -> RebuildReport:
        from remem.entries.rebuild import rebuild  # lazy, so that a status is fast

        sync = self.entries.sync
        sync.files.catch_up()
        report = rebuild(self.entries.store, self.context.config.topics, progress, form)
        sync.after_rebuild()
        self.freshness.reread_all()
        return report

    def restore_from_files(self) -> RebuildReport:
        from remem.entries.rebuild import describe_lost, restore_from_files

        layout, scope, store = self.context.layout, self.context.scope, self.entries.store
        report = restore_from_files(store, layout, scope, self.entries.deps, self.context.now())
        self.entries.sync.after_rebuild()
        # The first operation on a workspace may already have restored lost entries.
        earlier = self.clear_recovery()
        if earlier is None:
            return report
        return replace(
            report,
            entries=report.entries + earlier.restored,
            lowered=report.lowered + earlier.lowered,
            missing=tuple(describe_lost(store, layout, scope)),
        )

    def clear_recovery(self) -> Recovery | None:
        """Clear the record of a recovery, and return it."""
        from remem.entries.domain_sync.recovery import clear_recovery

        self.context.require_owner("clear the record of a recovery", "remem doctor --repair")
        return clear_recovery(self.entries.store)

    def rewrite_files(self, file_keys: Sequence[str]) -> None:
        """Write files again, even if they seem to be up to date."""

        def operation(tx: Transaction) -> None:
            for file_key in file_keys:
                tx.add_to_outbox(file_key)

        self.entries.store.write(operation)
        self.entries.sync.files.catch_up()

    def decay(self, *, dry_run: bool, explain: bool) -> DecayReport:
        from remem.entries.decay import decay

        self.context.require_owner("archive unused memories", "remem decay")
        self.entries.sync.before_read()
        citations = None if dry_run else self.count_citations()
        report = decay(self._job(), dry_run=dry_run, explain=explain)
        self.entries.sync.after_write()
        if citations is None:
            return report
        return replace(report, uses_found=citations.uses, notes=citations.problems)

    def undo_decay(self) -> UndoneDecay:
        from remem.entries.decay import undo_decay

        self.context.require_owner("restore archived memories", "remem decay --undo")
        report = undo_decay(self._job())
        self.entries.sync.after_write()
        return report

    def count_citations(self) -> CitationCount:
        """Count each id that the agent has cited in a conversation as one use."""
        from remem.entries.citations import CitationCount, count_citations

        if not self.context.reads_transcripts:
            return CitationCount()
        listing = self.resources.transcripts()
        topics = self.context.config.topics
        citations = count_citations(
            self.entries.store, listing.transcripts, self.context.now(), topics
        )
        return CitationCount(citations.uses, (*listing.problems, *citations.problems))

    def _job(self) -> DecayJob:
        from remem.entries.decay import DecayJob

        context = self.context
        return DecayJob(
            self.entries.store, str(context.scope), context.config.topics, context.now()
        )
