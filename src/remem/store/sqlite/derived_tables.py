"""What has to follow when an entry changes? Full text, likeness, tags and the vectors' queue.

All of it is written in the entry's own transaction, and can be made anew from the entries.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import apsw

from remem.model.entry import Entry
from remem.ports.records import Located
from remem.store.sqlite import neighbours, vectors
from remem.store.sqlite.neighbours import add_likeness, drop_likeness
from remem.store.sqlite.rows import facets, lookup_values
from remem.store.sqlite.schema import FULL_TEXT
from remem.text.similarity import Fingerprint, fingerprint
from remem.text.words import fold, search_text, stems_beside

_EMPTIED: Final = (
    "memory_likeness memory_tags memory_places memory_bits bit_segments memory_vectors "
    "vector_queue models"
).split()

_TEXT_TABLES: Final = {True: "memory_fts", False: "memory_fts_aside"}
_ADD_WORDS: Final = "(rowid, content, context, tags) VALUES (?, ?, ?, ?)"
_WORDS_OF: Final = """SELECT row, live, content, coalesce(context, ''),
    (SELECT coalesce(group_concat(value, ' '), '')
    FROM json_each(iif(json_valid(tags), tags, '[]')))
    FROM memory_entries WHERE row > ? ORDER BY row LIMIT 1000"""


class Added(NamedTuple):
    """An entry that is new, or whose traces were dropped: its number, where it stands, and
    what brought it."""

    row: int
    entry: Entry
    print_: Fingerprint
    home: str
    part: int
    change: str


def add(connection: apsw.Connection, added: Sequence[Added]) -> None:
    """What follows from entries, table by table."""
    live = [each for each in added if each.entry.live]
    aside = [each for each in added if not each.entry.live] if len(live) < len(added) else []
    for table, some in (("memory_fts", live), ("memory_fts_aside", aside)):
        connection.executemany(
            f"INSERT INTO {table}{_ADD_WORDS}", (_words(added.row, added.entry) for added in some)
        )
    add_likeness(connection, [(each.row, each.print_) for each in added])
    for each in added:
        _add_tags(connection, each.row, each.entry, each.home)
    neighbours.add_all(connection, [(added.row, added.entry.origins) for added in live])
    connection.executemany("INSERT INTO vector_queue VALUES (?)", [(each.row,) for each in added])


def change(connection: apsw.Connection, old: Located, old_home: str, new: Entry, home: str) -> None:
    """Bring into step what depends on the words, where they have changed."""
    before = old.entry
    if _text(before) != _text(new):
        connection.execute(f"DELETE FROM {_text_table(before)} WHERE rowid = ?", [old.row])
        add_text(connection, old.row, new)
    if (before.live, before.tags, old_home) != (new.live, new.tags, home):
        connection.executemany(
            "DELETE FROM memory_tags WHERE tag = ? AND row = ?",
            [(fold(tag), old.row) for tag in before.tags],
        )
        _add_tags(connection, old.row, new, home)
    neighbours.change(connection, old.row, before, new)
    if before.content != new.content:
        _reword(connection, old, fingerprint(new.content))
        vectors.drop(connection, old.row)
    elif facets(before) != facets(new):
        vectors.reclassify(connection, old.row, facets(new))


def drop(connection: apsw.Connection) -> None:
    """Forget it all. Full text goes as a whole, because a damaged one cannot be emptied."""
    for table in ("memory_words", "memory_fts", "memory_fts_aside"):
        connection.execute(f"DROP TABLE {table}")
    for statement in FULL_TEXT:
        connection.execute(statement)
    for table in _EMPTIED:
        connection.execute(f"DELETE FROM {table}")


def _reword(connection: apsw.Connection, old: Located, print_: Fingerprint) -> None:
    connection.execute(
        "UPDATE memory_entries SET same = ?, longest = ? WHERE row = ?",
        [*lookup_values(print_), old.row],
    )
    drop_likeness(connection, old.row, old.entry.content)
    add_likeness(connection, [(old.row, print_)])
    connection.execute("INSERT OR IGNORE INTO vector_queue VALUES (?)", [old.row])


def add_text(connection: apsw.Connection, row: int, entry: Entry) -> None:
    """The entry's words, in the table that it belongs to."""
    connection.execute(f"INSERT INTO {_text_table(entry)}{_ADD_WORDS}", _words(row, entry))


def find_by_stems(connection: apsw.Connection) -> None:
    """Write the words of those entries anew that have stems."""
    last = 0
    while rows := list(connection.execute(_WORDS_OF, [last])):
        for row, live, *texts in rows:
            if any(map(stems_beside, texts)):
                table, words = _TEXT_TABLES[live], map(search_text, texts)
                connection.execute(f"DELETE FROM {table} WHERE rowid = ?", [row])
                connection.execute(f"INSERT INTO {table}{_ADD_WORDS}", [row, *words])
        last = rows[-1][0]


def _words(row: int, entry: Entry) -> tuple[int, str, str, str]:
    return (
        row,
        search_text(entry.content),
        search_text(entry.context) if entry.context else "",
        search_text(" ".join(entry.tags)) if entry.tags else "",
    )


def _add_tags(connection: apsw.Connection, row: int, entry: Entry, home: str) -> None:
    if entry.tags:
        connection.executemany(
            "INSERT OR IGNORE INTO memory_tags VALUES (?, ?, ?)",
            [(fold(tag), row, home if entry.live else None) for tag in entry.tags],
        )


def _text(entry: Entry) -> tuple[object, ...]:
    """What the full text says of an entry, and in which table."""
    return entry.live, entry.content, entry.context, entry.tags


def _text_table(entry: Entry) -> str:
    return _TEXT_TABLES[entry.live]
