"""BM25 scores of entries, in which the words of neighbours count in part.

How strongly a score is normalised by length (BM25's b) depends on how much the lengths vary: hardly
at all among turns of similar length, almost fully if there are both pages and single lines. The
mean length is that of all entries, because candidates are longer than average.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum, log, sqrt
from typing import Final

from remem.ports.records import Neighbours, TermStatistics

_K1: Final = 1.2
_OWN: Final = 1.0
_BEFORE: Final = (0.5, 0.2)
_AFTER: Final = (0.2,)


def scores(
    occurrences: TermStatistics,
    ids: Sequence[str],
    neighbours: Mapping[str, Neighbours],
    term_weights: Sequence[float],
) -> list[float]:
    """Return a score for each entry; a term's rarity is multiplied by its `term_weights`."""
    own = [occurrences.lengths[id_] for id_ in ids if id_ in occurrences.lengths]
    b = normalisation(own, occurrences.mean_length)
    norms = {
        id_: 1 - b + b * length / occurrences.mean_length
        for id_, length in occurrences.lengths.items()
    }
    weights = _weights(occurrences, term_weights)
    scored = []
    for id_ in ids:
        frequencies = [0.0] * len(weights)
        for source_id, share in _fields(id_, neighbours.get(id_)):
            if source_id in occurrences.counts:
                scale = share / norms[source_id]
                for i, count in enumerate(occurrences.counts[source_id]):
                    if count:
                        frequencies[i] += scale * count
        scored.append(_bm25(weights, frequencies))
    return scored


def source_scores(
    occurrences: TermStatistics, sources: Mapping[str, str], term_weights: Sequence[float]
) -> dict[str, float]:
    """Return how much of the question each source covers, over all of its entries."""
    weights = _weights(occurrences, term_weights)
    totals: dict[str, list[float]] = {}
    for id_, counts in occurrences.counts.items():
        if id_ in sources:
            total = totals.setdefault(sources[id_], [0.0] * len(counts))
            for i, count in enumerate(counts):
                total[i] += count
    return {source: _bm25(weights, frequencies) for source, frequencies in totals.items()}


def _fields(id_: str, neighbours: Neighbours | None) -> list[tuple[str, float]]:
    """Return an entry and its neighbours, each with its share."""
    if neighbours is None:
        return [(id_, _OWN)]
    before = zip(neighbours.before, _BEFORE, strict=False)
    return [(id_, _OWN), *before, *zip(neighbours.after, _AFTER, strict=False)]


def _weights(occurrences: TermStatistics, term_weights: Sequence[float]) -> list[float]:
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
