"""Migration, validation, activation and rollback of main's memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from remem.app.context import Resources, SessionContext
from remem.app.searching import RecallService
from remem.app.services.entries import EntryService
from remem.app.services.files import FileService
from remem.app.services.start_text import StartService
from remem.entries.index import make_index
from remem.entries.index_lines import lines_of
from remem.entries.index_shown import chosen_lines
from remem.entries.index_tokens import CautiousCounter
from remem.entries.verdicts import index_choices
from remem.errors import NotAllowed
from remem.model.entry import Entry
from remem.ports.entries import Store
from remem.ports.records import Where
from remem.setup import activate
from remem.setup.activate import ActivationResult, RollbackResult
from remem.setup.migrate.account import Migration
from remem.setup.migrate.migrate import MigrationJob, as_dry_run, migrate
from remem.setup.migrate.sources import FileChoice
from remem.setup.migrate.undo import UndoneMigration, undo_migration
from remem.setup.validate.result import Validation
from remem.setup.validate.validate import ValidationQueries, validate

_SAMPLE_SIZE: Final = 40
_MAX_LISTED: Final = 20


@dataclass(frozen=True, slots=True)
class SetupService:
    """Migrates, validates and activates main's memory."""

    context: SessionContext
    resources: Resources
    entries: EntryService
    recall: RecallService
    files: FileService
    start: StartService

    def migrate(
        self, choice: FileChoice, *, dry_run: bool, progress: Callable[[int, int], None]
    ) -> Migration:
        self._require_migrator()
        store, sync = self.entries.store, self.entries.sync
        sync.before_read()
        if not dry_run:
            migration = self._migrate(store, choice, progress)
            sync.after_write()
            return migration
        with store.read() as snapshot, self.resources.store_copy() as copy:
            return as_dry_run(self._migrate(copy, choice, progress), snapshot)

    def undo_migration(self) -> UndoneMigration:
        self._require_migrator()
        self.entries.sync.before_read()
        now, topics = self.context.now(), self.entries.deps.topics
        undone = self.entries.store.write(undo_migration(now, topics))
        self.entries.sync.after_write()
        return undone

    def _require_migrator(self) -> None:
        self.context.require_owner("migrate memory files", "remem migrate")
        self.context.require_main("the files that migration reads belong to main")

    def validate(self, progress: Callable[[str], None]) -> Validation:
        self.context.require_main("validation and activation belong to main")
        self.entries.sync.before_recall()
        queries = ValidationQueries(
            search=self.files.search_for_host,
            recall=self.recall.recall_unrecorded,
            get=self.files.get_for_host,
            index=self.entries.index,
            has_entries_of=self._has_entries_of,
            find=self._find,
            entries=self.sample_entries,
            start=self.start.preview,
            count=CautiousCounter(self.entries.deps.counter).count,
            dropped_lines=self._dropped_lines,
        )
        context = self.context
        return validate(
            context.layout, context.config.extra_paths, queries, self.resources.self_test, progress
        )

    def activate(
        self, approve: Callable[[str], bool], progress: Callable[[str], None]
    ) -> ActivationResult:
        self._require_activator("activate a memory", "remem activate")
        layout, id_ = self.context.layout, self.resources.random_bytes(4).hex()
        diff = activate.planned_diff(layout, id_)
        if diff:
            validation = self.validate(progress)
            _require_passed(validation)
            if not approve(diff + _no_longer_loaded(validation)):
                return ActivationResult(activate.FILE, changed=False)
        return activate.activate(layout, id_)

    def roll_back(self) -> RollbackResult:
        self._require_activator("undo an activation", "remem rollback")
        return activate.roll_back(self.context.layout)

    def sample_entries(self) -> list[Entry]:
        """Return some live entries, evenly spread, from which validation takes its sample."""
        with self.entries.store.read() as snapshot:
            ids = snapshot.ids()
            entries = snapshot.find(ids[:: max(1, len(ids) // _SAMPLE_SIZE)])
        return [entry for entry in entries.values() if entry.live]

    def _require_activator(self, action: str, command: str) -> None:
        self.context.require_owner(action, command)
        self.context.require_main("validation and activation belong to main")

    def _migrate(
        self, store: Store, choice: FileChoice, progress: Callable[[int, int], None]
    ) -> Migration:
        context, deps = self.context, self.entries.deps
        job = MigrationJob(
            store,
            context.layout,
            self.resources.extractor(),
            deps,
            context.now(),
            context.trust,
            choice,
            progress,
            own_memories=self.resources.own_memories(),
        )
        migration = migrate(job)
        with store.read() as snapshot:
            index = make_index(snapshot, deps.counter, context.config.index_tokens)
        return replace(migration, tokens=replace(migration.tokens, index=index.tokens))

    def _has_entries_of(self, file: str) -> bool:
        owner_entries = Where(trust="owner", from_source=file)
        with self.entries.store.read() as snapshot:
            return bool(snapshot.select(owner_entries, limit=1))

    def _dropped_lines(self) -> set[tuple[str, int]]:
        """Return the files and line numbers of the entries that the owner left out of the index.

        They dropped the entry, or left out its line when they curated the index.
        """
        with self.entries.store.read() as snapshot:
            choices = index_choices(snapshot)
            entries = list(snapshot.find([id_ for id_, _line in choices.drops]).values())
            entries += [
                entry
                for entry in snapshot.select(Where(trust="owner"))
                if lines_of(entry) and not chosen_lines(entry, choices)
            ]
        return {
            (origin.source, origin.position)
            for entry in entries
            for origin in entry.origins
            if origin.position is not None
        }

    def _find(self, ids: Sequence[str]) -> list[Entry]:
        with self.entries.store.read() as snapshot:
            entries = snapshot.find(ids)
        return [entries[id_] for id_ in ids if id_ in entries]


def _no_longer_loaded(validation: Validation) -> str:
    lines = validation.no_longer_loaded
    if not lines:
        return ""
    listed = [f"  {line}" for line in lines[:_MAX_LISTED]]
    if len(lines) > _MAX_LISTED:
        listed.append(f"  and {len(lines) - _MAX_LISTED} more")
    title = (
        "Hosts that load MEMORY.md get the index in its place. Conversations no longer start with "
        "these lines; memory_recall finds them:"
    )
    return "\n".join(["", title, *listed, ""])


def _require_passed(validation: Validation) -> None:
    failed = [check for check in validation.checks if not check.passed]
    if failed:
        failures = "; ".join(f"{check.number}. {check.name}: {check.summary}" for check in failed)
        raise NotAllowed(
            f"AGENTS.md was not changed: the memory is not ready to be activated ({failures})",
            hint="until it is, conversations start as before; `remem validate` says what helps, "
            "then `remem activate` tries again",
        )
