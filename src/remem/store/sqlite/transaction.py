"""Changes to the entries of one scope.

Each method keeps entries, history and derived tables consistent; the writer commits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import apsw

from remem.model.entry import Entry, Version
from remem.ports.records import Home, Tombstone
from remem.ports.state import Namespace, R
from remem.store.rows import (
    COLUMNS,
    column_values,
    compact,
    duplicate_id_error,
    facets_from_columns,
    json_of,
    lookup_hashes,
    state_flags,
)
from remem.store.sqlite import derived_tables
from remem.store.sqlite.checksums import checksum, update_checksums
from remem.store.sqlite.shared_tables import SharedWriter
from remem.store.sqlite.snapshot import SqliteSnapshot
from remem.store.sqlite.vector_bits import SqliteBitCache
from remem.text.similarity import Fingerprint, fingerprint_of, folded_hash

_INSERT: Final = (
    f"INSERT INTO memory_entries(row, {', '.join(COLUMNS)}, change, home, part, archive_reason, "
    f"seal, same, longest, standing, live) VALUES ({', '.join('?' * (len(COLUMNS) + 10))})"
)
_UPDATE: Final = (
    f"UPDATE memory_entries SET {', '.join(f'{column} = ?' for column in COLUMNS)}, "
    "standing = ?, live = ?, change = ?, home = ?, part = ?, archive_reason = ?, seal = ? "
    "WHERE row = ?"
)

_BATCH_SIZE: Final = 500
_COUNT_USE: Final = """UPDATE memory_entries SET uses = uses + 1, last_used = ?1
    WHERE id IN (SELECT value FROM json_each(?2))"""
# At most once a day for each entry: a recall lists dozens, and writing as many pages each time
# would invalidate the page caches of all readers.
_COUNT_LISTING: Final = """UPDATE memory_entries SET shown = shown + 1, last_shown = ?1
    WHERE id IN (SELECT value FROM json_each(?2))
    AND (last_shown IS NULL OR substr(last_shown, 1, 10) <> substr(?1, 1, 10))"""


class _Stored(NamedTuple):
    """An entry as it is in the database."""

    row: int
    entry: Entry
    change: str
    wording_hash: int


class SqliteTransaction(SqliteSnapshot, SharedWriter[str]):
    """A transaction on the entry database of one scope.

    The writer may run several operations in one transaction.
    """

    _TABLE = "memory_entries"
    _may_cache = False

    def __init__(self, connection: apsw.Connection) -> None:
        # A separate cache, because uncommitted vectors must not reach the readers.
        super().__init__(connection, SqliteBitCache())
        self._in_outbox: set[str] = set()

    def insert(
        self,
        entry: Entry,
        change: str,
        home: Home,
        *,
        fingerprint: Fingerprint | None = None,
        history: Sequence[Version] = (),
    ) -> None:
        try:
            row = self.insert_record(entry, change, home, fingerprint=fingerprint)
        except apsw.ConstraintError as error:
            raise duplicate_id_error(entry.id) from error
        if history:
            self.insert_versions(
                (
                    row,
                    version.version,
                    version.change,
                    json_of(version.entry),
                    folded_hash(version.entry.content),
                )
                for version in history
            )

    def insert_record(
        self,
        entry: Entry,
        change: str,
        home: Home,
        *,
        fingerprint: Fingerprint | None = None,
        row: int | None = None,
    ) -> int:
        """Insert an entry and everything derived from it, and return its row.

        If `row` is None, SQLite assigns one.
        """
        fingerprint = fingerprint or fingerprint_of(entry.content)
        checked = (*column_values(entry), change, *home, entry.archive_reason)
        self._connection.execute(
            _INSERT,
            (row, *checked, checksum(checked), *lookup_hashes(fingerprint), *state_flags(entry)),
        )
        assigned = self._connection.last_insert_rowid()
        derived_tables.add(self._connection, assigned, entry, fingerprint)
        return assigned

    def insert_versions(self, versions: Iterable[tuple[object, ...]]) -> None:
        """Insert rows of the history: row, version, change, record, hash of the text."""
        self._connection.executemany(
            "INSERT INTO memory_versions VALUES (?, ?, ?, ?, ?, ?)",
            [(*version, checksum(version)) for version in versions],
        )

    def update(self, entry: Entry, home: Home, change: str | None = None) -> None:
        old = self._stored(entry.id)
        if change is not None:
            old_version = (old.row, old.entry.version, old.change, json_of(old.entry))
            self.insert_versions([(*old_version, old.wording_hash)])
        values = column_values(entry)
        other_values = [old.change if change is None else change, *home, entry.archive_reason]
        self._connection.execute(
            _UPDATE,
            [
                *values,
                *state_flags(entry),
                *other_values,
                checksum([*values, *other_values]),
                old.row,
            ],
        )
        derived_tables.update(self._connection, old.row, old.entry, entry)

    def record_use(self, ids: Sequence[str], now: str, *, was_used: bool) -> None:
        """Record that entries were used, or, at most once a day, that they were listed."""
        self._connection.execute(_COUNT_USE if was_used else _COUNT_LISTING, [now, compact(ids)])
        if was_used:
            update_checksums(self._connection, ids)

    def add_to_outbox(self, file: str) -> None:
        """Add a file to the outbox.

        Adding it again gives it a higher number, so that the end of an earlier write does not
        remove it.
        """
        if file not in self._in_outbox:
            self._connection.execute("INSERT OR REPLACE INTO outbox(file) VALUES (?)", [file])
            self._in_outbox.add(file)

    def remove_from_outbox(self, file: str, last_seq: int) -> None:
        self._in_outbox.discard(file)
        self._connection.execute("DELETE FROM outbox WHERE file = ? AND seq <= ?", [file, last_seq])

    def put_record(self, namespace: Namespace[R], key: str, record: R | None) -> None:
        if record is None:
            self._connection.execute(
                "DELETE FROM records WHERE namespace = ? AND key = ?", [namespace.name, key]
            )
        else:
            self._connection.execute(
                "INSERT OR REPLACE INTO records VALUES (?, ?, ?)",
                [namespace.name, key, namespace.dump(record)],
            )

    def rebuild_search(self) -> None:
        """Rebuild everything that is derived from the entries; the outbox is kept."""
        from remem.store.sqlite.bookkeeping import drop_derived_and_invalid  # rarely needed

        derived_tables.clear(self._connection)
        drop_derived_and_invalid(self._connection)
        self._connection.execute("DELETE FROM meta WHERE key = 'model'")
        ids = self.ids()
        for start in range(0, len(ids), _BATCH_SIZE):
            for row, entry in self._numbered_entries(ids[start : start + _BATCH_SIZE]).values():
                fingerprint = fingerprint_of(entry.content)
                derived_tables.add(self._connection, row, entry, fingerprint)

    def erase(self, id_: str, at: str) -> None:
        """Remove an entry completely, except for its tombstone."""
        from remem.store.sqlite import erasing  # rarely needed

        for row, entry in self._numbered_entries([id_]).values():
            erasing.erase(self._connection, row, entry, at)
            erasing.optimize_full_text(self._connection)

    def add_tombstones(self, tombstones: Iterable[Tombstone]) -> None:
        from remem.store.sqlite import erasing

        erasing.add_tombstones(self._connection, tombstones)

    def _versions_and_facets(self, rows: Sequence[int]) -> dict[int, tuple[int, int]]:
        results = self._connection.execute(
            "SELECT row, version, category, priority, trust, archived OR superseded_by IS NOT NULL "
            "FROM memory_entries WHERE row IN (SELECT value FROM json_each(?))",
            [compact(list(rows))],
        )
        return {
            row: (version, facets_from_columns(*properties))
            for row, version, *properties in results
        }

    def _stored(self, id_: str) -> _Stored:
        row, entry = self._numbered_entries([id_])[id_]
        change, wording_hash = self._one(
            "SELECT change, same FROM memory_entries WHERE row = ?", row
        )
        return _Stored(row, entry, change, wording_hash)
