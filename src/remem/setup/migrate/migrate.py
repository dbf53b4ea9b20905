"""Migrate existing memory files into entries.

Every file is stored completely, in one transaction with the list of its lines. The next run
finishes an interrupted one, and a run over unchanged files changes nothing. A dry run works on a
copy of the store.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Final

from remem.entries.index_evidence import MIGRATED_FILES, PAGES
from remem.files.layout import Layout
from remem.files.own_memory import OwnMemory
from remem.files.walking import MemoryFile
from remem.model.entry import Category, Trust
from remem.ports import StoreDependencies
from remem.ports.entries import EntryReader, Snapshot, Store, Transaction
from remem.ports.models import Extractor
from remem.ports.records import Where
from remem.setup.migrate.account import (
    BLANK,
    FileAccount,
    LineOutcome,
    Migration,
    RemovedLine,
    Tokens,
)
from remem.setup.migrate.matching import read_rows, write_rows
from remem.setup.migrate.plan import FilePlan, plan_file
from remem.setup.migrate.reversals import (
    MigratedStatement,
    find_reversals,
    migrated_statement,
    supersede_decided,
)
from remem.setup.migrate.sources import FileChoice, files_to_migrate, read_sources
from remem.setup.migrate.storing import (
    KnownEntry,
    MissingLines,
    StatementResult,
    remove_lines,
    store_plans,
)
from remem.setup.migrate.undo import begin_run, finish_run

_BATCH_STATEMENTS: Final = 400
_BATCH_CHARACTERS: Final = 2_000_000


@dataclass(frozen=True, slots=True)
class MigrationJob:
    """The dependencies of a migration; it also reads the agents' `own_memories`."""

    store: Store
    layout: Layout
    extractor: Extractor
    deps: StoreDependencies
    now: str
    trust: Trust
    choice: FileChoice
    progress: Callable[[int, int], None] = lambda _done, _files: None
    own_memories: Sequence[OwnMemory] = ()


@dataclass(slots=True)
class _RunState:
    """The results of a run so far; `known_entries` are found by the hash of a statement."""

    known_entries: dict[int, KnownEntry] = field(default_factory=dict)
    accounts: list[FileAccount] = field(default_factory=list)
    missing_lines: list[MissingLines] = field(default_factory=list)
    statements: list[MigratedStatement] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    pages: set[str] = field(default_factory=set)
    curated_tokens: int = 0
    note_tokens: int = 0


def migrate(job: MigrationJob) -> Migration:
    """Store every lasting statement as an entry, and account for every line."""
    state = _RunState()
    all_files = files_to_migrate(job.layout, state.problems, job.own_memories)
    job.store.write(lambda tx: begin_run(tx, job.now))
    for batch in _batches(job, state, job.choice.select(all_files), all_files):
        _store_batch(job, state, batch)
    reversals = find_reversals(state.statements)
    job.store.write(supersede_decided(reversals, job.now, job.deps.topics))
    removed = job.store.write(remove_lines(state.missing_lines, job.now, job.deps.topics))
    removed += _lines_of_missing_files(job, {file.path for file in all_files})
    paths = {account.path for account in state.accounts}
    job.store.write(lambda tx: _finish(tx, paths, state.pages))
    with job.store.read() as snapshot:
        entries = sum(tally.tokens for tally in snapshot.tally("all", Where()).values())
    return Migration(
        dry_run=False,
        files=tuple(state.accounts),
        reversals=tuple(reversals),
        removed=tuple(removed),
        redacted=sum(account.redacted for account in state.accounts),
        problems=tuple(state.problems),
        tokens=Tokens(state.curated_tokens, state.note_tokens, entries, 0),
    )


def _batches(
    job: MigrationJob,
    state: _RunState,
    files: Sequence[MemoryFile],
    all_files: Sequence[MemoryFile],
) -> Iterator[list[FilePlan]]:
    """Yield the plans of `files`, in batches that are small enough for one transaction."""
    batch: list[FilePlan] = []
    sources = read_sources(files, state.problems, all_files, job.own_memories)
    for number, source in enumerate(sources, start=1):
        with job.store.read() as snapshot:
            batch.append(plan_file(source, job.extractor, snapshot, job.now, job.trust))
        job.progress(number, len(files))
        statements = sum(len(plan.items) for plan in batch)
        characters = sum(len(plan.source.text) for plan in batch)
        if statements >= _BATCH_STATEMENTS or characters >= _BATCH_CHARACTERS:
            yield batch
            batch = []
    if batch:
        yield batch


def _store_batch(job: MigrationJob, state: _RunState, batch: list[FilePlan]) -> None:
    results_by_file, new_entries = job.store.write(
        store_plans(batch, state.known_entries, job.deps, job.now)
    )
    state.known_entries = {**new_entries, **state.known_entries}
    for plan, results in zip(batch, results_by_file, strict=True):
        path = plan.source.path
        if plan.missing_rows:
            state.missing_lines.append(MissingLines(path, plan.missing_rows, plan.pointed_to))
        tokens = job.deps.counter.count(plan.source.text)
        if plan.source.is_owners:
            state.curated_tokens += tokens
        else:
            state.note_tokens += tokens
        state.accounts.append(_account(plan, results, tokens))
        if plan.source.is_page:
            state.pages.add(path)
        for item, result in zip(plan.items, results, strict=True):
            if result.outcome == "taken" and item.statement.status == "current":
                state.statements.append(migrated_statement(plan, item, result.id))


def _account(plan: FilePlan, results: Sequence[StatementResult], tokens: int) -> FileAccount:
    lines = {number: LineOutcome(number, "left", why) for number, why in plan.skipped.items()}
    categories: Counter[Category] = Counter()
    for item, result in zip(plan.items, results, strict=True):
        why = result.why or item.statement.why
        category = None if result.outcome == "left" else result.category or item.draft.category
        for number in item.statement.lines:
            lines[number] = LineOutcome(number, result.outcome, why, result.id, category)
        if category and result.change in ("new", "changed"):
            categories[category] += 1
    every_line = (
        lines.get(number) or LineOutcome(number, "left", BLANK)
        for number in range(1, plan.total_lines + 1)
    )
    changes = [result.change for result in results if result.outcome != "left"]
    return FileAccount(
        path=plan.source.path,
        lines=tuple(every_line),
        tokens=tokens,
        new=changes.count("new"),
        changed=changes.count("changed"),
        unchanged=changes.count("unchanged"),
        redacted=plan.redacted,
        categories=dict(categories),
    )


def _lines_of_missing_files(job: MigrationJob, existing_paths: Set[str]) -> list[RemovedLine]:
    """Return the lines of files that an earlier run read and that no longer exist.

    Old notes are often moved away or deleted, but what they say is still true, so their entries are
    kept. Their rows are kept as rows of removed lines.
    """

    def operation(tx: Transaction) -> list[RemovedLine]:
        removed: list[RemovedLine] = []
        for path in sorted(set(_migrated_files(tx)) - existing_paths):
            rows = [row for row in read_rows(tx, path) if row.line]
            entries = tx.find(row.id for row in rows)
            removed += [
                RemovedLine(path, row.line, row.id, entries[row.id].content)
                for row in rows
                if row.id in entries
            ]
            write_rows(tx, path, [replace(row, line=0) for row in rows])
            tx.put_record(MIGRATED_FILES, "", tuple(sorted(set(_migrated_files(tx)) - {path})))
        return removed

    return job.store.write(operation)


def _migrated_files(reader: EntryReader) -> tuple[str, ...]:
    """Return the files of earlier completed runs."""
    return reader.record(MIGRATED_FILES) or ()


def _finish(tx: Transaction, paths: Set[str], pages: Set[str]) -> None:
    tx.put_record(MIGRATED_FILES, "", tuple(sorted({*_migrated_files(tx), *paths})))
    earlier_pages = tx.record(PAGES)
    tx.put_record(PAGES, "", tuple(sorted((set(earlier_pages or ()) - paths) | pages)))
    finish_run(tx)


def as_dry_run(migration: Migration, snapshot: Snapshot) -> Migration:
    """Return the account of a run on a copy, without the ids of entries that exist only there."""
    ids = {line.id for file in migration.files for line in file.lines}
    existing = set(snapshot.find(id_ for id_ in ids if id_))

    def existing_id(id_: str | None) -> str | None:
        return id_ if id_ in existing else None

    files = [
        replace(file, lines=tuple(replace(line, id=existing_id(line.id)) for line in file.lines))
        for file in migration.files
    ]
    reversals = [
        replace(
            reversal,
            earlier=replace(reversal.earlier, id=existing_id(reversal.earlier.id)),
            later=replace(reversal.later, id=existing_id(reversal.later.id)),
        )
        for reversal in migration.reversals
    ]
    return replace(migration, dry_run=True, files=tuple(files), reversals=tuple(reversals))
