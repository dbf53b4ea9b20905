"""Is a database of passages sound? Its words are compared with its passages, as those of entries
are; whether the passages are those of the files, the doctor asks the files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import apsw

from remem.errors import StoreDamaged
from remem.stores.sqlite import passage_schema
from remem.stores.sqlite.connection import close, open_for_reading
from remem.stores.sqlite.errors import translating
from remem.stores.sqlite.examine_vectors import vectors_found
from remem.stores.sqlite.examine_words import differing_words
from remem.stores.sqlite.passage_rows import SELECT, passage_from, words_of

_SCHEMA: Final = "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL"


def examine_passages(path: Path) -> list[str]:
    """What is wrong with the file; StoreError where it cannot be judged."""
    try:
        connection = open_for_reading(path, newest=passage_schema.newest())
        try:
            with translating(path):
                passage_schema.require_current(connection, path)
                return list(_found(connection))
        finally:
            close(connection)
    except (StoreDamaged, ValueError, TypeError) as error:
        return [str(error.args[0] if error.args else error)]


def _found(connection: apsw.Connection) -> Iterator[str]:
    for (line,) in connection.execute("PRAGMA integrity_check(9)"):
        if line != "ok":
            yield str(line)
            return
    fresh = apsw.Connection(":memory:")
    try:
        passage_schema.create(fresh, path=Path(":memory:"))
        if set(fresh.execute(_SCHEMA)) - set(connection.execute(_SCHEMA)):
            yield "its tables are not described as they should be"
            return
        yield from vectors_found(connection)
        rows = connection.execute(
            f"SELECT p.row, {SELECT} FROM passages p JOIN files f ON f.number = p.file"
        )
        fresh.executemany(
            "INSERT INTO memory_fts(rowid, text, context, path) VALUES (?, ?, ?, ?)",
            ((row, *words_of(passage_from(values))) for row, *values in rows),
        )
        if differing := differing_words(connection, fresh, "memory_fts"):
            yield f"its full text differs from its passages in {differing} words"
    finally:
        fresh.close()
