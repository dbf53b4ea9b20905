"""What stands beside an entry? The entries before and after it in the same conversation or file.

Only live entries have a place: what is archived or untrusted must not move what is trusted.

Where are the parts kept by which similar texts are found? One row for each part of an entry.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import Final

import apsw

from remem.model.entry import ASSISTANT, Entry, Origin
from remem.ports.records import Beside, Place, Stated
from remem.store.sqlite.rows import compact, origins_of
from remem.text.similarity import Fingerprint, fingerprint

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


TABLES: Final = (
    """CREATE TABLE memory_places (
        source INTEGER NOT NULL,
        position INTEGER NOT NULL,
        row INTEGER NOT NULL,
        assistant INTEGER NOT NULL,
        PRIMARY KEY (source, position, row)) WITHOUT ROWID""",
    "CREATE INDEX idx_assistants ON memory_places(source) WHERE assistant = 1",
)
_NEAR: Final = 4
"""What lies further apart than so many turns or lines does not belong together."""
_BEFORE: Final = """SELECT row FROM memory_places WHERE source = ?1 AND position < ?2
    AND position >= ?2 - ?3 ORDER BY position DESC, row DESC LIMIT 2"""
_AFTER: Final = """SELECT row FROM memory_places WHERE source = ?1 AND position > ?2
    AND position <= ?2 + ?3 ORDER BY position, row LIMIT 1"""
_WITH_ASSISTANT: Final = """SELECT value FROM json_each(?) WHERE EXISTS (
    SELECT 1 FROM memory_places WHERE source = value AND assistant = 1)"""

# An entry with two lines of one file counts at the first.
_STATED: Final = """SELECT e.row, e.priority, coalesce(e.context, '') FROM memory_places p
    JOIN memory_entries e ON e.row = p.row
    WHERE p.source = ? AND e.live = 1 AND e.trust = 'owner'
    GROUP BY e.row ORDER BY min(p.position), e.row"""


def create(connection: apsw.Connection) -> None:
    """The tables, with the places of all entries that there are."""
    for statement in TABLES:
        connection.execute(statement)
    rows = connection.execute(
        "SELECT row, origins FROM memory_entries WHERE live = 1 AND origins <> '[]'"
    )
    add_all(connection, [(row, origins_of(origins)) for row, origins in rows])


def add_all(connection: apsw.Connection, entries: Iterable[tuple[int, Sequence[Origin]]]) -> None:
    """The places of live entries."""
    found = [
        (source, position, row, spoke)
        for row, origins in entries
        for source, position, spoke in places_of(origins)
    ]
    connection.executemany("INSERT OR IGNORE INTO memory_places VALUES (?, ?, ?, ?)", found)


def change(connection: apsw.Connection, row: int, old: Entry, new: Entry) -> None:
    if (old.live, old.origins) == (new.live, new.origins):
        return
    connection.executemany(
        "DELETE FROM memory_places WHERE source = ? AND position = ? AND row = ?",
        [(source, position, row) for source, position, _ in places_of(old.origins)],
    )
    if new.live:
        add_all(connection, [(row, new.origins)])


def places_found(connection: apsw.Connection) -> Iterator[str]:
    """What is wrong with the places."""
    rows = connection.execute(
        "SELECT row, origins FROM memory_entries WHERE live = 1 AND origins <> '[]'"
    )
    wanted = {
        (source, position, row, spoke)
        for row, origins in rows
        for source, position, spoke in places_of(_readable(origins))
    }
    there = set(connection.execute("SELECT source, position, row, assistant FROM memory_places"))
    if wrong := len(wanted ^ there):
        yield f"{wrong} places of entries in their conversations are not as they should be"


def _readable(origins: str) -> Sequence[Origin]:
    try:
        return origins_of(origins)
    except (ValueError, TypeError):  # a damaged record, told as such
        return ()


def beside(connection: apsw.Connection, places: Iterable[Place]) -> dict[Place, Beside]:
    """The neighbours of each place."""
    found: dict[Place, Beside] = {}
    for source, position in places:
        at = [source_number(source), position, _NEAR]
        before = [row for (row,) in connection.execute(_BEFORE, at)]
        after = [row for (row,) in connection.execute(_AFTER, at)]
        found[source, position] = Beside(tuple(before), tuple(after))
    return found


def stated_in(connection: apsw.Connection, file: str) -> list[Stated]:
    """What the owner states in a file, line by line."""
    return [Stated(*values) for values in connection.execute(_STATED, [source_number(file)])]


def with_assistant(connection: apsw.Connection, sources: Sequence[str]) -> frozenset[str]:
    """The sources in which an assistant speaks."""
    numbers = {source_number(source): source for source in sources}
    rows = connection.execute(_WITH_ASSISTANT, [compact(list(numbers))])
    return frozenset(numbers[number] for (number,) in rows)


def places_of(origins: Sequence[Origin]) -> Iterator[tuple[int, int, int]]:
    """Source, position, and whether an assistant spoke there."""
    for origin in origins:
        if origin.position is not None:
            yield source_number(origin.source), origin.position, int(origin.role == ASSISTANT)


@lru_cache(maxsize=10_000)
def source_number(source: str) -> int:
    """A source's name as a number, so that a place takes few bytes."""
    digest = hashlib.blake2b(source.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)
