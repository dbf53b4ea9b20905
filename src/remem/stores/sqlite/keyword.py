"""Which entries hold the question's words? Full text, ranked by BM25.

Live entries have a table of their own, so that archived and untrusted text cannot
change the order of what is trusted, not even through its statistics.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from typing import Any, Final

import apsw

from remem.core.filter import Filter
from remem.core.words import is_gram
from remem.stores.sqlite.rows import compact
from remem.stores.sqlite.schema import TOKENIZER

_WEIGHTS: Final = "1.0, 0.6, 0.8"  # content, context, tags
_SPELLING: Final = 0.8
_SHORTENED: Final = 0.85
_CUTS: Final = (2, 3)
_SHORTEST_MENDED: Final = 4
_ENDINGS: Final = ("", "e", "s", "ed", "ing", "al", "y")


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


def spelling(connection: apsw.Connection, term: str) -> str | None:
    """The known word nearest to one that no entry holds; None where there is none near."""
    folded = term.casefold()
    if len(folded) < _SHORTEST_MENDED or is_gram(term) or not folded.isalpha():
        return None
    if next(iter(connection.execute(_HAS, [quoted(term)])), None):
        return None
    stem_of = _stemmer(connection)
    # A slip in the ending keeps the stemmer from seeing it as one.
    shorter = [
        (folded[:-cut], _SHORTENED) for cut in _CUTS if len(folded) - cut >= _SHORTEST_MENDED
    ]
    for stem, least in ((stem_of(folded), _SPELLING), *shorter):
        if best := _nearest(connection, stem, least):
            return _word_with_stem(best, stem_of)
    return None


def _nearest(connection: apsw.Connection, stem: str, least: float) -> str | None:
    """The stem most like another one that begins with the same letter."""
    known = connection.execute(_NEAR, [stem[:1], stem[:1] + "\U0010ffff", len(stem)])
    best, score = None, least
    for (each,) in known:
        matcher = SequenceMatcher(None, each, stem)
        if matcher.real_quick_ratio() >= score and matcher.quick_ratio() >= score:
            ratio = matcher.ratio()
            if ratio >= score:
                best, score = str(each), ratio
    return best


def _word_with_stem(stem: str, stem_of: Callable[[str], str]) -> str | None:
    """A word that is found under this stem; the stem itself may have another one."""
    return next((stem + end for end in _ENDINGS if stem_of(stem + end) == stem), None)


def _stemmer(connection: apsw.Connection) -> Callable[[str], str]:
    """The very tokenizer of the full text, for one word."""
    name, *options = TOKENIZER.split()
    tokenizer = connection.fts5_tokenizer(name, options)

    def stem_of(word: str) -> str:
        tokens = tokenizer(
            word.encode(),
            apsw.FTS5_TOKENIZE_DOCUMENT,
            None,
            include_offsets=False,
            include_colocated=False,
        )
        return "".join(map(str, tokens))

    return stem_of


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


_HAS: Final = "SELECT 1 FROM memory_fts WHERE memory_fts MATCH ? LIMIT 1"
_NEAR: Final = """SELECT term FROM memory_words WHERE term >= ? AND term < ?
    AND length(term) BETWEEN ?3 - 3 AND ?3 + 2"""
