"""Where are the parts kept by which similar texts are found? One row for each part of an entry."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
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
_WIDTH: Final = 4
_MANY: Final = 100
"""Who writes fewer does not wait until arrays are loaded."""
_AT_ONCE: Final = (64, 8, 1)
"""Rows of one step. At each, SQLite lets the interpreter go and asks for it back, which takes as
long as writing a row of numbers."""


def add_likeness(connection: apsw.Connection, prints: Sequence[tuple[int, Fingerprint]]) -> None:
    """In the order of the parts: neighbours in the table are written together."""
    values = _few_in_order(prints) if len(prints) < _MANY else _in_order(prints)
    written = 0
    for count in _AT_ONCE:
        step = count * _WIDTH
        end = len(values) - (len(values) - written) % step
        connection.executemany(
            _INSERT + ", ".join([_VALUES] * count),
            (values[start : start + step] for start in range(written, end, step)),
        )
        written = end


def _few_in_order(prints: Sequence[tuple[int, Fingerprint]]) -> list[int]:
    """The values of all rows, one row after the other."""
    rows = [
        (part, row, print_.size, print_.sketch) for row, print_ in prints for part in print_.parts
    ]
    return list(chain.from_iterable(sorted(rows)))


def _in_order(prints: Sequence[tuple[int, Fingerprint]]) -> list[int]:
    """The same for many, with arrays."""
    import numpy as np

    parts = np.array(list(chain.from_iterable(print_.parts for _, print_ in prints)), np.int64)
    beside = np.array([(row, each.size, each.sketch) for row, each in prints], np.int64)
    counts = [len(print_.parts) for _, print_ in prints]
    order = np.argsort(parts, kind="stable")
    rows = np.column_stack((parts, np.repeat(beside, counts, axis=0)))[order]
    values: list[int] = rows.ravel().tolist()
    return values


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
