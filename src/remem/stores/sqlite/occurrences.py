"""How often does an entry hold each word of a question? Counted where the full text lies.

FTS5's own BM25 has one fixed strength of length normalisation and knows nothing of what stands
beside an entry; with the counts themselves recall can do better.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any, Final
from weakref import WeakSet

import apsw

from remem.ports import Occurrences
from remem.stores.sqlite.keyword import quoted
from remem.stores.sqlite.rows import compact

_CONTEXT: Final = 0.6
_TAGS: Final = 0.8
"""What a word counts in the context and the tags, beside one in the content."""
# With the plus the rows are looked through while the words are; without it, SQLite would ask
# the full text once for every row.
_COUNTED: Final = """SELECT rowid, occurrences({table}) FROM {table}
    WHERE {table} MATCH ? AND +rowid IN (SELECT value FROM json_each(?))"""
_REGISTERED: Final = WeakSet[apsw.Connection]()
_HOLDERS: Final = "SELECT count(*) FROM {table} WHERE {table} MATCH ?"


def counted(
    connection: apsw.Connection, terms: Sequence[str], rows: Sequence[int], *, live: bool = True
) -> Occurrences:
    """The counts of some rows; those that hold none of the terms are left out. Unless only
    `live` ones are asked for, archived and untrusted entries count too."""
    if not terms or not rows:
        return Occurrences(holders=(0,) * len(terms))
    _register(connection)
    match, wanted = " OR ".join(map(quoted, terms)), compact(list(rows))
    counts: dict[int, tuple[float, ...]] = {}
    lengths: dict[int, int] = {}
    holders = [0] * len(terms)
    among, mean = 0.0, 1.0
    for table in ("memory_fts",) if live else ("memory_fts_aside", "memory_fts"):
        for row, told in connection.execute(_COUNTED.format(table=table), [match, wanted]):
            among, mean, length, *found = array("f", told)
            counts[row], lengths[row] = tuple(found), int(length)
        for i, term in enumerate(terms):
            holders[i] += _one(connection, _HOLDERS.format(table=table), quoted(term))
    return Occurrences(counts, lengths, tuple(holders), int(among), max(1.0, mean))


def _register(connection: apsw.Connection) -> None:
    """Once: a connection keeps each function that it was ever given."""
    if connection not in _REGISTERED:
        connection.register_fts5_function("occurrences", _occurrences)
        _REGISTERED.add(connection)


def _occurrences(api: Any, *_: object) -> bytes:
    """How many entries there are, their mean length, this one's, and its count of each term."""
    if api.aux_data is None:  # the same for every entry that is found: asked once
        among = api.row_count
        api.aux_data = among, api.column_total_size() / max(1, among), range(api.phrase_count)
    among, mean, phrases = api.aux_data
    counts = [_weighed(*api.phrase_locations(each)) for each in phrases]
    return array("f", [among, mean, api.column_size(), *counts]).tobytes()


def _weighed(content: Sequence[int], context: Sequence[int], tags: Sequence[int]) -> float:
    return len(content) + _CONTEXT * len(context) + _TAGS * len(tags)


def _one(connection: apsw.Connection, statement: str, match: str) -> int:
    return int(next(iter(connection.execute(statement, [match])))[0])
