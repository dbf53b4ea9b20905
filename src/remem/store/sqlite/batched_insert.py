"""Insert many entries together, table by table.

Prefetched entries are held back until the next one comes. Any query other than `is_new_text` and
`similar_to`, which know the pending entries, flushes them first.

Rows are inserted with as few statements as possible: each statement releases the interpreter and
has to wait for it again, and FTS5 flushes its buffer before every statement of several rows,
because that one might be rolled back alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, Final

import apsw

from remem.model.entry import Category, Entry, Trust
from remem.ports.entries import IncomingText
from remem.ports.records import Located
from remem.store.sqlite import derived_tables
from remem.store.sqlite.checksums import checksum
from remem.store.sqlite.derived_tables import NewRow
from remem.store.sqlite.duplicates import DuplicateLookup
from remem.store.sqlite.rows import COLUMNS, lookup_values, state_of, values_of
from remem.store.sqlite.snapshot import Snapshot
from remem.store.sqlite.vector_bits import BitCache
from remem.text.similarity import Fingerprint

_MAX_VALUES: Final = 32_766
"""The number of values that SQLite takes in one statement."""


def insert(
    connection: apsw.Connection, into: str, rows: Sequence[Sequence[Any]], then: str = ""
) -> list[tuple[Any, ...]]:
    """Insert rows `into` a table with named columns, and return the rows that SQLite returns.

    `then` is appended to the statement: a conflict or returning clause.
    """
    if not rows:
        return []
    batch_size = _MAX_VALUES // len(rows[0])
    placeholders = f"({', '.join('?' * len(rows[0]))})"
    returned: list[tuple[Any, ...]] = []
    for start in range(0, len(rows), batch_size):
        batch = rows[start : start + batch_size]
        statement = f"INSERT INTO {into} VALUES {', '.join([placeholders] * len(batch))} {then}"
        returned += connection.execute(statement, tuple(chain.from_iterable(batch)))
    return returned


_MAX_SINGLE_LOOKUPS: Final = 3
"""Up to this many texts, single lookups are faster."""

_INSERT: Final = (
    f"INSERT INTO memory_entries(row, {', '.join(COLUMNS)}, change, home, part, seal, "
    f"same, longest, standing, live) VALUES ({', '.join('?' * (len(COLUMNS) + 9))})"
)
_LAST_ROW: Final = """SELECT max(
    coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'memory_entries'), 0),
    coalesce((SELECT max(row) FROM memory_entries), 0))"""


class BatchedInserts(Snapshot):
    """A snapshot that collects new entries and inserts them together."""

    def __init__(self, connection: apsw.Connection) -> None:
        # A separate cache: uncommitted vectors must not reach the readers.
        super().__init__(connection, BitCache())
        self._lookup: DuplicateLookup | None = None
        self._last_row: int | None = None

    @property
    def _connection(self) -> apsw.Connection:
        self.flush()
        return self._raw_connection

    @_connection.setter
    def _connection(self, connection: apsw.Connection) -> None:
        self._raw_connection = connection
        self._pending: list[NewRow] = []

    def prefetch(self, incoming: Sequence[IncomingText]) -> None:
        """Look up possible duplicates of these texts together."""
        if len(incoming) > _MAX_SINGLE_LOOKUPS:
            self._lookup = DuplicateLookup(self._connection, incoming)

    def flush(self) -> None:
        """Insert the pending entries; required before a commit."""
        if self._pending:
            pending, self._pending = self._pending, []
            write(self._raw_connection, pending)

    def is_new_text(self, id_: str, fingerprint: Fingerprint) -> bool:
        answer = self._lookup.is_new_text(id_, fingerprint) if self._lookup else None
        return super().is_new_text(id_, fingerprint) if answer is None else answer

    def similar_to(self, kind: Category, trust: Trust, fingerprint: Fingerprint) -> list[Located]:
        rows = None
        if self._lookup:
            rows = self._lookup.similar(fingerprint, lambda: self._connection)
        if rows is None:
            return super().similar_to(kind, trust, fingerprint)
        return self._current_entries(rows, kind, trust)

    def _add(
        self, entry: Entry, fingerprint: Fingerprint, home: str, part: int, change: str
    ) -> None:
        row = (last_row(self._connection) if self._last_row is None else self._last_row) + 1
        self._last_row = row
        self._pending.append(NewRow(row, entry, fingerprint, home, part, change))
        # An id that may be taken is inserted at once, so that only its own operation fails.
        if self._lookup is None or not self._lookup.is_free(entry.id):
            self.flush()
        if self._lookup is not None:
            self._lookup.add(row, entry.id, fingerprint)

    def _row_of(self, id_: str) -> int:
        """The row of an entry, which may still be pending."""
        pending = (new.row for new in reversed(self._pending) if new.entry.id == id_)
        row = next(pending, None)
        return self.by_ids([id_])[id_].row if row is None else row

    def _invalidate(self) -> None:
        """Drop the prefetched lookups, because texts changed in another way."""
        self._lookup = self._last_row = None


def write(connection: apsw.Connection, rows: Sequence[NewRow]) -> None:
    """Insert entries and everything derived from them."""
    connection.executemany(_INSERT, map(_values, rows))
    derived_tables.add(connection, rows)


def last_row(connection: apsw.Connection) -> int:
    """The highest row number that an entry has or had."""
    return int(next(iter(connection.execute(_LAST_ROW)))[0])


def _values(new: NewRow) -> tuple[Any, ...]:
    row, entry, fingerprint, home, part, change = new
    checked = (*values_of(entry), change, home, part)
    return (row, *checked, checksum(checked), *lookup_values(fingerprint), *state_of(entry))
