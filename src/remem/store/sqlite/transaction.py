"""Changes to the entries of one scope.

Each method keeps entries, history, derived tables and outbox consistent; the writer commits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import apsw

from remem.model.domain_routing import INDEX_FILE_KEY, LONG_ENTRY, PART_SIZE, domain_file_key
from remem.model.entry import Entry, Version
from remem.ports.records import EntryRow, Tombstone
from remem.store.sqlite import derived_tables, erasing
from remem.store.sqlite.bookkeeping import drop_unreadable
from remem.store.sqlite.checksums import checksum, update_checksums
from remem.store.sqlite.rows import (
    COLUMNS,
    compact,
    facets_of,
    lookup_values,
    record_of,
    state_of,
    values_of,
)
from remem.store.sqlite.shared_tables import SharedWriter
from remem.store.sqlite.snapshot import Snapshot
from remem.store.sqlite.vector_bits import BitCache
from remem.text.similarity import Fingerprint, fingerprint_of, folded_hash

_INSERT: Final = (
    f"INSERT INTO memory_entries(row, {', '.join(COLUMNS)}, change, home, part, seal, "
    f"same, longest, standing, live) VALUES ({', '.join('?' * (len(COLUMNS) + 9))})"
)
_UPDATE: Final = (
    f"UPDATE memory_entries SET {', '.join(f'{column} = ?' for column in COLUMNS)}, "
    "standing = ?, live = ?, change = ?, home = ?, part = ?, seal = ? WHERE row = ?"
)

_USED: Final = """UPDATE memory_entries SET uses = uses + 1, last_used = ?1
    WHERE id IN (SELECT value FROM json_each(?2))"""
# At most once a day per entry: a recall lists dozens, and writing as many pages each time would
# invalidate the page caches of all readers.
_SHOWN: Final = """UPDATE memory_entries SET shown = shown + 1, last_shown = ?1
    WHERE id IN (SELECT value FROM json_each(?2))
    AND (last_shown IS NULL OR substr(last_shown, 1, 10) <> substr(?1, 1, 10))"""


class Transaction(Snapshot, SharedWriter):
    """A transaction on the database of one scope; several operations share one."""

    _TABLE = "memory_entries"

    def __init__(self, connection: apsw.Connection) -> None:
        # A separate cache: uncommitted vectors must not reach the readers.
        super().__init__(connection, BitCache())
        self._in_outbox: set[str] = set()
        self._room: dict[str, tuple[int, int]] = {}

    def insert(self, entry: Entry, fingerprint: Fingerprint, stem: str, change: str) -> None:
        part = self.insert_record(entry, fingerprint, stem, change)
        self._add_files(stem, part, entry)

    def insert_record(
        self,
        entry: Entry,
        fingerprint: Fingerprint,
        stem: str,
        change: str,
        *,
        row: int | None = None,
        part: int | None = None,
    ) -> int:
        """Insert an entry and everything derived from it, and return its part of the file.

        Without a row, SQLite assigns one.
        """
        part = part or self._open_part(stem, entry)
        checked = (*values_of(entry), change, stem, part)
        self._connection.execute(
            _INSERT,
            (row, *checked, checksum(checked), *lookup_values(fingerprint), *state_of(entry)),
        )
        assigned = self._connection.last_insert_rowid()
        derived_tables.add(self._connection, assigned, entry, fingerprint, stem)
        return part

    def revise(self, old: EntryRow, new: Entry, stem: str, change: str) -> None:
        """Store a new version and keep the old one in the history."""
        version, old_change, same = self._one(
            "SELECT version, change, same FROM memory_entries WHERE row = ?", old.row
        )
        self.insert_versions([(old.row, version, old_change, record_of(old.entry), same)])
        self._store(old, new, stem, change)

    def add_history(self, id_: str, versions: Sequence[Version]) -> None:
        """Add earlier versions of an imported entry."""
        if not versions:
            return
        row = self.by_ids([id_])[id_].row
        self.insert_versions(
            (
                row,
                version.version,
                version.change,
                record_of(version.entry),
                folded_hash(version.entry.content),
            )
            for version in versions
        )

    def insert_versions(self, versions: Iterable[tuple[object, ...]]) -> None:
        """Insert rows of the history: row, version, change, record, hash of the text."""
        self._connection.executemany(
            "INSERT INTO memory_versions VALUES (?, ?, ?, ?, ?, ?)",
            [(*version, checksum(version)) for version in versions],
        )

    def update_in_place(self, old: EntryRow, new: Entry) -> None:
        """Change an entry without a new version: strength, use, links, origins."""
        stem, change = self._one("SELECT home, change FROM memory_entries WHERE row = ?", old.row)
        self._store(old, new, stem, change)

    def move_to_file(self, old: EntryRow, stem: str) -> None:
        """Move an otherwise unchanged entry to another domain file."""
        place = self._one("SELECT home, change FROM memory_entries WHERE row = ?", old.row)
        if place is not None and place[0] != stem:
            change = place[1]
            self._store(old, old.entry, stem, change)

    def record_shown(self, ids: Sequence[str], now: str, *, used: bool) -> None:
        """Count that entries were listed (once a day) or used."""
        self._connection.execute(_USED if used else _SHOWN, [now, compact(ids)])
        if used:
            update_checksums(self._connection, ids)

    def add_to_outbox(self, file: str) -> None:
        """Add a file to the outbox.

        Adding it again gives it a higher number, so that a write in progress does not remove it.
        """
        if file not in self._in_outbox:
            self._connection.execute("INSERT OR REPLACE INTO outbox(file) VALUES (?)", [file])
            self._in_outbox.add(file)

    def record_written(self, file: str, upto: int, digest: str, items: Mapping[str, str]) -> None:
        """Record what was written to a file, and remove it from the outbox up to a change."""
        self._in_outbox.discard(file)
        self._connection.execute("DELETE FROM outbox WHERE file = ? AND seq <= ?", [file, upto])
        self._connection.execute(
            "INSERT OR REPLACE INTO projected VALUES (?, ?, ?)",
            [file, digest, compact(dict(items))],
        )

    def drop_derived_data(self) -> None:
        """Delete everything derived from the entries; `rebuild_derived_data` restores it.

        The outbox is kept.
        """
        derived_tables.drop(self._connection)
        drop_unreadable(self._connection)
        self._connection.execute("DELETE FROM meta WHERE key = 'model'")

    def rebuild_derived_data(self, rows: Sequence[int]) -> None:
        """Rebuild the derived rows of some entries."""
        for row, entry in self.entries_by_row(rows).items():
            (stem,) = self._one("SELECT home FROM memory_entries WHERE row = ?", row)
            fingerprint = fingerprint_of(entry.content)
            derived_tables.add(self._connection, row, entry, fingerprint, stem)

    def erase(self, old: EntryRow, at: str) -> None:
        """Remove an entry completely, except for its tombstone, and add its files to the outbox."""
        stem, part = self._one("SELECT home, part FROM memory_entries WHERE row = ?", old.row)
        erasing.erase(self._connection, old, at)
        erasing.optimize_full_text(self._connection)
        self.add_to_outbox(domain_file_key(stem, part))
        self.add_to_outbox(INDEX_FILE_KEY)

    def add_tombstones(self, tombstones: Iterable[Tombstone]) -> None:
        erasing.add_tombstones(self._connection, tombstones)

    def add_notice(self, at: str, text: str) -> None:
        """Add a notice for the owner, shown by `status`, unless it exists."""
        self._connection.execute(
            "INSERT INTO notices(at, text) SELECT ?1, ?2 WHERE NOT EXISTS "
            "(SELECT 1 FROM notices WHERE text = ?2)",
            [at, text],
        )

    def _versions_and_facets(self, rows: Sequence[int]) -> dict[int, tuple[int, int]]:
        results = self._connection.execute(
            "SELECT row, version, category, priority, trust, archived OR superseded_by IS NOT NULL "
            "FROM memory_entries WHERE row IN (SELECT value FROM json_each(?))",
            [compact(list(rows))],
        )
        return {row: (version, facets_of(*properties)) for row, version, *properties in results}

    def _store(self, old: EntryRow, new: Entry, stem: str, change: str) -> None:
        old_stem, old_part = self._one(
            "SELECT home, part FROM memory_entries WHERE row = ?", old.row
        )
        part = old_part if old_stem == stem else self._open_part(stem, new)
        values, place = values_of(new), [change, stem, part]
        self._connection.execute(
            _UPDATE, [*values, *state_of(new), *place, checksum([*values, *place]), old.row]
        )
        derived_tables.change(self._connection, old, old_stem, new, stem)
        self._add_files(old_stem, old_part, old.entry)
        self._add_files(stem, part, new)

    def _open_part(self, stem: str, entry: Entry) -> int:
        """The part of a domain file that a new entry goes into.

        A long entry counts as several, so that no file grows too large to be read.
        """
        part, taken = self._room.get(stem) or self._last_part(stem)
        if taken >= PART_SIZE:
            part, taken = part + 1, 0
        self._room[stem] = part, taken + 1 + len(entry.content) // LONG_ENTRY
        return part

    def _last_part(self, stem: str) -> tuple[int, int]:
        part, taken = self._one(
            f"SELECT part, sum(1 + length(content) / {LONG_ENTRY}) FROM memory_entries "
            "WHERE home = ?1 AND standing = 1 AND part = "
            "(SELECT max(part) FROM memory_entries WHERE home = ?1 AND standing = 1)",
            stem,
        )
        return (part, taken) if taken else (1, 0)

    def _add_files(self, stem: str, part: int, entry: Entry) -> None:
        self.add_to_outbox(domain_file_key(stem, part))
        if entry.trust != "untrusted":
            self.add_to_outbox(INDEX_FILE_KEY)
