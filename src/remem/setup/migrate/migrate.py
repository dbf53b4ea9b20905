"""What would a migration do? It is done on a copy, and told without what is on the copy alone.

How does memory that people already have become entries? From the first file to the account.

Every file is stored whole, in one durable step with the list of its lines: a run that is
killed anywhere is finished by the next one, and a run over unchanged files changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from remem.entries.receipt import Remembering
from remem.files.layout import Layout
from remem.files.walking import MemoryFile
from remem.model.entry import Trust
from remem.ports.entries import Snapshot, Store
from remem.ports.models import Extractor
from remem.setup.migrate.account import BLANK, FileAccount, Line, Migration, Removed, Said, Tokens
from remem.setup.migrate.plan import (
    Item,
    Plan,
    forget_files,
    keep_files,
    listed,
    migrated_files,
    plan_file,
    read_rows,
    sources,
)
from remem.setup.migrate.storing import (
    Claim,
    Done,
    Known,
    Stored,
    find_reversals,
    store_plans,
    supersede_decided,
)

_STATEMENTS: Final = 400
_CHARACTERS: Final = 2_000_000


@dataclass(frozen=True, slots=True)
class Migrating:
    """What a migration works with."""

    store: Store
    layout: Layout
    extractor: Extractor
    how: Remembering
    now: str
    trust: Trust
    progress: Callable[[int, int], None] = lambda _done, _files: None


@dataclass(slots=True)
class _Ongoing:
    """What a run has found out so far; no text is kept of what needs none."""

    known: dict[int, Known] = field(default_factory=dict)
    accounts: list[FileAccount] = field(default_factory=list)
    removed: list[Removed] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    trouble: list[str] = field(default_factory=list)
    curated: int = 0
    notes: int = 0


def migrate(job: Migrating) -> Migration:
    """Entries of every statement that lasts, and the account of every line."""
    so_far = _Ongoing()
    chosen = listed(job.layout, so_far.trouble)
    for batch in _batches(job, so_far, chosen):
        for plan, stored in zip(batch, _stored(job, so_far, batch), strict=True):
            _take_note(job, so_far, plan, stored)
    reversals = find_reversals(so_far.claims)
    so_far.removed += _files_gone(job, [memory_file.path for memory_file in chosen])
    operation = supersede_decided(reversals, job.now, job.how.topics)
    job.store.write(operation)
    paths = [account.path for account in so_far.accounts]
    job.store.write(lambda tx: keep_files(tx, paths))
    with job.store.read() as snapshot:
        entries = snapshot.counts().tokens
    return Migration(
        dry_run=False,
        files=tuple(so_far.accounts),
        reversals=tuple(reversals),
        removed=tuple(so_far.removed),
        redacted=sum(account.redacted for account in so_far.accounts),
        trouble=tuple(so_far.trouble),
        tokens=Tokens(so_far.curated, so_far.notes, entries, 0),
    )


def _batches(
    job: Migrating, so_far: _Ongoing, chosen: Sequence[MemoryFile]
) -> Iterator[list[Plan]]:
    """Small files share a step; a large one has its own. No more is held at a time."""
    batch: list[Plan] = []
    for number, source in enumerate(sources(chosen, so_far.trouble), start=1):
        with job.store.read() as snapshot:
            batch.append(plan_file(source, job.extractor, snapshot, job.now, job.trust))
        job.progress(number, len(chosen))
        statements = sum(len(plan.items) for plan in batch)
        if statements >= _STATEMENTS or sum(len(p.source.text) for p in batch) >= _CHARACTERS:
            yield batch
            batch = []
    if batch:
        yield batch


def _stored(job: Migrating, so_far: _Ongoing, batch: list[Plan]) -> Sequence[Stored]:
    step = job.store.write(store_plans(batch, so_far.known, job.how, job.now))
    for wording, held in step.known.items():
        so_far.known.setdefault(wording, held)
    for file in step.files:
        so_far.removed += file.removed
    return step.files


def _take_note(job: Migrating, so_far: _Ongoing, plan: Plan, stored: Stored) -> None:
    tokens = job.how.counter.count(plan.source.text)
    if plan.source.owned:
        so_far.curated += tokens
    else:
        so_far.notes += tokens
    so_far.accounts.append(_account(plan, stored.done, tokens))
    for item, done in zip(plan.items, stored.done, strict=True):
        if done.outcome == "taken" and item.statement.standing == "current":
            so_far.claims.append(_claim(plan, item, done))


def _account(plan: Plan, done: Sequence[Done], tokens: int) -> FileAccount:
    lines = {number: Line(number, "left", why) for number, why in plan.left.items()}
    for item, result in zip(plan.items, done, strict=True):
        why = result.why or item.statement.why
        category = None if result.outcome == "left" else result.category or item.draft.category
        for number in item.statement.lines:
            lines[number] = Line(number, result.outcome, why, result.id, category)
    whole = (lines.get(n) or Line(n, "left", BLANK) for n in range(1, plan.total_lines + 1))
    changes = [each.change for each in done if each.outcome != "left"]
    return FileAccount(
        path=plan.source.path,
        lines=tuple(whole),
        tokens=tokens,
        new=changes.count("new"),
        changed=changes.count("changed"),
        unchanged=changes.count("unchanged"),
        redacted=plan.redacted,
    )


def _claim(plan: Plan, item: Item, done: Done) -> Claim:
    statement = item.statement
    said = Said(plan.source.path, item.line, item.draft.content, done.id, statement.day)
    words = item.draft.content
    if statement.topic:
        words = words.removeprefix(f"{statement.topic}: ")
    headings = (statement.topic,) if statement.topic else ()
    return Claim(said, words, headings, item.draft.trust)


def _files_gone(job: Migrating, present: Sequence[str]) -> list[Removed]:
    """Lines of files that an earlier run read and that are no longer there."""
    with job.store.read() as snapshot:
        gone = sorted(set(migrated_files(snapshot)) - set(present))
        rows = {path: read_rows(snapshot, path) for path in gone}
        entries = {
            entry.id: entry
            for entry in snapshot.find([row.id for each in rows.values() for row in each])
        }
    if gone:
        job.store.write(lambda tx: forget_files(tx, gone))
    return [
        Removed(path, row.line, row.id, entries[row.id].content)
        for path in gone
        for row in rows[path]
        if row.id in entries
    ]


def as_rehearsed(done: Migration, snapshot: Snapshot) -> Migration:
    """The account of a run on a copy: entries that do not exist yet have no id."""
    named = {line.id for file in done.files for line in file.lines}
    there = {entry.id for entry in snapshot.find(id_ for id_ in named if id_)}

    def kept(id_: str | None) -> str | None:
        return id_ if id_ in there else None

    files = [
        replace(file, lines=tuple(replace(line, id=kept(line.id)) for line in file.lines))
        for file in done.files
    ]
    reversals = [
        replace(
            reversal,
            earlier=replace(reversal.earlier, id=kept(reversal.earlier.id)),
            later=replace(reversal.later, id=kept(reversal.later.id)),
        )
        for reversal in done.reversals
    ]
    return replace(done, dry_run=True, files=tuple(files), reversals=tuple(reversals))
