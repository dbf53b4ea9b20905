"""Does the full text hold the words of the entries, and the lookup their likeness? Both are made
again in memory and compared, because FTS5 cannot check a table that keeps no text."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import apsw

from remem.core.entry import Entry
from remem.core.likeness import fingerprint
from remem.stores.sqlite import following
from remem.stores.sqlite.rows import COLUMNS, entry_from
from remem.stores.sqlite.schema import FULL_TEXT

_TABLES: Final = ("memory_fts", "memory_fts_aside")


def words_found(connection: apsw.Connection) -> Iterator[str]:
    """What is wrong with the words; the connection may only read."""
    fresh = apsw.Connection(":memory:")
    try:
        for statement in FULL_TEXT:
            fresh.execute(statement)
        likeness: dict[int, int] = {}
        for row, entry in _entries(connection):
            following.add_text(fresh, row, entry)
            print_ = fingerprint(entry.content)
            for part in set(print_.parts):
                likeness[row] = likeness.get(row, 0) ^ hash((part, print_.size, print_.sketch))
        for table in _TABLES:
            if differing := differing_words(connection, fresh, table):
                yield f"the full text {table} differs from the entries in {differing} words"
        wrong = {row for row, _ in set(_likeness(connection).items()) ^ set(likeness.items())}
        if wrong:
            yield f"{len(wrong)} entries are not found by their likeness"
    finally:
        fresh.close()


def _entries(connection: apsw.Connection) -> Iterator[tuple[int, Entry]]:
    columns = ", ".join(f"e.{each}" for each in COLUMNS)
    for row, *values in connection.execute(f"SELECT e.row, {columns} FROM memory_entries e"):
        try:
            yield row, entry_from(values)
        except (ValueError, TypeError):  # a damaged record is told as such
            continue


def differing_words(connection: apsw.Connection, fresh: apsw.Connection, table: str) -> int:
    """In how many words, sizes or totals one full text differs from what it should be."""
    with _vocabulary(connection, table) as here, _vocabulary(fresh, table) as there:
        return (
            len(_instances(connection, here) ^ _instances(fresh, there))
            + len(_sizes(connection, table) ^ _sizes(fresh, table))
            + sum(not _reached(connection, here, each) for each in _terms(fresh, there))
        )


@contextmanager
def _vocabulary(connection: apsw.Connection, table: str) -> Iterator[str]:
    """A table of all places at which words stand; it lives in memory, and for a moment."""
    name = f"temp.examined_{table}"
    connection.execute("PRAGMA query_only=0")
    connection.execute(f"CREATE VIRTUAL TABLE {name} USING fts5vocab(main, {table}, instance)")
    try:
        yield name
    finally:
        connection.execute(f"DROP TABLE {name}")
        connection.execute("PRAGMA query_only=1")


def _instances(connection: apsw.Connection, name: str) -> set[int]:
    """A number for each place at which a word stands."""
    rows = connection.execute(f"SELECT term, doc, col, offset FROM {name}")
    return {hash(each) for each in rows}


def _sizes(connection: apsw.Connection, table: str) -> set[object]:
    """How long each text is, and all of them together: BM25 counts with that. A table that was
    emptied counts zeros, one that is new counts nothing."""
    sizes = connection.execute(f"SELECT id, sz FROM {table}_docsize")
    totals = connection.execute(f"SELECT -1, block FROM {table}_data WHERE id = 1")
    return {*sizes, *((row, block) for row, block in totals if any(block))}


def _terms(connection: apsw.Connection, name: str) -> list[str]:
    return [term for (term,) in connection.execute(f"SELECT DISTINCT term FROM {name}")]


def _reached(connection: apsw.Connection, name: str, term: str) -> bool:
    """Whether a search arrives at a word, and not only a walk through all of them."""
    found = connection.execute(f"SELECT 1 FROM {name} WHERE term = ? LIMIT 1", [term])
    return next(iter(found), None) is not None


def _likeness(connection: apsw.Connection) -> dict[int, int]:
    found: dict[int, int] = {}
    rows = connection.execute("SELECT row, part, size, sketch FROM memory_likeness")
    for row, part, size, sketch in rows:
        found[row] = found.get(row, 0) ^ hash((part, size, sketch))
    return found
