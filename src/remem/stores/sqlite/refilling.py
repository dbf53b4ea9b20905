"""How does a record get back into a new database, under its old number and as it was?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from remem.core.entry import Entry
from remem.core.likeness import fingerprint, wording
from remem.stores.sqlite import following
from remem.stores.sqlite.rows import COLUMNS, entry_of, lookup_values, state_of, values_of
from remem.stores.sqlite.seals import seal
from remem.stores.sqlite.transaction import Transaction

_PUT_BACK: Final = (
    f"INSERT INTO memory_entries(row, {', '.join(COLUMNS)}, same, longest, standing, live, "
    f"change, home, part, seal) VALUES ({', '.join('?' * (len(COLUMNS) + 9))})"
)


class Refilling(Transaction):
    """A transaction that fills a new database with what an old one held."""

    def put_back(self, row: int, entry: Entry, change: str, home: str, part: int | None) -> None:
        print_ = fingerprint(entry.content)
        place = [change, home, part or self._open_part(home, entry)]
        values = values_of(entry)
        self._connection.execute(
            _PUT_BACK,
            [
                row,
                *values,
                *lookup_values(print_),
                *state_of(entry),
                *place,
                seal([*values, *place]),
            ],
        )
        following.add(self._connection, row, entry, print_, home)

    def keep_versions(self, versions: Iterable[tuple[Any, ...]]) -> None:
        """Rows of the history: row, version, change, record."""
        self._keep(
            (row, version, change, record, wording(entry_of(record).content))
            for row, version, change, record, *_ in versions
        )

    def carry(self, table: str, columns: Iterable[str], rows: Iterable[tuple[Any, ...]]) -> None:
        names = list(columns)
        marks = ", ".join("?" * len(names))
        self._connection.executemany(
            f"INSERT OR IGNORE INTO {table}({', '.join(names)}) VALUES ({marks})", rows
        )

    def ask_for_vectors(self) -> None:
        """What has a vector keeps it; the next who wants vectors queues the rest."""
        self._connection.execute("DELETE FROM vector_queue")
        self._connection.execute("DELETE FROM meta WHERE key = 'model'")
        self._connection.execute(
            "DELETE FROM memory_vectors WHERE row NOT IN (SELECT row FROM memory_entries)"
        )
        self._connection.execute(
            "DELETE FROM memory_bits WHERE NOT EXISTS (SELECT 1 FROM memory_vectors v "
            "WHERE v.row = memory_bits.row AND v.model = memory_bits.model)"
        )
