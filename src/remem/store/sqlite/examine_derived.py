"""Examine data that can be rebuilt: what is derived from entries, and passage databases.

What is derived from the text of entries is computed again and compared; for full text this is done
in a database in memory, because FTS5 cannot check a table that does not store the text. A vector
must match its checksum, its sign bits, and the copies of these bits in the segments. Whether
passages match their files is not checked here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import reduce
from operator import xor
from pathlib import Path
from typing import Final

import apsw
import numpy as np

from remem.errors import StoreDamaged, counted
from remem.model.entry import Entry
from remem.store.rows import COLUMNS, entry_from_values, lookup_hashes, places_of, state_flags
from remem.store.sqlite import derived_tables, passage_tables
from remem.store.sqlite.checksums import vector_checksum
from remem.store.sqlite.connection import close, open_for_reading, translating_errors
from remem.store.sqlite.passage_tables import SELECT, passage_from, words_of
from remem.store.sqlite.schema import FULL_TEXT
from remem.store.vector_scan import signs
from remem.text.similarity import fingerprint_of
from remem.text.words import fold

TEXT_TABLES: Final = ("memory_fts", "memory_fts_aside")
SCHEMA: Final = "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL"


def entry_problems(connection: apsw.Connection) -> Iterator[str]:
    """Yield the problems with full text, similarity, lookup values, tags and places of entries."""
    fresh = apsw.Connection(":memory:")
    try:
        for statement in FULL_TEXT:
            fresh.execute(statement)
        tags = _tags(connection)
        similarity: dict[int, int] = {}
        places: dict[tuple[int, int, int], int] = {}
        wrong_lookups = 0
        for row, lookups, entry in _entries(connection):
            fingerprint = fingerprint_of(entry.content)
            derived_tables.add_text(fresh, row, entry)
            similarity[row] = _combined_hash(
                (part, fingerprint.size, fingerprint.sketch) for part in set(fingerprint.parts)
            )
            if entry.live:
                for source, position, by_assistant in places_of(entry.origins):
                    places.setdefault((source, position, row), by_assistant)
            expected_lookups = [*state_flags(entry), *lookup_hashes(fingerprint)]
            expected_tags = {fold(tag) for tag in entry.tags}
            wrong_lookups += (lookups, tags.get(row, set())) != (expected_lookups, expected_tags)
        for table in TEXT_TABLES:
            if differing := differing_words(connection, fresh, table):
                words = counted(differing, "word")
                yield f"the full-text index {table} differs from the entries in {words}"
    finally:
        fresh.close()
    stored_similarity = _similarity_hashes(connection)
    rows = {*similarity, *stored_similarity}
    if wrong := sum(similarity.get(row, 0) != stored_similarity.get(row, 0) for row in rows):
        yield f"{counted(wrong, 'entry has', 'entries have')} wrong similarity data"
    if wrong_lookups:
        yield f"{counted(wrong_lookups, 'entry has', 'entries have')} wrong lookup values"
    stored = set(connection.execute("SELECT source, position, row, assistant FROM memory_places"))
    if differing := len({(*place, by) for place, by in places.items()} ^ stored):
        wrong_places = counted(
            differing, "place of an entry in a conversation is", "places of entries are"
        )
        yield f"{wrong_places} wrong"


def _tags(connection: apsw.Connection) -> dict[int, set[str]]:
    tags: dict[int, set[str]] = {}
    for row, tag in connection.execute("SELECT row, tag FROM memory_tags"):
        tags.setdefault(row, set()).add(tag)
    return tags


def _combined_hash(values: Iterable[tuple[int, ...]]) -> int:
    """Return one hash of several values, in any order."""
    return reduce(xor, map(hash, values), 0)


def _entries(connection: apsw.Connection) -> Iterator[tuple[int, list[int], Entry]]:
    """Yield the row, lookup values and entry of each record that can be read."""
    columns = ", ".join(COLUMNS)
    for row, *values in connection.execute(
        f"SELECT row, standing, live, same, longest, {columns} FROM memory_entries"
    ):
        try:
            entry = entry_from_values(values[4:])
        except (ValueError, TypeError):  # a damaged record, which is reported as such
            continue
        yield row, values[:4], entry


def differing_words(connection: apsw.Connection, fresh: apsw.Connection, table: str) -> int:
    """Return how much a full-text table differs from the one in the database `fresh`.

    The differences are counted in occurrences of words, sizes, totals and unsearchable words.
    """
    with _vocabulary(connection, table) as stored, _vocabulary(fresh, table) as expected:
        return (
            len(_occurrences(connection, stored) ^ _occurrences(fresh, expected))
            + len(_sizes(connection, table) ^ _sizes(fresh, table))
            + sum(not _is_searchable(connection, stored, term) for term in _terms(fresh, expected))
        )


@contextmanager
def _vocabulary(connection: apsw.Connection, table: str) -> Iterator[str]:
    """Create a temporary table of all occurrences of words in a full text, and yield its name."""
    name = f"temp.examined_{table}"
    connection.execute("PRAGMA query_only=0")
    connection.execute(f"CREATE VIRTUAL TABLE {name} USING fts5vocab(main, {table}, instance)")
    try:
        yield name
    finally:
        connection.execute(f"DROP TABLE {name}")
        connection.execute("PRAGMA query_only=1")


def _occurrences(connection: apsw.Connection, name: str) -> set[int]:
    """Return a hash of each occurrence of a word."""
    rows = connection.execute(f"SELECT term, doc, col, offset FROM {name}")
    return {hash(row) for row in rows}


def _sizes(connection: apsw.Connection, table: str) -> set[object]:
    """Return the length of each text and the totals, which BM25 uses.

    Totals of zero are left out: a table that was emptied has them, and a new table does not.
    """
    sizes = connection.execute(f"SELECT id, sz FROM {table}_docsize")
    totals = connection.execute(f"SELECT -1, block FROM {table}_data WHERE id = 1")
    return {*sizes, *((row, block) for row, block in totals if any(block))}


def _terms(connection: apsw.Connection, name: str) -> list[str]:
    return [term for (term,) in connection.execute(f"SELECT DISTINCT term FROM {name}")]


def _is_searchable(connection: apsw.Connection, name: str, term: str) -> bool:
    """Return whether a search for a word finds it; a scan of the whole table found it before."""
    matches = connection.execute(f"SELECT 1 FROM {name} WHERE term = ? LIMIT 1", [term])
    return next(iter(matches), None) is not None


def _similarity_hashes(connection: apsw.Connection) -> dict[int, int]:
    hashes: dict[int, int] = {}
    rows = connection.execute("SELECT row, part, size, sketch FROM memory_likeness")
    for row, part, size, sketch in rows:
        hashes[row] = hashes.get(row, 0) ^ hash((part, size, sketch))
    return hashes


def vector_problems(connection: apsw.Connection) -> Iterator[str]:
    """Yield the problems with the vectors in a database of entries or passages."""
    rows = connection.execute(
        "SELECT v.pooled, v.tokens, v.seal, b.bits, m.dimension FROM memory_vectors v "
        "JOIN models m ON m.model = v.model "
        "LEFT JOIN memory_bits b ON b.row = v.row AND b.model = v.model"
    )
    wrong = sum(not _is_valid_vector(*row) for row in rows)
    if wrong:
        yield f"{counted(wrong, 'vector is', 'vectors are')} damaged"
    for model, dimension in list(connection.execute("SELECT model, dimension FROM models")):
        if differing := _differing_copies(connection, model, -(-dimension // 64) * 8):
            copies = counted(differing, "copy of bits differs", "copies of bits differ")
            yield f"{copies} from the vectors"


def _is_valid_vector(
    pooled: object, tokens: object, stored_checksum: object, bits: object, dimension: int
) -> bool:
    if not isinstance(pooled, bytes) or not isinstance(bits, bytes):
        return False
    if len(pooled) != 2 * dimension or not isinstance(tokens, bytes | None):
        return False
    if vector_checksum(pooled, tokens) != stored_checksum:
        return False
    expected = signs(np.frombuffer(pooled, np.float16).astype(np.float32)).tobytes()
    if len(bits) != len(expected):
        return False
    differing = int.from_bytes(bits, "big") ^ int.from_bytes(expected, "big")
    # A number that half precision rounds to zero has lost its sign.
    return differing.bit_count() <= 1 + dimension // 100


def _differing_copies(connection: apsw.Connection, model: int, width: int) -> int:
    """Return the number of rows whose bits in the segments are wrong.

    If several segments contain a row, the last one counts.
    """
    copies: dict[int, tuple[int, bytes]] = {}
    last_stamp = 0
    for stamp, rows, facets, bits in connection.execute(
        "SELECT upto, rows, facets, bits FROM bit_segments WHERE model = ? ORDER BY upto", [model]
    ):
        row_numbers, row_facets = np.frombuffer(rows, np.int64), np.frombuffer(facets, np.uint16)
        if len(row_numbers) != len(row_facets) or len(bits) != width * len(row_numbers):
            return len(row_numbers)
        for at, row in enumerate(row_numbers.tolist()):
            copies[row] = int(row_facets[at]), bits[at * width : (at + 1) * width]
        last_stamp = stamp
    current = connection.execute(
        "SELECT row, facets, bits FROM memory_bits WHERE model = ? AND stamp <= ?",
        [model, last_stamp],
    )
    return sum(copies.get(row) != (facets, bits) for row, facets, bits in current)


def examine_passages(path: Path) -> list[str]:
    """Return the problems with a passage database; raise StoreError if it cannot be opened."""
    try:
        connection = open_for_reading(path, newest=passage_tables.SCHEMA)
        try:
            with translating_errors(path):
                passage_tables.require_current(connection, path)
                return list(_passage_problems(connection))
        finally:
            close(connection)
    except (StoreDamaged, ValueError, TypeError) as error:
        return [str(error.args[0] if error.args else error)]


def _passage_problems(connection: apsw.Connection) -> Iterator[str]:
    for (line,) in connection.execute("PRAGMA integrity_check(9)"):
        if line != "ok":
            yield str(line)
            return
    fresh = apsw.Connection(":memory:")
    try:
        passage_tables.create(fresh, path=Path(":memory:"))
        if set(fresh.execute(SCHEMA)) - set(connection.execute(SCHEMA)):
            yield "the definitions of its tables are wrong"
            return
        yield from vector_problems(connection)
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
