"""Full-text search: BM25 matches, term counts, and spelling correction.

Live entries are in the table `memory_fts`, the others in `memory_fts_aside`, so that archived and
untrusted text cannot affect the order of live entries, not even through its statistics. A word of
the context or the tags counts for less than a word of the content.

The ranking of a recall needs more than the BM25 scores of FTS5: it normalises lengths in its own
way, and also counts the terms in an entry's neighbours. `count_terms` returns what it needs.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import Any, Final
from weakref import WeakSet

import apsw

from remem.model.entry import Filter
from remem.ports.records import TermStatistics
from remem.store.full_text_rules import COLUMN_WEIGHTS, can_be_misspelled, corrections
from remem.store.rows import compact
from remem.store.sqlite.selection import SELECTION, ListedValues

_WEIGHTS: Final = ", ".join(map(str, COLUMN_WEIGHTS))
_CONNECTIONS_WITH_FUNCTIONS: Final = WeakSet[apsw.Connection]()


def matches(
    connection: apsw.Connection, terms: Sequence[str], where: Filter, limit: int
) -> tuple[list[tuple[int, float]], int]:
    """Return the best rows with their scores (higher is better), and the number of matches."""
    if not terms:
        return [], 0
    results, total = _search(connection, "memory_fts", terms, where, limit)
    if not where.only_live:
        not_live, more = _search(connection, "memory_fts_aside", terms, where, limit)
        results = sorted(results + not_live, key=lambda hit: -hit[1])[:limit]
        total += more
    return results, total


def _search(
    connection: apsw.Connection, table: str, terms: Sequence[str], where: Filter, limit: int
) -> tuple[list[tuple[int, float]], int]:
    match = " OR ".join(map(fts_string, terms))
    values = ListedValues()
    condition = " AND ".join(SELECTION.filter_conditions(where, values))
    source = table
    if condition:
        source = f"{table} CROSS JOIN memory_entries e ON e.row = {table}.rowid"
        condition = f" AND {condition}"
    hits = f"FROM {source} WHERE {table} MATCH ?{condition}"
    rows = connection.execute(
        f"SELECT {table}.rowid, -bm25({table}, {_WEIGHTS}) AS score {hits} "
        f"ORDER BY score DESC, {table}.rowid LIMIT ?",
        [match, *values, limit],
    )
    results = list(rows)
    if len(results) < limit:
        return results, len(results)
    return results, next(iter(connection.execute(f"SELECT count(*) {hits}", [match, *values])))[0]


def search_not_live(
    connection: apsw.Connection, terms: Sequence[str], condition: str, limit: int
) -> list[int]:
    """Return the rows that are not live and meet a condition on `memory_entries e`, best first."""
    results = connection.execute(
        "SELECT memory_fts_aside.rowid FROM memory_fts_aside "
        "CROSS JOIN memory_entries e ON e.row = memory_fts_aside.rowid "
        f"WHERE memory_fts_aside MATCH ? AND {condition} "
        f"ORDER BY bm25(memory_fts_aside, {_WEIGHTS}), memory_fts_aside.rowid LIMIT ?",
        [" OR ".join(map(fts_string, terms)), limit],
    )
    return [row for (row,) in results]


def fts_string(term: str) -> str:
    """Return a term as an FTS5 string."""
    return '"' + term.replace('"', '""').replace("\0", " ") + '"'


# Without the plus, SQLite would query the full text once for every row.
_SELECT_COUNTS: Final = """SELECT rowid, occurrences({table}) FROM {table}
    WHERE {table} MATCH ? AND +rowid IN (SELECT value FROM json_each(?))"""
_ENTRIES_WITH_TERM: Final = "SELECT count(*) FROM {table} WHERE {table} MATCH ?"
_SELECT_TOTALS: Final = "SELECT totals({table}) FROM {table} LIMIT 1"


def count_terms(
    connection: apsw.Connection, terms: Sequence[str], ids: Mapping[int, str], *, live: bool = True
) -> TermStatistics:
    """Count the terms in some entries, whose ids are given by row; see `TermStatistics`.

    With `live=False`, archived and untrusted entries are included in everything.
    """
    if not terms or not ids:
        return TermStatistics(entries_with_term=(0,) * len(terms))
    _register(connection)
    match, rows = " OR ".join(map(fts_string, terms)), compact(list(ids))
    counts: dict[str, tuple[float, ...]] = {}
    lengths: dict[str, int] = {}
    entries_with_term = [0] * len(terms)
    total_entries = total_words = 0
    for table in ("memory_fts",) if live else ("memory_fts_aside", "memory_fts"):
        for row, packed in connection.execute(_SELECT_COUNTS.format(table=table), [match, rows]):
            length, *term_counts = array("f", packed)
            counts[ids[row]], lengths[ids[row]] = tuple(term_counts), int(length)
        for i, term in enumerate(terms):
            statement = _ENTRIES_WITH_TERM.format(table=table)
            entries_with_term[i] += connection.execute(statement, [fts_string(term)]).get
        for (packed,) in connection.execute(_SELECT_TOTALS.format(table=table)):
            entries, words = array("q", packed)
            total_entries += entries
            total_words += words
    mean_length = max(1.0, total_words / max(1, total_entries))
    return TermStatistics(counts, lengths, tuple(entries_with_term), total_entries, mean_length)


def _register(connection: apsw.Connection) -> None:
    """Register the functions of the queries; only once per connection, because they accumulate."""
    if connection not in _CONNECTIONS_WITH_FUNCTIONS:
        connection.register_fts5_function("occurrences", _occurrences)
        connection.register_fts5_function("totals", _totals)
        _CONNECTIONS_WITH_FUNCTIONS.add(connection)


def _occurrences(api: Any, *_: object) -> bytes:
    """Return the number of words of the current entry, and its weighted count of each term."""
    counts = [_weighted_count(api.phrase_locations(phrase)) for phrase in range(api.phrase_count)]
    return array("f", [api.column_size(), *counts]).tobytes()


def _totals(api: Any, *_: object) -> bytes:
    """Return the number of entries in the table and of their words."""
    return array("q", [api.row_count, api.column_total_size()]).tobytes()


def _weighted_count(positions: Sequence[Sequence[int]]) -> float:
    """Return the weighted number of occurrences of a term, from its positions in each column."""
    return sum(weight * len(at) for weight, at in zip(COLUMN_WEIGHTS, positions, strict=True))


_SELECT_MATCH: Final = "SELECT 1 FROM memory_fts WHERE memory_fts MATCH ? LIMIT 1"
_SELECT_STORED_STEMS: Final = (
    "SELECT term FROM memory_words WHERE term IN (SELECT value FROM json_each(?))"
)


def stored_spelling(connection: apsw.Connection, term: str) -> str | None:
    """Return the term if it is stored, else a word one typo away whose stem is stored, if any.

    The full text stores stems, not words, so the stems of all words one typo away are looked up.
    The cost does not depend on the size of the memory.
    """
    if not can_be_misspelled(term):
        return None
    if next(iter(connection.execute(_SELECT_MATCH, [fts_string(term)])), None):
        return term
    words = corrections(term)
    looked_up = compact(list(dict.fromkeys(words.values())))
    stored = {stem for (stem,) in connection.execute(_SELECT_STORED_STEMS, [looked_up])}
    return next((word for word, stem in words.items() if stem in stored), None)
