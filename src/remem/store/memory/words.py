"""Full text in memory: the stems of entries, known as in the SQLite store, and BM25."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import log
from typing import Final

from remem.model.entry import Entry
from remem.store.stemming import Phrase, columns_of, phrase_of

_WEIGHTS: Final = (1.0, 0.6, 0.8)  # content, context, tags
_K1: Final = 1.2
_B: Final = 0.75


def count(entry: Entry, phrase: Phrase) -> float:
    """Return how often a phrase occurs in an entry; words of context and tags count for less."""
    return sum(
        weight * _occurrences(column, phrase)
        for weight, column in zip(_WEIGHTS, columns_of(entry), strict=True)
    )


def length(entry: Entry) -> int:
    return sum(map(len, columns_of(entry)))


def mean_length(entries: Sequence[Entry]) -> float:
    return sum(map(length, entries)) / max(1, len(entries))


def bm25(entries: Sequence[Entry], terms: Iterable[str]) -> list[tuple[Entry, float]]:
    """Return the entries that contain one of the terms, best first."""
    phrases = [phrase for term in terms if (phrase := phrase_of(term))]
    mean = mean_length(entries)
    scores = dict.fromkeys((entry.id for entry in entries), 0.0)
    for phrase in phrases:
        counts = {entry.id: number for entry in entries if (number := count(entry, phrase))}
        idf = max(1e-6, log((len(entries) - len(counts) + 0.5) / (len(counts) + 0.5)))
        for entry in entries:
            if entry.id in counts:
                norm = _K1 * (1 - _B + _B * length(entry) / mean)
                number = counts[entry.id]
                scores[entry.id] += idf * number * (_K1 + 1) / (number + norm)
    hits = [(entry, scores[entry.id]) for entry in entries if scores[entry.id]]
    return sorted(hits, key=lambda hit: -hit[1])


def _occurrences(column: Phrase, phrase: Phrase) -> int:
    width = len(phrase)
    if not width:
        return 0
    starts = range(len(column) - width + 1)
    return sum(column[start : start + width] == phrase for start in starts)
