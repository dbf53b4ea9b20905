"""The status of a memory, rebuilding derived data, and restoring entries from their files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from remem.admin.status import Status, StatusContext, status
from remem.app.context import SessionContext
from remem.app.services.entries import EntryService
from remem.entries.domain_sync.recovery import clear_recovery
from remem.entries.rebuild import RebuildReport, describe_lost, rebuild, restore_from_files
from remem.model.recovery import Recovery
from remem.ports.entries import Transaction
from remem.ports.passages import PassageStore
from remem.search.sync import Freshness


@dataclass(frozen=True, slots=True)
class CareService:
    """Status, rebuilding and restoring of one scope."""

    context: SessionContext
    entries: EntryService
    passages: PassageStore
    freshness: Freshness
    schema: int

    def status(self, trouble: Callable[[], list[str]]) -> Status:
        self.freshness.before_search()
        index = self.entries.readable_index()
        context = StatusContext(
            passages=self.passages,
            scope=self.context.scope,
            counter=self.entries.deps.counter,
            always_loaded=index.tokens if index else 0,
            problems=trouble(),
            schema=self.schema,
        )
        return status(self.entries.store, context)

    def rebuild(self, progress: Callable[[str], None]) -> RebuildReport:
        sync = self.entries.sync
        sync.files.catch_up()
        done = rebuild(self.entries.store, self.context.config.topics, progress)
        sync.after_rebuild()
        self.freshness.reread_all()
        return done

    def restore_from_files(self) -> RebuildReport:
        layout, scope, store = self.context.layout, self.context.scope, self.entries.store
        done = restore_from_files(store, layout, scope, self.entries.deps, self.context.now())
        self.entries.sync.after_rebuild()
        # The first operation on a workspace may already have restored lost entries.
        earlier = self.settle_recovery()
        if earlier is None:
            return done
        return replace(
            done,
            entries=done.entries + earlier.restored,
            lowered=done.lowered + earlier.lowered,
            missing=tuple(describe_lost(store, layout, scope)),
        )

    def settle_recovery(self) -> Recovery | None:
        """What the database had lost and got back; the record is cleared."""
        self.context.require_owner("settles a recovery", "remem doctor --repair")
        return clear_recovery(self.entries.store)

    def rewrite_files(self, file_keys: Sequence[str]) -> None:
        """Write files again, even if they seem to be up to date."""

        def operation(tx: Transaction) -> None:
            for file_key in file_keys:
                tx.add_to_outbox(file_key)

        self.entries.store.write(operation)
        self.entries.sync.files.catch_up()
