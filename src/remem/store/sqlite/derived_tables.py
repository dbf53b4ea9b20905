"""Tables derived from entries: full text, similarity, tags, places and the vector queue.

They change in the entry's own transaction and can be rebuilt from the entries.
"""

from __future__ import annotations

from typing import Final

import apsw

from remem.model.entry import Entry
from remem.store.rows import facets_of, lookup_hashes
from remem.store.sqlite import neighbours, similar_texts, vectors
from remem.store.sqlite.schema import FULL_TEXT
from remem.text.similarity import Fingerprint, fingerprint_of
from remem.text.words import fold, foreign_stems, search_text

_DERIVED_TABLES: Final = (
    "memory_likeness memory_tags memory_places memory_bits bit_segments memory_vectors "
    "vector_queue models"
).split()

_TEXT_TABLES: Final = {True: "memory_fts", False: "memory_fts_aside"}  # by whether entries are live
_TEXT_VALUES: Final = "(rowid, content, context, tags) VALUES (?, ?, ?, ?)"
_TEXTS_AFTER: Final = """SELECT row, live, content, coalesce(context, ''),
    (SELECT coalesce(group_concat(value, ' '), '')
    FROM json_each(iif(json_valid(tags), tags, '[]')))
    FROM memory_entries WHERE row > ? ORDER BY row LIMIT 1000"""


def add(connection: apsw.Connection, row: int, entry: Entry, fingerprint: Fingerprint) -> None:
    """Insert everything that is derived from an entry."""
    add_text(connection, row, entry)
    similar_texts.add_parts(connection, row, fingerprint)
    _add_tags(connection, row, entry)
    if entry.live and entry.origins:
        neighbours.add_places(connection, row, entry.origins)
    connection.execute("INSERT INTO vector_queue VALUES (?)", [row])


def update(connection: apsw.Connection, row: int, old: Entry, new: Entry) -> None:
    """Update what is derived from an entry, where the entry has changed."""
    if _indexed_values(old) != _indexed_values(new):
        connection.execute(f"DELETE FROM {_text_table(old)} WHERE rowid = ?", [row])
        add_text(connection, row, new)
    if old.tags != new.tags:
        connection.executemany(
            "DELETE FROM memory_tags WHERE tag = ? AND row = ?",
            [(fold(tag), row) for tag in old.tags],
        )
        _add_tags(connection, row, new)
    neighbours.update_places(connection, row, old, new)
    if old.content != new.content:
        _update_hashes_and_queue(connection, row, old, fingerprint_of(new.content))
        vectors.drop(connection, row)
    elif facets_of(old) != facets_of(new):
        vectors.reclassify(connection, row, facets_of(new))


def clear(connection: apsw.Connection) -> None:
    """Empty all derived tables.

    Those of the full text are created again, because a damaged one cannot be emptied.
    """
    for table in ("memory_words", "memory_fts", "memory_fts_aside"):
        connection.execute(f"DROP TABLE {table}")
    for statement in FULL_TEXT:
        connection.execute(statement)
    for table in _DERIVED_TABLES:
        connection.execute(f"DELETE FROM {table}")


def _update_hashes_and_queue(
    connection: apsw.Connection, row: int, old: Entry, fingerprint: Fingerprint
) -> None:
    """Update the hashes by which a changed text is found, and queue it for a vector."""
    connection.execute(
        "UPDATE memory_entries SET same = ?, longest = ? WHERE row = ?",
        [*lookup_hashes(fingerprint), row],
    )
    similar_texts.delete_parts(connection, row, old.content)
    similar_texts.add_parts(connection, row, fingerprint)
    connection.execute("INSERT OR IGNORE INTO vector_queue VALUES (?)", [row])


def add_text(connection: apsw.Connection, row: int, entry: Entry) -> None:
    """Index an entry's text: in one table for live entries, in another for the others."""
    connection.execute(f"INSERT INTO {_text_table(entry)}{_TEXT_VALUES}", _text_values(row, entry))


def add_stems(connection: apsw.Connection) -> None:
    """Index entries again that have words in languages other than English (migration 8)."""
    last = 0
    while rows := list(connection.execute(_TEXTS_AFTER, [last])):
        for row, live, *texts in rows:
            if any(map(foreign_stems, texts)):
                table, words = _TEXT_TABLES[live], map(search_text, texts)
                connection.execute(f"DELETE FROM {table} WHERE rowid = ?", [row])
                connection.execute(f"INSERT INTO {table}{_TEXT_VALUES}", [row, *words])
        last = rows[-1][0]


def _text_values(row: int, entry: Entry) -> tuple[int, str, str, str]:
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


def _indexed_values(entry: Entry) -> tuple[object, ...]:
    """Return everything about an entry that its full-text row depends on."""
    return entry.live, entry.content, entry.context, entry.tags


def _text_table(entry: Entry) -> str:
    return _TEXT_TABLES[entry.live]
