"""What stands beside an entry? The entries before and after it in the same conversation or file.

Only live entries have a place: what is archived or untrusted must not move what is trusted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

import apsw

from remem.core.entry import ASSISTANT, Entry, Origin
from remem.ports import Beside, Place, Stated
from remem.stores.sqlite.rows import compact, origins_of

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
    for each in origins:
        if each.position is not None:
            yield source_number(each.source), each.position, int(each.role == ASSISTANT)


@lru_cache(maxsize=10_000)
def source_number(source: str) -> int:
    """A source's name as a number, so that a place takes few bytes."""
    digest = hashlib.blake2b(source.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)
