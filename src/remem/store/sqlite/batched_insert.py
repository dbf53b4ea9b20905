"""How do new entries get into the database? Many together, table by table.

An entry that was foreseen waits for those that follow it. Whoever looks at the database by any
other way than `is_news` and `similar_to`, which know what waits, has it written first.

How do many rows get into a table? In one statement, while which other threads go on.

A statement for each row lets go of the interpreter after each, and has to wait for it where
another thread works. And full text writes out what it has gathered before every statement of
several rows, since that might have to be undone alone: so there should be one.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, Final

import apsw

from remem.model.entry import Category, Entry, Trust
from remem.ports.entries import Coming
from remem.ports.records import Located
from remem.store.sqlite import derived_tables
from remem.store.sqlite.checksums import seal
from remem.store.sqlite.derived_tables import Added
from remem.store.sqlite.duplicates import Foresight
from remem.store.sqlite.rows import COLUMNS, lookup_values, state_of, values_of
from remem.store.sqlite.snapshot import Snapshot
from remem.store.sqlite.vector_bits import BitCache
from remem.text.similarity import Fingerprint

_VALUES: Final = 32_766
"""So many values SQLite takes in one statement."""


def insert(
    connection: apsw.Connection, into: str, rows: Sequence[Sequence[Any]], then: str = ""
) -> list[tuple[Any, ...]]:
    """Insert rows of equal length `into` a table and its columns; `then` is what to do about
    those that are there already, and what to return."""
    if not rows:
        return []
    at_once = _VALUES // len(rows[0])
    found: list[tuple[Any, ...]] = []
    for start in range(0, len(rows), at_once):
        some = rows[start : start + at_once]
        places = f"({', '.join('?' * len(rows[0]))})"
        statement = f"INSERT INTO {into} VALUES {', '.join([places] * len(some))} {then}"
        found += connection.execute(statement, tuple(chain.from_iterable(some)))
    return found


_FEW: Final = 3
"""So many texts are sooner looked up one by one."""

_INSERT: Final = (
    f"INSERT INTO memory_entries(row, {', '.join(COLUMNS)}, change, home, part, seal, "
    f"same, longest, standing, live) VALUES ({', '.join('?' * (len(COLUMNS) + 9))})"
)
_LAST: Final = """SELECT max(
    coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'memory_entries'), 0),
    coalesce((SELECT max(row) FROM memory_entries), 0))"""


class Arriving(Snapshot):
    """A reader that takes in new entries."""

    def __init__(self, connection: apsw.Connection) -> None:
        # A cache of its own: what may yet be rolled back must not reach the readers'.
        super().__init__(connection, BitCache())
        self._foresight: Foresight | None = None
        self._last: int | None = None

    @property
    def _connection(self) -> apsw.Connection:
        self.settle()
        return self._opened

    @_connection.setter
    def _connection(self, connection: apsw.Connection) -> None:
        self._opened = connection
        self._waiting: list[Added] = []

    def foresee(self, coming: Sequence[Coming]) -> None:
        """Look up together what these texts may repeat."""
        if len(coming) > _FEW:
            self._foresight = Foresight(self._connection, coming)

    def settle(self) -> None:
        """Write what waits; nothing may become durable without it."""
        if self._waiting:
            waiting, self._waiting = self._waiting, []
            write(self._opened, waiting)

    def is_news(self, id_: str, print_: Fingerprint) -> bool:
        foreseen = self._foresight.is_news(id_, print_) if self._foresight else None
        return super().is_news(id_, print_) if foreseen is None else foreseen

    def similar_to(self, kind: Category, trust: Trust, print_: Fingerprint) -> list[Located]:
        foreseen = None
        if self._foresight:
            foreseen = self._foresight.similar(print_, lambda: self._connection)
        if foreseen is None:
            return super().similar_to(kind, trust, print_)
        return self._standing(foreseen, kind, trust)

    def _arrive(self, entry: Entry, print_: Fingerprint, home: str, part: int, change: str) -> None:
        row = (last_row(self._connection) if self._last is None else self._last) + 1
        self._last = row
        self._waiting.append(Added(row, entry, print_, home, part, change))
        # One that may be refused is written at once, so that nobody else hears of it.
        if self._foresight is None or not self._foresight.is_free(entry.id):
            self.settle()
        if self._foresight is not None:
            self._foresight.add(row, entry.id, print_)

    def _row_of(self, id_: str) -> int:
        """The number of an entry, which may not be written yet."""
        waiting = (added.row for added in reversed(self._waiting) if added.entry.id == id_)
        row = next(waiting, None)
        return self.by_ids([id_])[id_].row if row is None else row

    def _reworded(self) -> None:
        """Words have come or gone by another way: what was foreseen no longer holds."""
        self._foresight = self._last = None


def write(connection: apsw.Connection, added: Sequence[Added]) -> None:
    """The records and all that follows from them."""
    connection.executemany(_INSERT, map(_values, added))
    derived_tables.add(connection, added)


def last_row(connection: apsw.Connection) -> int:
    """The highest number that an entry has, or once had."""
    return int(next(iter(connection.execute(_LAST)))[0])


def _values(added: Added) -> tuple[Any, ...]:
    row, entry, print_, home, part, change = added
    sealed = (*values_of(entry), change, home, part)
    return (row, *sealed, seal(sealed), *lookup_values(print_), *state_of(entry))
