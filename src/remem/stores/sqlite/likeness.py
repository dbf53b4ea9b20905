"""Where are the parts kept by which similar texts are found? One row for each part of an entry."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import apsw

from remem.core.likeness import Fingerprint, fingerprint

_TABLE: Final = """CREATE TABLE memory_likeness (
    part INTEGER NOT NULL,
    row INTEGER NOT NULL,
    size INTEGER NOT NULL,
    sketch INTEGER NOT NULL,
    PRIMARY KEY (part, row)) WITHOUT ROWID"""


def add_likeness(connection: apsw.Connection, prints: Iterable[tuple[int, Fingerprint]]) -> None:
    """In the order of the parts: neighbours in the table are written together."""
    connection.executemany(
        "INSERT OR IGNORE INTO memory_likeness VALUES (?, ?, ?, ?)",
        sorted(
            (part, row, print_.size, print_.sketch)
            for row, print_ in prints
            for part in print_.parts
        ),
    )


def drop_likeness(connection: apsw.Connection, row: int, content: str) -> None:
    connection.executemany(
        "DELETE FROM memory_likeness WHERE part = ? AND row = ?",
        [(part, row) for part in fingerprint(content).parts],
    )


def begin_likeness(connection: apsw.Connection) -> None:
    """Make the table anew, and fill it from the entries."""
    connection.execute("DROP TABLE memory_likeness")
    connection.execute(_TABLE)
    for row, content in connection.execute("SELECT row, content FROM memory_entries"):
        add_likeness(connection, [(row, fingerprint(content))])
