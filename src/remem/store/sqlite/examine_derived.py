"""Is a database of passages sound? Its words are compared with its passages, as those of entries
are; whether the passages are those of the files, the doctor asks the files.

Does the full text hold the words of the entries, and the lookup their likeness? Both are made
again in memory and compared, because FTS5 cannot check a table that keeps no text.

Are the vectors what a model made? Each fits its seal, its bits are its signs, and the copies
of its bits say the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import apsw
import numpy as np

from remem.errors import StoreDamaged
from remem.model.entry import Entry
from remem.store.sqlite import derived_tables, passage_tables
from remem.store.sqlite.checksums import vector_seal
from remem.store.sqlite.connection import close, open_for_reading, translating
from remem.store.sqlite.passage_tables import SELECT, passage_from, words_of
from remem.store.sqlite.rows import COLUMNS, entry_from
from remem.store.sqlite.schema import FULL_TEXT
from remem.store.sqlite.vector_bits import signs
from remem.text.similarity import fingerprint

_TABLES: Final = ("memory_fts", "memory_fts_aside")


def words_found(connection: apsw.Connection) -> Iterator[str]:
    """What is wrong with the words; the connection may only read."""
    fresh = apsw.Connection(":memory:")
    try:
        for statement in FULL_TEXT:
            fresh.execute(statement)
        likeness: dict[int, int] = {}
        for row, entry in _entries(connection):
            derived_tables.add_text(fresh, row, entry)
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
    columns = ", ".join(f"e.{column}" for column in COLUMNS)
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
            + sum(not _reached(connection, here, term) for term in _terms(fresh, there))
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
    return {hash(row) for row in rows}


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


def vectors_found(connection: apsw.Connection) -> Iterator[str]:
    """What is wrong with the vectors of a database, of entries or of passages."""
    rows = connection.execute(
        "SELECT v.pooled, v.tokens, v.seal, b.bits, m.dimension FROM memory_vectors v "
        "JOIN models m ON m.model = v.model "
        "LEFT JOIN memory_bits b ON b.row = v.row AND b.model = v.model"
    )
    wrong = sum(not _is_sound(*row) for row in rows)
    if wrong:
        yield f"{wrong} vectors are damaged"
    for model, dimension in list(connection.execute("SELECT model, dimension FROM models")):
        if differing := _differing_copies(connection, model, -(-dimension // 64) * 8):
            yield f"{differing} copies of bits differ from their vectors"


def _is_sound(pooled: object, tokens: object, sealed: object, bits: object, dimension: int) -> bool:
    if not isinstance(pooled, bytes) or not isinstance(bits, bytes):
        return False
    if len(pooled) != 2 * dimension or not isinstance(tokens, bytes | None):
        return False
    if vector_seal(pooled, tokens) != sealed:
        return False
    wanted = signs(np.frombuffer(pooled, np.float16).astype(np.float32)).tobytes()
    if len(bits) != len(wanted):
        return False
    differing = int.from_bytes(bits, "big") ^ int.from_bytes(wanted, "big")
    return differing.bit_count() <= 1 + dimension // 100  # what half precision rounds to zero


def _differing_copies(connection: apsw.Connection, model: int, width: int) -> int:
    """Of a row that stands in several segments, the last one counts."""
    copies: dict[int, tuple[int, bytes]] = {}
    last = 0
    for upto, rows, facets, bits in connection.execute(
        "SELECT upto, rows, facets, bits FROM bit_segments WHERE model = ? ORDER BY upto", [model]
    ):
        numbers, kinds = np.frombuffer(rows, np.int64), np.frombuffer(facets, np.uint16)
        if len(numbers) != len(kinds) or len(bits) != width * len(numbers):
            return len(numbers)
        for at, row in enumerate(numbers.tolist()):
            copies[row] = int(kinds[at]), bits[at * width : (at + 1) * width]
        last = upto
    current = connection.execute(
        "SELECT row, facets, bits FROM memory_bits WHERE model = ? AND stamp <= ?", [model, last]
    )
    return sum(copies.get(row) != (facets, bits) for row, facets, bits in current)


_SCHEMA: Final = "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL"


def examine_passages(path: Path) -> list[str]:
    """What is wrong with the file; StoreError where it cannot be judged."""
    try:
        connection = open_for_reading(path, newest=passage_tables.newest())
        try:
            with translating(path):
                passage_tables.require_current(connection, path)
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
        passage_tables.create(fresh, path=Path(":memory:"))
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
