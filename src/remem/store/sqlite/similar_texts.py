"""The table by which texts that share most of their words are found.

It has one row per part of an entry's fingerprint (`text/similarity.py`).
"""

from __future__ import annotations

from typing import Final

import apsw

from remem.store.rows import compact
from remem.text.similarity import Fingerprint, fingerprint_of

_TABLE: Final = """CREATE TABLE memory_likeness (
    part INTEGER NOT NULL,
    row INTEGER NOT NULL,
    size INTEGER NOT NULL,
    sketch INTEGER NOT NULL,
    PRIMARY KEY (part, row)) WITHOUT ROWID"""
_PARTS_PER_QUERY: Final = 16
_MAX_ROWS_PER_PART: Final = 200
_ROWS_WITH_PARTS: Final = " UNION ALL ".join(
    "SELECT * FROM (SELECT row, size, sketch FROM memory_likeness "
    f"WHERE part = ?{number} ORDER BY row DESC LIMIT {_MAX_ROWS_PER_PART})"
    for number in range(1, _PARTS_PER_QUERY + 1)
)


def add_parts(connection: apsw.Connection, row: int, fingerprint: Fingerprint) -> None:
    """Insert the parts of an entry's fingerprint."""
    connection.execute(
        "INSERT OR IGNORE INTO memory_likeness SELECT value, ?, ?, ? FROM json_each(?)",
        [row, fingerprint.size, fingerprint.sketch, compact(fingerprint.parts)],
    )


def delete_parts(connection: apsw.Connection, row: int, content: str) -> None:
    """Delete the parts of an entry that had this content."""
    connection.executemany(
        "DELETE FROM memory_likeness WHERE part = ? AND row = ?",
        [(part, row) for part in fingerprint_of(content).parts],
    )


def rebuild_table(connection: apsw.Connection) -> None:
    """Create the table again and fill it from the entries."""
    connection.execute("DROP TABLE memory_likeness")
    connection.execute(_TABLE)
    for row, content in connection.execute("SELECT row, content FROM memory_entries"):
        add_parts(connection, row, fingerprint_of(content))


def similar_rows(connection: apsw.Connection, fingerprint: Fingerprint) -> set[int]:
    """Return the rows of the entries that may share 80% of their words with a text.

    If very many entries share a part, only the newest are considered.
    """
    rows: set[int] = set()
    for start in range(0, len(fingerprint.lookup_parts), _PARTS_PER_QUERY):
        parts = fingerprint.lookup_parts[start : start + _PARTS_PER_QUERY]
        padding = [None] * (_PARTS_PER_QUERY - len(parts))
        candidates = connection.execute(_ROWS_WITH_PARTS, [*parts, *padding])
        rows.update(
            row for row, size, sketch in candidates if fingerprint.may_be_similar(size, sketch)
        )
    return rows
