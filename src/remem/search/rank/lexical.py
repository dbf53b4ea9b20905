"""BM25 scores of entries, in which the words of neighbours count in part.

How strongly a score is normalised by length (BM25's b) depends on how much the lengths vary: hardly
at all among turns of similar length, almost fully if there are both pages and single lines. The
mean length is that of all entries, because candidates are longer than average.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum, log, sqrt
from typing import Final

from remem.ports.records import Neighbours, Occurrences

_K1: Final = 1.2
_OWN: Final = 1.0
_BEFORE: Final = (0.5, 0.2)
_AFTER: Final = (0.2,)


def scores(
    occurrences: Occurrences,
    rows: Sequence[int],
    neighbours: Mapping[int, Neighbours],
    term_weights: Sequence[float],
) -> list[float]:
    """Return a score for each row; a term's rarity is multiplied by its `term_weights`."""
    own = [occurrences.lengths[row] for row in rows if row in occurrences.lengths]
    b = normalisation(own, occurrences.mean_length)
    norms = {
        row: 1 - b + b * length / occurrences.mean_length
        for row, length in occurrences.lengths.items()
    }
    weights = _weights(occurrences, term_weights)
    scored = []
    for row in rows:
        frequencies = [0.0] * len(weights)
        for source_row, share in _fields(row, neighbours.get(row)):
            if source_row in occurrences.counts:
                scale = share / norms[source_row]
                for i, count in enumerate(occurrences.counts[source_row]):
                    if count:
                        frequencies[i] += scale * count
        scored.append(_bm25(weights, frequencies))
    return scored


def source_scores(
    occurrences: Occurrences, sources: Mapping[int, str], term_weights: Sequence[float]
) -> dict[str, float]:
    """Return how much of the question each source covers, over all of its rows."""
    weights = _weights(occurrences, term_weights)
    totals: dict[str, list[float]] = {}
    for row, counts in occurrences.counts.items():
        if row in sources:
            total = totals.setdefault(sources[row], [0.0] * len(counts))
            for i, count in enumerate(counts):
                total[i] += count
    return {source: _bm25(weights, frequencies) for source, frequencies in totals.items()}


def _fields(row: int, neighbours: Neighbours | None) -> list[tuple[int, float]]:
    """Return a row and its neighbours, each with its share."""
    if neighbours is None:
        return [(row, _OWN)]
    before = zip(neighbours.before, _BEFORE, strict=False)
    return [(row, _OWN), *before, *zip(neighbours.after, _AFTER, strict=False)]


def _weights(occurrences: Occurrences, term_weights: Sequence[float]) -> list[float]:
    idfs = [rarity(count, occurrences.total_entries) for count in occurrences.entries_with_term]
    return [idf * weight for idf, weight in zip(idfs, term_weights, strict=True)]


def _bm25(weights: Sequence[float], frequencies: Sequence[float]) -> float:
    return sum(w * tf / (tf + _K1) for w, tf in zip(weights, frequencies, strict=True) if tf)


def normalisation(lengths: Sequence[int], mean: float) -> float:
    """Return BM25's b, which is higher the more the lengths deviate from the mean."""
    if len(lengths) < 2:
        return 0.2
    spread = sqrt(fsum((length - mean) ** 2 for length in lengths) / len(lengths)) / max(mean, 1e-9)
    return min(0.9, max(0.2, 0.2 + 1.6 * (spread - 0.5)))


def rarity(holders: int, among: int) -> float:
    return log(1 + (max(among, holders) - holders + 0.5) / (holders + 0.5))
