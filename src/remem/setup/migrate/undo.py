"""Undo the last migration: archive its entries, and restore those that it changed.

The state of all entries is recorded before a run; after the run, only the changed entries are kept
in the record. An entry that somebody has changed since is left as it is. A run that changes nothing
does not replace the record, so that a migration can still be undone after it was repeated.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import blake2b
from typing import Any, Final

from remem.entries.index_evidence import MIGRATED_FILES
from remem.entries.lifecycle import archive, revise
from remem.errors import InvalidInput, StoreError
from remem.model.entry import Entry, Origin
from remem.ports.entries import EntryReader, Transaction
from remem.ports.records import Where
from remem.ports.state import Namespace
from remem.setup.migrate.matching import ROWS, MigratedRow, read_rows, write_rows

_RUNNING: Final = "running"
_LAST: Final = "last"
_FIELDS: Final = "priority expires_at archived superseded_by strength origins version".split()
"""The fields of an entry that a migration may change. Its texts are only in the history, under the
version, so that erasing an entry erases them here too."""


@dataclass(frozen=True, slots=True)
class _Record:
    """A migration that was started `at`, with the rows and files before it.

    While the migration runs, `before` has the fields of all entries from before it. A finished
    migration has instead the `entries` that it changed: their fields before, and their digests
    afterwards.
    """

    at: str
    rows: dict[str, tuple[MigratedRow, ...]]
    files: tuple[str, ...]
    before: dict[str, dict[str, Any]] = field(default_factory=dict)
    entries: dict[str, tuple[dict[str, Any] | None, str]] = field(default_factory=dict)


_MIGRATIONS: Final[Namespace[_Record]] = Namespace("migration", _Record)


@dataclass(frozen=True, slots=True)
class KeptEntry:
    """An entry that was changed after the migration, and is therefore kept."""

    id: str
    content: str


@dataclass(frozen=True, slots=True)
class UndoneMigration:
    """The result of undoing the migration that was started `at`."""

    at: str
    archived: int
    restored: int
    kept: tuple[KeptEntry, ...]


def begin_run(tx: Transaction, now: str) -> None:
    """Record the state before a run; after an interrupted run, its record is kept."""
    if tx.record(_MIGRATIONS, _RUNNING) is None:
        before = {entry.id: _fields_of(entry) for entry in tx.select(Where(state="any"))}
        record = _Record(now, tx.records(ROWS), tx.record(MIGRATED_FILES) or (), before)
        tx.put_record(_MIGRATIONS, _RUNNING, record)


def finish_run(tx: Transaction) -> None:
    """Replace the record of the running migration with the record of a finished one."""
    record = tx.record(_MIGRATIONS, _RUNNING)
    if record is None:
        return
    changed = {
        entry.id: (record.before.get(entry.id), _digest(entry))
        for entry in tx.select(Where(state="any"))
        if json.loads(json.dumps(_fields_of(entry))) != record.before.get(entry.id)
    }
    if changed:
        tx.put_record(_MIGRATIONS, _LAST, replace(record, before={}, entries=changed))
    tx.put_record(_MIGRATIONS, _RUNNING, None)


def undo_migration(now: str, topics: tuple[str, ...]) -> Callable[[Transaction], UndoneMigration]:
    """Return the operation that undoes the last migration and checks the result."""

    def operation(tx: Transaction) -> UndoneMigration:
        record = _last_record(tx)
        counts = {"archived": 0, "restored": 0}
        kept_entries: list[KeptEntry] = []
        for id_, (before, digest) in record.entries.items():
            old = tx.find([id_]).get(id_)
            if old is None:  # erased since
                continue
            if _digest(old) != digest:
                kept_entries.append(KeptEntry(id_, old.content))
            elif before is None:
                archive(tx, old, now, "its migration was undone", topics)
                counts["archived"] += 1
            else:
                _restore(tx, old, before, now, topics)
                counts["restored"] += 1
        _require_restored(tx, record, {entry.id for entry in kept_entries})
        _restore_rows(tx, record.rows)
        tx.put_record(MIGRATED_FILES, "", record.files)
        tx.put_record(_MIGRATIONS, _LAST, None)
        return UndoneMigration(
            record.at, counts["archived"], counts["restored"], tuple(kept_entries)
        )

    return operation


def _last_record(tx: Transaction) -> _Record:
    if tx.record(_MIGRATIONS, _RUNNING) is not None:
        raise InvalidInput(
            "the last migration was interrupted",
            hint="`remem migrate` finishes it; then it can be undone",
        )
    record = tx.record(_MIGRATIONS, _LAST)
    if record is None:
        raise InvalidInput("there is no migration to undo", hint="run `remem migrate` first")
    return record


def _fields_of(entry: Entry) -> dict[str, Any]:
    values = {name: getattr(entry, name) for name in _FIELDS}
    origins = [asdict(origin) for origin in entry.origins]
    return {**values, "origins": origins, "about": _context_hash(entry)}


def _context_hash(entry: Entry) -> str:
    """Return a hash of the context and the tags; the record must not contain their words."""
    return _hash([entry.context, entry.tags])


def _hash(values: list[Any]) -> str:
    text = json.dumps(values, ensure_ascii=True)
    return blake2b(text.encode(), digest_size=8).hexdigest()


def _digest(entry: Entry) -> str:
    """Return a digest that differs as soon as anybody changes the entry.

    Being used or linked to does not count as a change.
    """
    return _hash([_fields_of(entry), entry.content, entry.category])


def _restore(
    tx: Transaction, old: Entry, fields: Mapping[str, Any], now: str, topics: tuple[str, ...]
) -> None:
    earlier = _entry_before(tx, old, fields)
    revise(tx, earlier, "a migration was undone", now=now, topics=topics)


def _entry_before(reader: EntryReader, entry: Entry, fields: Mapping[str, Any]) -> Entry:
    """Return the entry as it was before the migration."""
    history = {version.version: version.entry for version in reader.history(entry.id)}
    old_version = history.get(fields["version"], entry)
    has_same_context = _context_hash(entry) == fields["about"]
    return replace(
        entry,
        content=old_version.content,
        category=old_version.category,
        token_estimate=old_version.token_estimate,
        context=entry.context if has_same_context else old_version.context,
        tags=entry.tags if has_same_context else old_version.tags,
        **{name: fields[name] for name in _FIELDS if name not in ("origins", "version")},
        origins=tuple(Origin(**origin) for origin in fields["origins"]),
    )


def _require_restored(tx: Transaction, record: _Record, remaining_ids: set[str]) -> None:
    """Check every entry; a difference raises an error, so that nothing is changed."""
    ids = [id_ for id_ in record.entries if id_ not in remaining_ids]
    for id_, entry in tx.find(ids).items():
        before = record.entries[id_][0]
        is_restored = before is not None and _entry_before(tx, entry, before) == entry
        if not is_restored and not (before is None and entry.archived):
            raise StoreError(
                f"{id_} cannot be restored to its state before the migration",
                hint="nothing was changed; `remem doctor` checks the database",
            )


def _restore_rows(tx: Transaction, before: Mapping[str, Sequence[MigratedRow]]) -> None:
    """Restore which line belongs to which entry.

    New rows are kept as former rows, so that the next migration brings their entries back instead
    of storing them twice.
    """
    for path in {*tx.records(ROWS), *before}:
        rows = before.get(path, ())
        ids = {row.id for row in rows}
        new_rows = [row for row in read_rows(tx, path) if row.id not in ids]
        write_rows(tx, path, [*rows, *(replace(row, line=0) for row in new_rows)])
