"""How does a record get back into a new database, under its old number and as it was?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from remem.core.entry import Entry
from remem.core.likeness import fingerprint, wording
from remem.stores.sqlite import arriving
from remem.stores.sqlite.following import Added
from remem.stores.sqlite.rows import entry_of
from remem.stores.sqlite.transaction import Transaction


class Refilling(Transaction):
    """A transaction that fills a new database with what an old one held."""

    def put_back(self, row: int, entry: Entry, change: str, home: str, part: int | None) -> None:
        self._reworded()
        place = part or self._open_part(home, entry)
        added = Added(row, entry, fingerprint(entry.content), home, place, change)
        arriving.write(self._connection, [added])

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
