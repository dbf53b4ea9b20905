"""How does the memory spell a word that it does not know? As the one that is a slip away.

The full text knows stems, not words. So every spelling that is one slip away is reduced to its
stem by the full text's own tokenizer, all at once, and those stems are looked up: what a memory
holds does not make it slower.

Which entries hold the question's words? Full text, ranked by BM25.

Live entries have a table of their own, so that archived and untrusted text cannot
change the order of what is trusted, not even through its statistics.

How often does an entry hold each word of a question? Counted where the full text lies.

FTS5's own BM25 has one fixed strength of length normalisation and knows nothing of what stands
beside an entry; with the counts themselves recall can do better.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any, Final
from weakref import WeakSet

import apsw

from remem.model.entry import Filter
from remem.ports.records import Occurrences
from remem.store.sqlite.rows import compact
from remem.store.sqlite.schema import TOKENIZER
from remem.text.typos import one_slip_away
from remem.text.words import is_gram

_WEIGHTS: Final = "1.0, 0.6, 0.8"  # content, context, tags


def matches(
    connection: apsw.Connection, terms: Sequence[str], where: Filter, limit: int
) -> tuple[list[tuple[int, float]], int]:
    """The best rows with their scores (higher is better), and how many there are in all."""
    if not terms:
        return [], 0
    found, total = _search(connection, "memory_fts", terms, where, limit)
    if not where.only_live:
        aside, more = _search(connection, "memory_fts_aside", terms, where, limit)
        found = sorted(found + aside, key=lambda hit: -hit[1])[:limit]
        total += more
    return found, total


def _search(
    connection: apsw.Connection, table: str, terms: Sequence[str], where: Filter, limit: int
) -> tuple[list[tuple[int, float]], int]:
    match = " OR ".join(map(quoted, terms))
    condition, values = conditions(where)
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
    found = list(rows)
    if len(found) < limit:
        return found, len(found)
    return found, next(iter(connection.execute(f"SELECT count(*) {hits}", [match, *values])))[0]


def aside(
    connection: apsw.Connection, terms: Sequence[str], condition: str, limit: int
) -> list[int]:
    """Rows that are not live and meet a condition over `memory_entries e`, the best first."""
    found = connection.execute(
        "SELECT memory_fts_aside.rowid FROM memory_fts_aside "
        "CROSS JOIN memory_entries e ON e.row = memory_fts_aside.rowid "
        f"WHERE memory_fts_aside MATCH ? AND {condition} "
        f"ORDER BY bm25(memory_fts_aside, {_WEIGHTS}), memory_fts_aside.rowid LIMIT ?",
        [" OR ".join(map(quoted, terms)), limit],
    )
    return [row for (row,) in found]


def newest(
    connection: apsw.Connection, where: Filter, span: tuple[str, str] | None, limit: int
) -> list[int]:
    """The rows that a filter admits, the most important and then the latest first."""
    condition, values = conditions(where)
    parts = [condition or "TRUE"]
    if where.only_live:
        parts.append("e.live = 1")
    if span:
        parts.append("e.created_at BETWEEN ? AND ?")
        values += span
    found = connection.execute(
        f"SELECT e.row FROM memory_entries e WHERE {' AND '.join(parts)} ORDER BY "
        "instr('critical high medium low', e.priority), e.created_at DESC, e.row DESC LIMIT ?",
        [*values, limit],
    )
    return [row for (row,) in found]


def conditions(where: Filter) -> tuple[str, list[Any]]:
    """A filter as SQL over `memory_entries e`; empty where the live table alone suffices."""
    parts: list[str] = []
    values: list[Any] = []
    if not where.only_live:
        if not where.include_archived:
            parts.append("e.archived = 0 AND e.superseded_by IS NULL")
        if not where.include_untrusted:
            parts.append("e.trust <> 'untrusted'")
    for column, allowed in (("category", where.categories), ("priority", where.priorities)):
        if allowed:
            parts.append(f"e.{column} IN (SELECT value FROM json_each(?))")
            values.append(compact(allowed))
    for tag in where.folded_tags:
        parts.append("e.row IN (SELECT row FROM memory_tags WHERE tag = ?)")
        values.append(tag)
    return " AND ".join(parts), values


def quoted(term: str) -> str:
    return '"' + term.replace('"', '""').replace("\0", " ") + '"'


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
    counts = [_weighed(*api.phrase_locations(phrase)) for phrase in phrases]
    return array("f", [among, mean, api.column_size(), *counts]).tobytes()


def _weighed(content: Sequence[int], context: Sequence[int], tags: Sequence[int]) -> float:
    return len(content) + _CONTEXT * len(context) + _TAGS * len(tags)


def _one(connection: apsw.Connection, statement: str, match: str) -> int:
    return int(next(iter(connection.execute(statement, [match])))[0])


_SHORTEST: Final = 4
_LONGEST: Final = 40
_HAS: Final = "SELECT 1 FROM memory_fts WHERE memory_fts MATCH ? LIMIT 1"
_KNOWN: Final = "SELECT term FROM memory_words WHERE term IN (SELECT value FROM json_each(?))"


def spelling(connection: apsw.Connection, term: str) -> str | None:
    """A word that some entry holds, for one that none does; None where none is near."""
    folded = term.casefold()
    if not _SHORTEST <= len(folded) <= _LONGEST or is_gram(term) or not folded.isalpha():
        return None
    if next(iter(connection.execute(_HAS, [quoted(term)])), None):
        return None
    guesses = one_slip_away(folded)
    stems = _stems(connection, guesses)
    if len(stems) != len(guesses):  # letters that are newer than the tokenizer
        return None
    known = {stem for (stem,) in connection.execute(_KNOWN, [compact(list(dict.fromkeys(stems)))])}
    return next((each for each, stem in zip(guesses, stems, strict=True) if stem in known), None)


def _stems(connection: apsw.Connection, words: Sequence[str]) -> list[str]:
    """The stem of each, in one call."""
    name, *options = TOKENIZER.split()
    tokenizer = connection.fts5_tokenizer(name, options)
    tokens = tokenizer(
        " ".join(words).encode(),
        apsw.FTS5_TOKENIZE_DOCUMENT,
        None,
        include_offsets=False,
        include_colocated=False,
    )
    return [str(token) for token in tokens]
