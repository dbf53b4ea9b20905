"""Full-text search in memory: BM25 over the same stems and weights as in the other stores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from remem.model.entry import Entry
from remem.store.full_text_rules import (
    BM25_B,
    BM25_K1,
    COLUMN_WEIGHTS,
    Phrase,
    inverse_frequency,
    stems_by_column,
    stems_of_term,
)


def weighted_count(entry: Entry, phrase: Phrase) -> float:
    """Return how often a phrase occurs in an entry; words of context and tags count for less."""
    return sum(
        weight * _occurrences(column, phrase)
        for weight, column in zip(COLUMN_WEIGHTS, stems_by_column(entry), strict=True)
    )


def length(entry: Entry) -> int:
    """Return the number of words of an entry."""
    return sum(map(len, stems_by_column(entry)))


def mean_length(entries: Sequence[Entry]) -> float:
    """Return the mean number of words of some entries."""
    return sum(map(length, entries)) / max(1, len(entries))


def ranked(entries: Sequence[Entry], terms: Iterable[str]) -> list[tuple[Entry, float]]:
    """Return the entries that contain one of the terms with their BM25 scores, best first."""
    phrases = [phrase for term in terms if (phrase := stems_of_term(term))]
    mean = mean_length(entries)
    scores = dict.fromkeys((entry.id for entry in entries), 0.0)
    for phrase in phrases:
        counts = {entry.id: count for entry in entries if (count := weighted_count(entry, phrase))}
        idf = inverse_frequency(len(entries), len(counts))
        for entry in entries:
            if entry.id in counts:
                norm = BM25_K1 * (1 - BM25_B + BM25_B * length(entry) / mean)
                count = counts[entry.id]
                scores[entry.id] += idf * count * (BM25_K1 + 1) / (count + norm)
    hits = [(entry, scores[entry.id]) for entry in entries if scores[entry.id]]
    return sorted(hits, key=lambda hit: -hit[1])


def _occurrences(column: Phrase, phrase: Phrase) -> int:
    width = len(phrase)
    if not width:
        return 0
    starts = range(len(column) - width + 1)
    return sum(column[start : start + width] == phrase for start in starts)
