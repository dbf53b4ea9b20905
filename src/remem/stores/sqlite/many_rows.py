"""How do many rows get into a table? In one statement, while which other threads go on.

A statement for each row lets go of the interpreter after each, and has to wait for it where
another thread works. And full text writes out what it has gathered before every statement of
several rows, since that might have to be undone alone: so there should be one.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, Final

import apsw

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
