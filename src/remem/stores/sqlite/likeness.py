"""Where are the parts kept by which similar texts are found? One row for each part of an entry."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from operator import itemgetter
from typing import Final

import apsw

from remem.core.likeness import Fingerprint, fingerprint

_TABLE: Final = """CREATE TABLE memory_likeness (
    part INTEGER NOT NULL,
    row INTEGER NOT NULL,
    size INTEGER NOT NULL,
    sketch INTEGER NOT NULL,
    PRIMARY KEY (part, row)) WITHOUT ROWID"""

_INSERT: Final = "INSERT OR IGNORE INTO memory_likeness VALUES "
_VALUES: Final = "(?, ?, ?, ?)"
_AT_ONCE: Final = (64, 8, 1)
"""Rows of one step. At each, SQLite lets the interpreter go and asks for it back, which takes as
long as writing a row of numbers."""


def add_likeness(connection: apsw.Connection, prints: Iterable[tuple[int, Fingerprint]]) -> None:
    """In the order of the parts: neighbours in the table are written together."""
    rows = [
        (part, row, print_.size, print_.sketch) for row, print_ in prints for part in print_.parts
    ]
    rows.sort(key=itemgetter(0))
    written = 0
    for count in _AT_ONCE:
        end = len(rows) - (len(rows) - written) % count
        steps = (rows[start : start + count] for start in range(written, end, count))
        connection.executemany(
            _INSERT + ", ".join([_VALUES] * count), (list(chain(*some)) for some in steps)
        )
        written = end


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
