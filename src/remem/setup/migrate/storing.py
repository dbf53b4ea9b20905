"""Store planned files as entries, and archive the entries of removed lines.

Several files are stored in one transaction, each of them completely. The store may retry an
operation, so it changes nothing outside its transaction and returns its results. Removed lines are
handled when all files are stored, because a line may have moved to another file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from remem.entries.lifecycle import archive, revise
from remem.entries.placement import update
from remem.entries.receipt import Receipt
from remem.entries.store import store_operation
from remem.errors import InvalidInput
from remem.files.walking import CURATED
from remem.model.entry import Category, Entry, Origin, Trust, headings_in
from remem.ports import StoreDependencies
from remem.ports.entries import Transaction
from remem.setup.migrate.account import Change, Outcome, RemovedLine
from remem.setup.migrate.matching import MigratedRow, has_prefix, hash_of, read_rows, write_rows
from remem.setup.migrate.plan import FilePlan, PlannedStatement

ERASED: Final = "its entry was erased"
StoreOperation = Callable[[Transaction], Receipt]


@dataclass(frozen=True, slots=True)
class KnownEntry:
    """An entry that says the same thing as a statement."""

    id: str
    category: Category
    trust: Trust


@dataclass(frozen=True, slots=True)
class StatementResult:
    """The result for one statement."""

    outcome: Outcome
    id: str | None
    change: Change
    why: str | None = None
    category: Category | None = None


def store_plans(
    plans: Sequence[FilePlan],
    known_entries: Mapping[int, KnownEntry],
    deps: StoreDependencies,
    now: str,
) -> Callable[[Transaction], tuple[list[list[StatementResult]], dict[int, KnownEntry]]]:
    """Return the operation that stores several files.

    It returns the results for all statements of each file, and the entries of new statements by
    their hash. Slow work is done before the transaction.
    """
    operations_by_file = [
        [None if item.unchanged else store_operation(item.draft, now, deps) for item in plan.items]
        for plan in plans
    ]

    def operation(tx: Transaction) -> tuple[list[list[StatementResult]], dict[int, KnownEntry]]:
        state = _StoreState(tx, known_entries, {}, deps, now)
        results = [
            _store_file(state, plan, operations)
            for plan, operations in zip(plans, operations_by_file, strict=True)
        ]
        return results, state.new_entries

    return operation


@dataclass(frozen=True, slots=True)
class _StoreState:
    """The state of storing files in one transaction; entries are found by a statement's hash."""

    tx: Transaction
    known_entries: Mapping[int, KnownEntry]
    new_entries: dict[int, KnownEntry]
    deps: StoreDependencies
    now: str

    def known_entry(self, item: PlannedStatement) -> KnownEntry | None:
        return self.new_entries.get(item.meaning_hash) or self.known_entries.get(item.meaning_hash)


def _store_file(
    state: _StoreState, plan: FilePlan, operations: Sequence[StoreOperation | None]
) -> list[StatementResult]:
    """Store the statements of a file, and record their lines; None stands for an unchanged one."""
    tx, path = state.tx, plan.source.path
    entries = tx.find([item.row.id for item in plan.items if item.row])
    rows: list[MigratedRow] = []
    results: list[StatementResult] = []
    for item, operation in zip(plan.items, operations, strict=True):
        if operation is None:
            result, entry = _keep_item(path, item, entries)
        else:
            result, entry = _store_item(state, item, operation)
        results.append(result)
        if result.id is not None:
            rows.append(MigratedRow(item.line, hash_of(item.draft.content), result.id))
        if entry is not None:
            state.new_entries.setdefault(item.meaning_hash, entry)
    _move_origins(tx, path, [item for item in plan.items if item.unchanged])
    write_rows(tx, path, [*rows, *plan.missing_rows, *plan.former_rows])
    return results


def _earlier_outcome(entry: Entry, path: str, row: MigratedRow) -> Outcome:
    """Return the outcome of a line in an earlier run.

    An entry was taken from the line that is its first origin.
    """
    first = entry.origins[0] if entry.origins else None
    return "taken" if first in (None, Origin(path, row.line)) else "merged"


def _keep_item(
    path: str, item: PlannedStatement, entries: Mapping[str, Entry]
) -> tuple[StatementResult, KnownEntry | None]:
    """Return the result for an unchanged statement, and its entry."""
    assert item.row is not None
    old = entries.get(item.row.id)
    if old is None:
        return StatementResult("left", None, "unchanged", ERASED), None
    entry = KnownEntry(old.id, old.category, old.trust)
    outcome = _earlier_outcome(old, path, item.row)
    return StatementResult(outcome, old.id, "unchanged", category=entry.category), entry


def _store_item(
    state: _StoreState, item: PlannedStatement, operation: StoreOperation
) -> tuple[StatementResult, KnownEntry | None]:
    """Store one statement.

    The same words under a different heading are the same entry, which keeps its category.
    """
    draft = item.draft
    if item.row is not None and not item.row.line and (result := _restore(state, item, item.row)):
        return result
    known = state.known_entry(item)
    if known is not None and known.trust == "owner" and draft.trust != "owner":
        _add_origin(state.tx, known.id, draft.origin)
        return StatementResult("merged", known.id, "new", category=known.category), None
    if known is None and item.changed and item.row and (entry := _revise(state, item, item.row)):
        return StatementResult("taken", entry.id, "changed", category=entry.category), entry
    if known is not None and known.category != draft.category:
        operation = store_operation(replace(draft, category=known.category), state.now, state.deps)
    try:
        receipt = operation(state.tx)
    except InvalidInput as error:
        return StatementResult("left", None, "new", f"cannot be stored: {error.args[0]}"), None
    entry = known or KnownEntry(receipt.id, draft.category, draft.trust)
    outcome: Outcome = "merged" if receipt.deduplicated else "taken"
    return StatementResult(outcome, receipt.id, "new", category=entry.category), entry


def _restore(
    state: _StoreState, item: PlannedStatement, row: MigratedRow
) -> tuple[StatementResult, KnownEntry | None] | None:
    """Restore the entry of a line that was removed from its file and is there again.

    Return None if the entry has changed since.
    """
    old = state.tx.find([row.id]).get(row.id)
    if old is None:
        return StatementResult("left", None, "unchanged", ERASED), None
    if old.superseded_by or hash_of(old.content) != row.text_hash:
        return None
    new_origin = item.draft.origin
    origins = [origin for origin in old.origins if origin.position is not None]
    new = replace(
        old,
        archived=False,
        origins=tuple(dict.fromkeys([*origins, *([new_origin] if new_origin else [])])),
    )
    change = f"its line is in {new_origin.source if new_origin else 'its file'} again"
    revise(state.tx, new, change, now=state.now, topics=state.deps.topics)
    result = StatementResult("taken", old.id, "new", category=old.category)
    return result, KnownEntry(old.id, old.category, old.trust)


def _revise(state: _StoreState, item: PlannedStatement, row: MigratedRow) -> KnownEntry | None:
    """Revise the entry, if it still says exactly what the line said.

    An entry that was reworded, or that lines of equal trust share, is not changed; the new wording
    then becomes a new entry. Removing the headings that earlier versions wrote into the content
    changes no words, so it is always done.
    """
    draft = item.draft
    old = state.tx.find([row.id]).get(row.id)
    if old is None or draft.origin is None or hash_of(old.content) != row.text_hash:
        return None
    is_reworded = not has_prefix(old.content, draft.content)
    if is_reworded and not _may_reword(old, draft.origin):
        return None
    new = replace(
        old,
        content=draft.content,
        context=draft.context,
        tags=tuple(dict.fromkeys([*old.tags, *draft.tags])),
        origins=(draft.origin,) if is_reworded else old.origins,
        token_estimate=state.deps.counter.count(draft.content),
    )
    change = f"changed in {draft.origin.source}"
    revise(state.tx, new, change, now=state.now, topics=state.deps.topics)
    return KnownEntry(new.id, new.category, new.trust)


def _may_reword(entry: Entry, origin: Origin) -> bool:
    """Return whether a line alone determines the text of an entry.

    The entry must have no other line, except notes that only repeat a changed line of the owner's
    own file.
    """
    if entry.superseded_by or entry.archived:
        return False
    sources = [origin.source for origin in entry.origins]
    is_only_line = sources.count(origin.source) == 1
    return is_only_line and (len(sources) == 1 or origin.source in CURATED)


def _add_origin(tx: Transaction, id_: str, origin: Origin | None) -> None:
    """Add an origin to the owner's entry that a note repeats."""
    old = tx.find([id_]).get(id_)
    if old is not None and origin is not None and origin not in old.origins:
        update(tx, replace(old, origins=(*old.origins, origin)))


def _move_origins(tx: Transaction, path: str, unchanged: Sequence[PlannedStatement]) -> None:
    """Update the origins of entries whose lines moved.

    This is done for all lines together, so that two lines that were swapped do not collide.
    """
    changes: dict[str, dict[Origin, Origin]] = {}
    for item in unchanged:
        if item.row is not None and item.row.line != item.line:
            moves = changes.setdefault(item.row.id, {})
            moves[Origin(path, item.row.line)] = Origin(path, item.line)
    for id_, old in tx.find(list(changes)).items():
        origins = tuple(changes[id_].get(origin, origin) for origin in old.origins)
        if origins != old.origins:
            update(tx, replace(old, origins=tuple(dict.fromkeys(origins))))


@dataclass(frozen=True, slots=True)
class MissingLines:
    """The lines that were removed from a file; `pointed_to` as in `FilePlan`."""

    path: str
    rows: tuple[MigratedRow, ...]
    pointed_to: tuple[tuple[str, ...], ...]


def remove_lines(
    missing: Sequence[MissingLines], now: str, topics: tuple[str, ...]
) -> Callable[[Transaction], list[RemovedLine]]:
    """Return the operation that archives the entries that only removed lines supported."""

    def operation(tx: Transaction) -> list[RemovedLine]:
        removed: list[RemovedLine] = []
        for file in missing:
            for row in file.rows:
                if line := _remove_line(tx, file, row, now, topics):
                    removed.append(line)
            rows = [
                replace(row, line=0) if row in file.rows else row
                for row in read_rows(tx, file.path)
            ]
            write_rows(tx, file.path, rows)
        return removed

    return operation


def _remove_line(
    tx: Transaction, file: MissingLines, row: MigratedRow, now: str, topics: tuple[str, ...]
) -> RemovedLine | None:
    """Archive the entry of a removed line, or only remove the line from its origins.

    If an audit replaced the line with a pointer, the entry keeps its origin, and therefore its
    line in the index.
    """
    old = tx.find([row.id]).get(row.id)
    removed = Origin(file.path, row.line)
    if old is None or removed not in old.origins:
        return None
    headings = headings_in(old.context)
    if any(headings[: len(section)] == section for section in file.pointed_to):
        return None
    origins = tuple(Origin(file.path) if origin == removed else origin for origin in old.origins)
    entry = replace(old, origins=tuple(dict.fromkeys(origins)))
    archived = not _is_supported(entry, row)
    if archived:
        change = f"its line was removed from {file.path}"
        archive(tx, entry, now, change, topics)
    else:
        update(tx, entry)
    return RemovedLine(file.path, row.line, row.id, entry.content, archived)


def _is_supported(entry: Entry, row: MigratedRow) -> bool:
    """Return whether something other than the line supports an entry.

    That can be another line, a conversation, an edit by hand, or reinforcement.
    """
    if entry.archived or entry.superseded_by or entry.source != "migration":
        return True
    was_edited = hash_of(entry.content) != row.text_hash
    has_other_line = any(origin.position is not None for origin in entry.origins)
    return was_edited or has_other_line or entry.strength > max(1, len(entry.origins))
