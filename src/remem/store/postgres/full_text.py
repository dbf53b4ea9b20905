"""Full-text search over postings.

A posting says how often a stem occurs in an entry, and where. Live entries have their own postings
and statistics, so that archived and untrusted text cannot affect the order of trusted text. Stems
and scores are the same as in the SQLite store; the statistics are those of the scope alone.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import log
from typing import Any, Final, NamedTuple

from remem.model.entry import Entry, Filter
from remem.ports.records import TermStatistics
from remem.store.full_text_rules import Phrase, stems, stems_by_column, stems_of_term
from remem.store.postgres.selection import SELECTION
from remem.store.postgres.session import PostgresSession, StatementValues
from remem.text.typos import single_typos
from remem.text.words import is_gram

_WEIGHTS: Final = (1.0, 0.6, 0.8)  # content, context, tags
_K1: Final = 1.2
_B: Final = 0.75
_MIN_IDF: Final = 1e-6
_COLUMN_SHIFT: Final = 24
"""A position is the number of the column, shifted, and the number of the word in it."""
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
    SELECT number, sum(idf * weight * {_K1 + 1}
        / (weight + {_K1} * ({1 - _B} + {_B} * words / %(mean)s::float8))) AS score
    FROM hits GROUP BY number)
SELECT s.number, s.score, count(*) OVER () FROM scored s"""
_BY_SCORE: Final = " ORDER BY s.score DESC, s.number LIMIT %(limit)s"
_SELECT_STORED_STEMS: Final = (
    "SELECT t.term FROM unnest(%(terms)s::text[]) AS t(term) WHERE EXISTS (SELECT 1 FROM "
    "remem.postings p WHERE p.scope_id = %(scope)s AND p.live AND p.term = t.term)"
)
_MIN_LENGTH: Final = 4
_MAX_LENGTH: Final = 40
_ADD: Final = """INSERT INTO remem.postings
    (scope_id, live, term, number, weight, words, positions)
    SELECT %(scope)s, %(live)s, t.term, %(number)s, t.weight, %(words)s, t.positions
    FROM unnest(%(terms)s::text[], %(weights)s::float8[], %(positions)s::bytea[])
    AS t(term, weight, positions)"""
_REMOVE: Final = (
    "DELETE FROM remem.postings WHERE scope_id = %(scope)s AND live = %(live)s "
    "AND term = ANY(%(terms)s::text[]) AND number = %(number)s"
)
_COUNT: Final = (
    "UPDATE remem.scopes SET {kind}_entries = {kind}_entries + %(entries)s, "
    "{kind}_words = {kind}_words + %(words)s WHERE scope_id = %(scope)s"
)


class _Occurrence(NamedTuple):
    """The frequency of a term in an entry, and the number of words of the entry."""

    weight: float
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
        _ADD,
        live=entry.live,
        number=number,
        words=words,
        terms=list(positions),
        weights=list(map(_weight, positions.values())),
        positions=[at.tobytes() for at in positions.values()],
    )
    _count(session, entry, 1, words)


def remove(session: PostgresSession, number: int, entry: Entry) -> None:
    """Remove the text of an entry, as it was when it was indexed."""
    columns = stems_by_column(entry)
    terms = list({stem for column in columns for stem in column})
    session.change(_REMOVE, live=entry.live, number=number, terms=terms)
    _count(session, entry, -1, -sum(map(len, columns)))


def _count(session: PostgresSession, entry: Entry, entries: int, words: int) -> None:
    kind = "live" if entry.live else "other"
    session.change(_COUNT.format(kind=kind), entries=entries, words=words)


def matches(
    session: PostgresSession, terms: Sequence[str], where: Filter, limit: int
) -> tuple[list[tuple[int, float]], int]:
    """Return the best entries with their scores (higher is better), and the total number of
    matches."""
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
    """Return the best entries that meet conditions on `remem.entries e`, and the number of all."""
    phrases = [phrase for term in terms if (phrase := stems_of_term(term))]
    if not phrases:
        return [], 0
    entries, all_words = _totals(session, live=live)
    weighted = _idfs(session, phrases, entries, live=live)
    joined = (
        " JOIN remem.entries e ON e.scope_id = %(scope)s AND e.number = s.number WHERE "
        + " AND ".join(conditions)
        if conditions
        else ""
    )
    bound = {
        **values,
        **weighted,
        "live": live,
        "limit": limit,
        "mean": all_words / max(1, entries),
    }
    rows = session.rows(f"{_SELECT_SCORES}{joined}{_BY_SCORE}", **bound)
    return [(number, score) for number, score, _ in rows], rows[0][2] if rows else 0


def _totals(session: PostgresSession, *, live: bool) -> tuple[int, int]:
    """Return the number of entries and of their words."""
    row = next(iter(session.remembered_rows(_TOTALS)), (0, 0, 0, 0))
    return (row[0], row[1]) if live else (row[2], row[3])


def _idfs(
    session: PostgresSession, phrases: Sequence[Phrase], entries: int, *, live: bool
) -> dict[str, list[Any]]:
    """Return the rarity of each stem, and the entries in which each phrase of several stems
    occurs."""
    single = [phrase[0] for phrase in phrases if len(phrase) == 1]
    counts = _counts(session, single, live=live)
    several = [phrase for phrase in phrases if len(phrase) > 1]
    by_phrase = _with_phrases(session, several, live=live)
    hits = [
        (number, occurrence.words, _idf(entries, len(by_phrase[phrase])), occurrence.weight)
        for phrase in several
        for number, occurrence in by_phrase[phrase].items()
    ]
    numbers, words, idfs, weights = map(list, zip(*hits, strict=True)) if hits else ([], [], [], [])
    return {
        "terms": single,
        "idfs": [_idf(entries, counts.get(stem, 0)) for stem in single],
        "numbers": numbers,
        "words": words,
        "phrase_idfs": idfs,
        "weights": weights,
    }


def _idf(entries: int, with_term: int) -> float:
    return max(_MIN_IDF, log((entries - with_term + 0.5) / (with_term + 0.5)))


def _counts(session: PostgresSession, terms: Sequence[str], *, live: bool) -> dict[str, int]:
    if not terms:
        return {}
    distinct = tuple(sorted(set(terms)))
    return dict(session.remembered_rows(_ENTRIES_WITH_TERM, live=live, terms=distinct))


def _with_phrases(
    session: PostgresSession, phrases: Sequence[Phrase], *, live: bool
) -> dict[Phrase, dict[int, _Occurrence]]:
    """Return the entries in which phrases occur."""
    found: dict[Phrase, dict[int, _Occurrence]] = {}
    for phrase in dict.fromkeys(phrases):
        values = StatementValues()
        condition = _having_all(phrase, values)
        rows = session.rows(
            f"{_POSITIONS}{condition}", live=live, terms=list(set(phrase)), **values
        )
        at: defaultdict[int, dict[str, set[int]]] = defaultdict(dict)
        words: dict[int, int] = {}
        for number, term, length, positions in rows:
            at[number][term] = set(array("I", positions))
            words[number] = length
        occurrences = {number: _starts(phrase, placed) for number, placed in at.items()}
        found[phrase] = {
            number: _Occurrence(_weight(starts), words[number])
            for number, starts in occurrences.items()
            if starts
        }
    return found


def _having_all(phrase: Phrase, values: StatementValues) -> str:
    """Return the condition that an entry has every stem of a phrase."""
    return "".join(
        " AND number IN (SELECT o.number FROM remem.postings o WHERE o.scope_id = %(scope)s "
        f"AND o.live = %(live)s AND o.term = {values.add(stem)})"
        for stem in dict.fromkeys(phrase)
    )


def _starts(phrase: Phrase, positions: Mapping[str, set[int]]) -> list[int]:
    """Return where a phrase begins, given the positions of its stems."""
    starts = positions.get(phrase[0], set())
    for offset, stem in enumerate(phrase[1:], 1):
        following = positions.get(stem, set())
        starts = {start for start in starts if start + offset in following}
    return sorted(starts)


def _weight(positions: Iterable[int]) -> float:
    """Return how often something occurs; words of the context and of tags count for less."""
    counts = [0] * len(_WEIGHTS)
    for position in positions:
        counts[position >> _COLUMN_SHIFT] += 1
    return sum(weight * count for weight, count in zip(_WEIGHTS, counts, strict=True))


_SELECT_COUNTS: Final = (
    "SELECT number, term, weight, words FROM remem.postings WHERE scope_id = %(scope)s "
    "AND live = %(live)s AND term = ANY(%(terms)s::text[]) "
    "AND number = ANY(%(numbers)s::bigint[])"
)


def count_terms(
    session: PostgresSession, terms: Sequence[str], ids: Mapping[int, str], *, live: bool = True
) -> TermStatistics:
    """Count the terms in some entries, whose ids are given by number.

    Entries without any of the terms are omitted. With `live=False`, archived and untrusted entries
    are included, also in the totals.
    """
    entries_with_term = [0] * len(terms)
    if not terms or not ids:
        return TermStatistics(entries_with_term=tuple(entries_with_term))
    phrases = [stems_of_term(term) for term in terms]
    counts: dict[str, tuple[float, ...]] = {}
    lengths: dict[str, int] = {}
    total_entries = total_words = 0
    for part in (True,) if live else (False, True):
        with_term, occurrences_of = _counted(session, phrases, ids, live=part)
        entries_with_term = [a + b for a, b in zip(entries_with_term, with_term, strict=True)]
        entries, words = _totals(session, live=part)
        total_entries += entries
        total_words += words
        for number, id_ in ids.items():
            row = [occurrences.get(number) for occurrences in occurrences_of]
            if first := next(filter(None, row), None):
                counts[id_], lengths[id_] = _single(row), first.words
    mean_length = max(1.0, total_words / max(1, total_entries))
    return TermStatistics(counts, lengths, tuple(entries_with_term), total_entries, mean_length)


def _counted(
    session: PostgresSession, phrases: Sequence[Phrase], ids: Mapping[int, str], *, live: bool
) -> tuple[list[int], list[dict[int, _Occurrence]]]:
    """Return, for each phrase, the number of entries with it and its occurrences in some of
    them."""
    single = list({phrase[0] for phrase in phrases if len(phrase) == 1})
    counts = _counts(session, single, live=live)
    by_stem: defaultdict[str, dict[int, _Occurrence]] = defaultdict(dict)
    if single:
        rows = session.rows(_SELECT_COUNTS, live=live, terms=single, numbers=list(ids))
        for number, term, weight, words in rows:
            by_stem[term][number] = _Occurrence(weight, words)
    several = _with_phrases(session, [p for p in phrases if len(p) > 1], live=live)
    with_term = [
        counts.get(phrase[0], 0) if len(phrase) == 1 else len(several.get(phrase, ()))
        for phrase in phrases
    ]
    by_term = [
        by_stem[phrase[0]] if len(phrase) == 1 else several.get(phrase, {}) for phrase in phrases
    ]
    return with_term, by_term


def _single(row: Sequence[_Occurrence | None]) -> tuple[float, ...]:
    """Return the counts of a row with the precision of the SQLite store."""
    return tuple(array("f", [occurrence.weight if occurrence else 0.0 for occurrence in row]))


def stored_spelling(session: PostgresSession, term: str) -> str | None:
    """Return the term if it is stored, else the stored word that is one typo away, if any."""
    folded = term.casefold()
    if not _MIN_LENGTH <= len(folded) <= _MAX_LENGTH or is_gram(term) or not folded.isalpha():
        return None
    own = set(stems_of_term(term))
    if own and own == {stem for (stem,) in session.rows(_SELECT_STORED_STEMS, terms=list(own))}:
        return term
    guesses = single_typos(folded)
    guessed = stems(" ".join(guesses))
    if len(guessed) != len(guesses):  # letters that the tokenizer does not know
        return None
    known = {
        stem for (stem,) in session.rows(_SELECT_STORED_STEMS, terms=list(dict.fromkeys(guessed)))
    }
    return next(
        (guess for guess, stem in zip(guesses, guessed, strict=True) if stem in known), None
    )
