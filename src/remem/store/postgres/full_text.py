"""Full-text search over postings, with the same stems and scores as in the SQLite store.

A posting says how often a stem occurs in an entry, and where. Statistics are kept for each scope,
and within it separately for live and for other entries, so that archived and untrusted text cannot
affect the order of live entries.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from remem.model.entry import Entry, Filter
from remem.ports.records import TermStatistics
from remem.store.full_text_rules import (
    BM25_B,
    BM25_K1,
    COLUMN_WEIGHTS,
    Phrase,
    can_be_misspelled,
    corrections,
    inverse_frequency,
    stems_by_column,
    stems_of_term,
)
from remem.store.postgres.selection import SELECTION
from remem.store.postgres.session import PostgresSession, StatementValues

_COLUMN_SHIFT: Final = 24
"""A position is one number: that of the column, shifted by so many bits, plus that of the word."""
_TOTALS: Final = (
    "SELECT live_entries, live_words, other_entries, other_words FROM remem.scopes "
    "WHERE scope_id = %(scope)s"
)
_ENTRIES_WITH_TERM: Final = (
    "SELECT term, count(*) FROM remem.postings WHERE scope_id = %(scope)s AND live = %(live)s "
    "AND term = ANY(%(terms)s::text[]) GROUP BY term"
)
_POSITIONS: Final = (
    "SELECT number, term, words, positions FROM remem.postings WHERE scope_id = %(scope)s "
    "AND live = %(live)s AND term = ANY(%(terms)s::text[])"
)
_SELECT_SCORES: Final = f"""WITH hits AS (
    SELECT p.number, p.words, w.idf, p.weight
    FROM unnest(%(terms)s::text[], %(idfs)s::float8[]) AS w(term, idf)
    JOIN remem.postings p ON p.scope_id = %(scope)s AND p.live = %(live)s AND p.term = w.term
    UNION ALL
    SELECT * FROM unnest(
        %(numbers)s::bigint[], %(words)s::integer[], %(phrase_idfs)s::float8[],
        %(weights)s::float8[])),
scored AS (
    SELECT number, sum(idf * weight * {BM25_K1 + 1}
        / (weight + {BM25_K1} * ({1 - BM25_B} + {BM25_B} * words / %(mean)s::float8))) AS score
    FROM hits GROUP BY number)
SELECT s.number, s.score, count(*) OVER () FROM scored s"""
_BY_SCORE: Final = " ORDER BY s.score DESC, s.number LIMIT %(limit)s"
_SELECT_STORED_STEMS: Final = (
    "SELECT t.term FROM unnest(%(terms)s::text[]) AS t(term) WHERE EXISTS (SELECT 1 FROM "
    "remem.postings p WHERE p.scope_id = %(scope)s AND p.live AND p.term = t.term)"
)
_ADD_POSTINGS: Final = """INSERT INTO remem.postings
    (scope_id, live, term, number, weight, words, positions)
    SELECT %(scope)s, %(live)s, t.term, %(number)s, t.weight, %(words)s, t.positions
    FROM unnest(%(terms)s::text[], %(weights)s::float8[], %(positions)s::bytea[])
    AS t(term, weight, positions)"""
_REMOVE_POSTINGS: Final = (
    "DELETE FROM remem.postings WHERE scope_id = %(scope)s AND live = %(live)s "
    "AND term = ANY(%(terms)s::text[]) AND number = %(number)s"
)
_UPDATE_TOTALS: Final = (
    "UPDATE remem.scopes SET {kind}_entries = {kind}_entries + %(entries)s, "
    "{kind}_words = {kind}_words + %(words)s WHERE scope_id = %(scope)s"
)


class _Occurrences(NamedTuple):
    """How often a term occurs in an entry, and the number of words of the entry.

    In `weighted_count`, words of the context and of tags count for less.
    """

    weighted_count: float
    words: int


def add(session: PostgresSession, number: int, entry: Entry) -> None:
    """Index the text of an entry."""
    columns = stems_by_column(entry)
    positions: defaultdict[str, array[int]] = defaultdict(lambda: array("I"))
    for column, column_stems in enumerate(columns):
        for index, stem in enumerate(column_stems):
            positions[stem].append(column << _COLUMN_SHIFT | index)
    words = sum(map(len, columns))
    session.change(
        _ADD_POSTINGS,
        live=entry.live,
        number=number,
        words=words,
        terms=list(positions),
        weights=list(map(_weighted_count, positions.values())),
        positions=[at.tobytes() for at in positions.values()],
    )
    _update_totals(session, entry, 1, words)


def remove(session: PostgresSession, number: int, entry: Entry) -> None:
    """Remove the text of an entry, as it was when it was indexed."""
    columns = stems_by_column(entry)
    terms = list({stem for column in columns for stem in column})
    session.change(_REMOVE_POSTINGS, live=entry.live, number=number, terms=terms)
    _update_totals(session, entry, -1, -sum(map(len, columns)))


def _update_totals(session: PostgresSession, entry: Entry, entries: int, words: int) -> None:
    """Add to the numbers of entries and words, live or other."""
    kind = "live" if entry.live else "other"
    session.change(_UPDATE_TOTALS.format(kind=kind), entries=entries, words=words)


def matches(
    session: PostgresSession, terms: Sequence[str], where: Filter, limit: int
) -> tuple[list[tuple[int, float]], int]:
    """Return the best entries with their scores (higher is better), and the number of matches."""
    results, total = _search(session, terms, where, limit, live=True)
    if not where.only_live:
        others, more = _search(session, terms, where, limit, live=False)
        results = sorted(results + others, key=lambda hit: -hit[1])[:limit]
        total += more
    return results, total


def _search(
    session: PostgresSession, terms: Sequence[str], where: Filter, limit: int, *, live: bool
) -> tuple[list[tuple[int, float]], int]:
    values = StatementValues()
    conditions = list(SELECTION.filter_conditions(where, values))
    return scored(session, terms, conditions, values, limit, live=live)


def scored(
    session: PostgresSession,
    terms: Sequence[str],
    conditions: Sequence[str],
    values: StatementValues,
    limit: int,
    *,
    live: bool,
) -> tuple[list[tuple[int, float]], int]:
    """Return the best entries that meet conditions on `remem.entries e`, and how many do."""
    phrases = [phrase for term in terms if (phrase := stems_of_term(term))]
    if not phrases:
        return [], 0
    entries, all_words = _totals(session, live=live)
    phrase_values = _phrase_values(session, phrases, entries, live=live)
    filter_join = (
        " JOIN remem.entries e ON e.scope_id = %(scope)s AND e.number = s.number WHERE "
        + " AND ".join(conditions)
        if conditions
        else ""
    )
    all_values = {
        **values,
        **phrase_values,
        "live": live,
        "limit": limit,
        "mean": all_words / max(1, entries),
    }
    rows = session.rows(f"{_SELECT_SCORES}{filter_join}{_BY_SCORE}", **all_values)
    return [(number, score) for number, score, _ in rows], rows[0][2] if rows else 0


def _totals(session: PostgresSession, *, live: bool) -> tuple[int, int]:
    """Return the number of entries and of their words."""
    row = next(iter(session.cached_rows(_TOTALS)), (0, 0, 0, 0))
    return (row[0], row[1]) if live else (row[2], row[3])


def _phrase_values(
    session: PostgresSession, phrases: Sequence[Phrase], entries: int, *, live: bool
) -> dict[str, list[Any]]:
    """Return the values of `_SELECT_SCORES`.

    For phrases of one stem, these are the stem and its weight; PostgreSQL then finds their
    entries. For phrases of several stems, they are the entries in which they occur.
    """
    single = [phrase[0] for phrase in phrases if len(phrase) == 1]
    counts = _entries_with_stem(session, single, live=live)
    several = [phrase for phrase in phrases if len(phrase) > 1]
    by_phrase = _with_phrases(session, several, live=live)
    hits = [
        (
            number,
            found.words,
            inverse_frequency(entries, len(by_phrase[phrase])),
            found.weighted_count,
        )
        for phrase in several
        for number, found in by_phrase[phrase].items()
    ]
    numbers, words, idfs, weights = map(list, zip(*hits, strict=True)) if hits else ([], [], [], [])
    return {
        "terms": single,
        "idfs": [inverse_frequency(entries, counts.get(stem, 0)) for stem in single],
        "numbers": numbers,
        "words": words,
        "phrase_idfs": idfs,
        "weights": weights,
    }


def _entries_with_stem(
    session: PostgresSession, terms: Sequence[str], *, live: bool
) -> dict[str, int]:
    """Return the number of entries with each stem."""
    if not terms:
        return {}
    distinct = tuple(sorted(set(terms)))
    return dict(session.cached_rows(_ENTRIES_WITH_TERM, live=live, terms=distinct))


def _with_phrases(
    session: PostgresSession, phrases: Sequence[Phrase], *, live: bool
) -> dict[Phrase, dict[int, _Occurrences]]:
    """Return the entries in which each phrase occurs, by their numbers."""
    by_phrase: dict[Phrase, dict[int, _Occurrences]] = {}
    for phrase in dict.fromkeys(phrases):
        values = StatementValues()
        condition = _having_all(phrase, values)
        rows = session.rows(
            f"{_POSITIONS}{condition}", live=live, terms=list(set(phrase)), **values
        )
        positions_of: defaultdict[int, dict[str, set[int]]] = defaultdict(dict)
        words: dict[int, int] = {}
        for number, term, length, positions in rows:
            positions_of[number][term] = set(array("I", positions))
            words[number] = length
        by_phrase[phrase] = {
            number: _Occurrences(_weighted_count(starts), words[number])
            for number, by_stem in positions_of.items()
            if (starts := _starts(phrase, by_stem))
        }
    return by_phrase


def _having_all(phrase: Phrase, values: StatementValues) -> str:
    """Return the condition that an entry has every stem of a phrase."""
    return "".join(
        " AND number IN (SELECT o.number FROM remem.postings o WHERE o.scope_id = %(scope)s "
        f"AND o.live = %(live)s AND o.term = {values.add(stem)})"
        for stem in dict.fromkeys(phrase)
    )


def _starts(phrase: Phrase, positions: Mapping[str, set[int]]) -> list[int]:
    """Return the positions at which a phrase begins in an entry, given those of each stem."""
    starts = positions.get(phrase[0], set())
    for offset, stem in enumerate(phrase[1:], 1):
        following = positions.get(stem, set())
        starts = {start for start in starts if start + offset in following}
    return sorted(starts)


def _weighted_count(positions: Iterable[int]) -> float:
    """Return how often a term occurs, given its positions."""
    counts = [0] * len(COLUMN_WEIGHTS)
    for position in positions:
        counts[position >> _COLUMN_SHIFT] += 1
    return sum(weight * count for weight, count in zip(COLUMN_WEIGHTS, counts, strict=True))


_SELECT_COUNTS: Final = (
    "SELECT number, term, weight, words FROM remem.postings WHERE scope_id = %(scope)s "
    "AND live = %(live)s AND term = ANY(%(terms)s::text[]) "
    "AND number = ANY(%(numbers)s::bigint[])"
)


def count_terms(
    session: PostgresSession, terms: Sequence[str], ids: Mapping[int, str], *, live: bool = True
) -> TermStatistics:
    """Count the terms in some entries, whose ids are given by number; see `TermStatistics`.

    With `live=False`, archived and untrusted entries are included in everything.
    """
    entries_with_term = [0] * len(terms)
    if not terms or not ids:
        return TermStatistics(entries_with_term=tuple(entries_with_term))
    phrases = [stems_of_term(term) for term in terms]
    counts: dict[str, tuple[float, ...]] = {}
    lengths: dict[str, int] = {}
    total_entries = total_words = 0
    for is_live in (True,) if live else (False, True):
        with_term, by_phrase = _count_phrases(session, phrases, ids, live=is_live)
        entries_with_term = [a + b for a, b in zip(entries_with_term, with_term, strict=True)]
        entries, words = _totals(session, live=is_live)
        total_entries += entries
        total_words += words
        for number, id_ in ids.items():
            occurrences = [by_number.get(number) for by_number in by_phrase]
            if first := next(filter(None, occurrences), None):
                counts[id_], lengths[id_] = _in_single_precision(occurrences), first.words
    mean_length = max(1.0, total_words / max(1, total_entries))
    return TermStatistics(counts, lengths, tuple(entries_with_term), total_entries, mean_length)


def _count_phrases(
    session: PostgresSession, phrases: Sequence[Phrase], ids: Mapping[int, str], *, live: bool
) -> tuple[list[int], list[dict[int, _Occurrences]]]:
    """Return how often each phrase occurs.

    The values are the number of entries with it, and its occurrences in the entries with these
    numbers.
    """
    single = list({phrase[0] for phrase in phrases if len(phrase) == 1})
    counts = _entries_with_stem(session, single, live=live)
    by_stem: defaultdict[str, dict[int, _Occurrences]] = defaultdict(dict)
    if single:
        rows = session.rows(_SELECT_COUNTS, live=live, terms=single, numbers=list(ids))
        for number, term, weight, words in rows:
            by_stem[term][number] = _Occurrences(weight, words)
    several = _with_phrases(session, [p for p in phrases if len(p) > 1], live=live)
    with_term = [
        counts.get(phrase[0], 0) if len(phrase) == 1 else len(several.get(phrase, ()))
        for phrase in phrases
    ]
    by_phrase = [
        by_stem[phrase[0]] if len(phrase) == 1 else several.get(phrase, {}) for phrase in phrases
    ]
    return with_term, by_phrase


def _in_single_precision(occurrences: Sequence[_Occurrences | None]) -> tuple[float, ...]:
    """Return the weighted counts with the precision that they have in the SQLite store."""
    return tuple(array("f", [found.weighted_count if found else 0.0 for found in occurrences]))


def stored_spelling(session: PostgresSession, term: str) -> str | None:
    """Return the term if it is stored, else a word one typo away whose stem is stored, if any."""
    if not can_be_misspelled(term):
        return None
    own = set(stems_of_term(term))
    if own and own == {stem for (stem,) in session.rows(_SELECT_STORED_STEMS, terms=list(own))}:
        return term
    words = corrections(term)
    looked_up = list(dict.fromkeys(words.values()))
    stored = {stem for (stem,) in session.rows(_SELECT_STORED_STEMS, terms=looked_up)}
    return next((word for word, stem in words.items() if stem in stored), None)
