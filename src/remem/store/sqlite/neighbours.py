"""The table of places, which shows the entries before and after an entry in its source.

A source is a conversation or a file. Only live entries have places, because archived or untrusted
ones must not affect the ranking.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import apsw

from remem.model.entry import Entry, Origin
from remem.ports.records import Neighbours, SourcePosition
from remem.store.rows import MAX_GAP, compact, origins_in, places_of, source_number

_TABLE: Final = (
    """CREATE TABLE memory_places (
        source INTEGER NOT NULL,
        position INTEGER NOT NULL,
        row INTEGER NOT NULL,
        assistant INTEGER NOT NULL,
        PRIMARY KEY (source, position, row)) WITHOUT ROWID""",
    "CREATE INDEX idx_assistants ON memory_places(source) WHERE assistant = 1",
)
_ID: Final = "SELECT (SELECT id FROM memory_entries e WHERE e.row = p.row) FROM memory_places p"
_BEFORE: Final = f"""{_ID} WHERE source = ?1 AND position < ?2
    AND position >= ?2 - ?3 ORDER BY position DESC, row DESC LIMIT 2"""
_AFTER: Final = f"""{_ID} WHERE source = ?1 AND position > ?2
    AND position <= ?2 + ?3 ORDER BY position, row LIMIT 1"""
_WITH_ASSISTANT: Final = """SELECT value FROM json_each(?) WHERE EXISTS (
    SELECT 1 FROM memory_places WHERE source = value AND assistant = 1)"""


def create_places(connection: apsw.Connection) -> None:
    """Create the table, and fill it with the places of all live entries."""
    for statement in _TABLE:
        connection.execute(statement)
    rows = connection.execute(
        "SELECT row, origins FROM memory_entries WHERE live = 1 AND origins <> '[]'"
    )
    for row, origins in list(rows):
        add_places(connection, row, origins_in(origins))


def add_places(connection: apsw.Connection, row: int, origins: Sequence[Origin]) -> None:
    """Insert the places of a live entry."""
    connection.executemany(
        "INSERT OR IGNORE INTO memory_places VALUES (?, ?, ?, ?)",
        [
            (source, position, row, by_assistant)
            for source, position, by_assistant in places_of(origins)
        ],
    )


def update_places(connection: apsw.Connection, row: int, old: Entry, new: Entry) -> None:
    """Update the places of a changed entry."""
    if (old.live, old.origins) == (new.live, new.origins):
        return
    connection.executemany(
        "DELETE FROM memory_places WHERE source = ? AND position = ? AND row = ?",
        [(source, position, row) for source, position, _ in places_of(old.origins)],
    )
    if new.live:
        add_places(connection, row, new.origins)


def neighbours_of(
    connection: apsw.Connection, places: Iterable[SourcePosition]
) -> dict[SourcePosition, Neighbours]:
    """Return the neighbours of each place."""
    result: dict[SourcePosition, Neighbours] = {}
    for source, position in places:
        at = [source_number(source), position, MAX_GAP]
        before = [id_ for (id_,) in connection.execute(_BEFORE, at)]
        after = [id_ for (id_,) in connection.execute(_AFTER, at)]
        result[source, position] = Neighbours(tuple(before), tuple(after))
    return result


def sources_with_assistant(connection: apsw.Connection, sources: Sequence[str]) -> frozenset[str]:
    """Return the sources that contain an assistant's turns."""
    numbers = {source_number(source): source for source in sources}
    rows = connection.execute(_WITH_ASSISTANT, [compact(list(numbers))])
    return frozenset(numbers[number] for (number,) in rows)
