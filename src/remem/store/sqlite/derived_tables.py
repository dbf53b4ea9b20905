"""Tables derived from entries: full text, similarity, tags, places and the vector queue.

They change in the entry's own transaction and can be rebuilt from the entries.
"""

from __future__ import annotations

from typing import Final

import apsw

from remem.model.entry import Entry
from remem.store.rows import facets, lookup_values
from remem.store.sqlite import neighbours, vectors
from remem.store.sqlite.neighbours import add_similarity, delete_similarity
from remem.store.sqlite.schema import FULL_TEXT
from remem.text.similarity import Fingerprint, fingerprint_of
from remem.text.words import fold, foreign_stems, search_text

_DERIVED_TABLES: Final = (
    "memory_likeness memory_tags memory_places memory_bits bit_segments memory_vectors "
    "vector_queue models"
).split()

_TEXT_TABLES: Final = {True: "memory_fts", False: "memory_fts_aside"}
_TEXT_VALUES: Final = "(rowid, content, context, tags) VALUES (?, ?, ?, ?)"
_TEXTS: Final = """SELECT row, live, content, coalesce(context, ''),
    (SELECT coalesce(group_concat(value, ' '), '')
    FROM json_each(iif(json_valid(tags), tags, '[]')))
    FROM memory_entries WHERE row > ? ORDER BY row LIMIT 1000"""


def add(connection: apsw.Connection, row: int, entry: Entry, fingerprint: Fingerprint) -> None:
    """Insert everything that is derived from an entry."""
    add_text(connection, row, entry)
    add_similarity(connection, row, fingerprint)
    _add_tags(connection, row, entry)
    if entry.live:
        neighbours.add_places(connection, row, entry.origins)
    connection.execute("INSERT INTO vector_queue VALUES (?)", [row])


def change(connection: apsw.Connection, row: int, before: Entry, new: Entry) -> None:
    """Update the derived rows of an entry where it has changed."""
    if _text(before) != _text(new):
        connection.execute(f"DELETE FROM {_text_table(before)} WHERE rowid = ?", [row])
        add_text(connection, row, new)
    if before.tags != new.tags:
        connection.executemany(
            "DELETE FROM memory_tags WHERE tag = ? AND row = ?",
            [(fold(tag), row) for tag in before.tags],
        )
        _add_tags(connection, row, new)
    neighbours.update_places(connection, row, before, new)
    if before.content != new.content:
        _update_text_lookups(connection, row, before, fingerprint_of(new.content))
        vectors.drop(connection, row)
    elif facets(before) != facets(new):
        vectors.reclassify(connection, row, facets(new))


def drop(connection: apsw.Connection) -> None:
    """Empty all derived tables; full text is recreated, because a damaged one cannot be emptied."""
    for table in ("memory_words", "memory_fts", "memory_fts_aside"):
        connection.execute(f"DROP TABLE {table}")
    for statement in FULL_TEXT:
        connection.execute(statement)
    for table in _DERIVED_TABLES:
        connection.execute(f"DELETE FROM {table}")


def _update_text_lookups(
    connection: apsw.Connection, row: int, before: Entry, fingerprint: Fingerprint
) -> None:
    connection.execute(
        "UPDATE memory_entries SET same = ?, longest = ? WHERE row = ?",
        [*lookup_values(fingerprint), row],
    )
    delete_similarity(connection, row, before.content)
    add_similarity(connection, row, fingerprint)
    connection.execute("INSERT OR IGNORE INTO vector_queue VALUES (?)", [row])


def add_text(connection: apsw.Connection, row: int, entry: Entry) -> None:
    """Index an entry's text in the table for live or for other entries."""
    connection.execute(f"INSERT INTO {_text_table(entry)}{_TEXT_VALUES}", _words(row, entry))


def add_stems(connection: apsw.Connection) -> None:
    """Index the texts of entries again whose words have stems (migration 8)."""
    last = 0
    while rows := list(connection.execute(_TEXTS, [last])):
        for row, live, *texts in rows:
            if any(map(foreign_stems, texts)):
                table, words = _TEXT_TABLES[live], map(search_text, texts)
                connection.execute(f"DELETE FROM {table} WHERE rowid = ?", [row])
                connection.execute(f"INSERT INTO {table}{_TEXT_VALUES}", [row, *words])
        last = rows[-1][0]


def _words(row: int, entry: Entry) -> tuple[int, str, str, str]:
    return (
        row,
        search_text(entry.content),
        search_text(entry.context) if entry.context else "",
        search_text(" ".join(entry.tags)) if entry.tags else "",
    )


def _add_tags(connection: apsw.Connection, row: int, entry: Entry) -> None:
    if entry.tags:
        connection.executemany(
            "INSERT OR IGNORE INTO memory_tags VALUES (?, ?)",
            [(fold(tag), row) for tag in entry.tags],
        )


def _text(entry: Entry) -> tuple[object, ...]:
    """Return everything about an entry that its full-text row depends on."""
    return entry.live, entry.content, entry.context, entry.tags


def _text_table(entry: Entry) -> str:
    return _TEXT_TABLES[entry.live]
