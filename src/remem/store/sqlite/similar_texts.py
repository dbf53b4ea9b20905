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
_KNOWN_PARTS: Final = """SELECT value FROM json_each(?)
    WHERE EXISTS (SELECT 1 FROM memory_likeness WHERE part = value)"""
_MAX_ROWS_PER_PART: Final = 200
_ROWS_WITH_PART: Final = f"""SELECT row, size, sketch FROM memory_likeness
    WHERE part = ? ORDER BY row DESC LIMIT {_MAX_ROWS_PER_PART}"""


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
    known = list(connection.execute(_KNOWN_PARTS, [compact(fingerprint.lookup_parts)]))
    return {
        row
        for part in known  # most texts share none with any other
        for row, size, sketch in connection.execute(_ROWS_WITH_PART, part)
        if fingerprint.may_be_similar(size, sketch)
    }
