"""Operations on a memory as a whole: status, migration, rebuild, restore, forget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from remem.app.entries import Entries
from remem.entries import lifecycle
from remem.errors import NotAllowed, StoreError, UnknownEntry

if TYPE_CHECKING:
    from remem.admin.status import Status
    from remem.entries.index import Index
    from remem.entries.lifecycle import ForgetReport
    from remem.entries.rebuild import RebuildReport
    from remem.model.recovery import Recovery
    from remem.ports.entries import Store, Transaction
    from remem.setup.migrate.account import Migration


class Care(Entries):
    """Status and rebuilding; each operation imports what it needs when it is called."""

    def status(self) -> Status:
        """What the memory holds, what it costs, and what is degraded."""
        from remem.admin.status import StatusContext, status

        self._freshness.before_search()
        around = StatusContext(
            passages=self._parts.passages,
            scope=self.scope,
            counter=self._parts.counter,
            always_loaded=index.tokens if (index := self._readable_index()) else 0,
            trouble=self.trouble,
            schema=self._parts.schema,
        )
        return status(self._store, around)

    def _readable_index(self) -> Index | None:
        try:
            return self.index()
        except StoreError:  # status itself says why there is none
            return None

    def rebuild(self, progress: Callable[[str], None] = lambda _step: None) -> RebuildReport:
        """Drop every projection of this scope and rebuild it from the entries."""
        from remem.entries.rebuild import rebuild

        self._upkeep.files.catch_up()
        done = rebuild(self._store, self._how.topics, progress)
        self._upkeep.after_rebuild()
        self._freshness.reread_all()
        return done

    def migrate(
        self,
        *,
        dry_run: bool = False,
        progress: Callable[[int, int], None] = lambda _done, _files: None,
    ) -> Migration:
        """Make entries of MEMORY.md, USER.md and the notes; the files stay as they are.

        A dry run does the same on a copy of the record.
        """
        self._owner_only("migrates memory", "remem migrate")
        if self.scope.kind != "main":
            raise NotAllowed("migration reads the owner's files: main alone", hint="omit --session")
        self._upkeep.before_read()
        if not dry_run:
            done = self._migrated(self._store, progress)
            self._upkeep.after_write()
            return done
        from remem.setup.migrate.migrate import as_dry_run

        with self._store.read() as snapshot, self._parts.copied_record() as copy:
            return as_dry_run(self._migrated(copy, progress), snapshot)

    def _migrated(self, store: Store, progress: Callable[[int, int], None]) -> Migration:
        from remem.entries.index import make_index
        from remem.setup.migrate.migrate import MigrationJob, migrate  # nothing else needs it

        parts = self._parts
        done = migrate(
            MigrationJob(
                store,
                parts.layout,
                parts.extractor(),
                self._how,
                self._now(),
                parts.trust,
                progress,
            )
        )
        with store.read() as snapshot:
            index = make_index(snapshot, parts.counter, parts.config.index_tokens)
        return replace(done, tokens=replace(done.tokens, index=index.tokens))

    def restore_from_files(self) -> RebuildReport:
        """Bring back the entries of a lost database from the domain files."""
        from remem.entries.rebuild import describe_lost, restore_from_files

        done = restore_from_files(
            self._store, self._parts.layout, self.scope, self._how, self._now()
        )
        self._upkeep.after_rebuild()
        # Opening may have found and restored them already.
        earlier = self.settle_recovery()
        if earlier is None:
            return done
        return replace(
            done,
            entries=done.entries + earlier.restored,
            lowered=done.lowered + earlier.lowered,
            missing=tuple(describe_lost(self._store, self._parts.layout, self.scope)),
        )

    def settle_recovery(self) -> Recovery | None:
        """What the database had lost and got back, and is on record until this is called."""
        from remem.entries.domain_sync.recovery import clear_recovery

        self._owner_only("settles a recovery", "remem doctor --repair")
        return clear_recovery(self._store)

    def forget(self, id: str) -> ForgetReport:  # noqa: A002 - as the tool calls it
        """Archive an entry: out of recall and the files, still readable by its id."""
        now, topics = self._now(), self._how.topics
        try:
            done = self._store.write(lambda tx: lifecycle.forget(tx, id, now, topics))
        except UnknownEntry as error:
            raise self._explained(error, [id]) from None
        self._upkeep.after_write()
        return done

    def write_again(self, marks: Sequence[str]) -> None:
        """Write files that are not as they should be, whatever was written to them last."""

        def operation(tx: Transaction) -> None:
            for mark in marks:
                tx.mark(mark)

        self._store.write(operation)
        self._upkeep.files.catch_up()

    def write_files(self) -> None:
        """Wait until every file says what the store says."""
        self._upkeep.files.catch_up()

    def embed_pending(self, progress: Callable[[int], None] = lambda _done: None) -> int:
        """Make every missing vector now."""
        return self._upkeep.embed_pending(progress)
