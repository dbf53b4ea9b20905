"""How strongly does a memory hold the question's words? BM25 over it and what stands beside it.

A word that a neighbour says counts for less than one's own. How much a long text has to pay for
its length depends on how far the lengths are from the mean of the memory: among short turns of one
size hardly anything, where answers of a page stand beside one line, nearly all. The mean is that of
all memories, not of the candidates: those that hold the words are the long ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum, log, sqrt
from typing import Final

from remem.ports.records import Beside, Occurrences

_K1: Final = 1.2
_OWN: Final = 1.0
_BEFORE: Final = (0.5, 0.2)
_AFTER: Final = (0.2,)


def scores(
    found: Occurrences,
    rows: Sequence[int],
    beside: Mapping[int, Beside],
    worth: Sequence[float],
) -> list[float]:
    """A score for each row; `worth` is what each term counts beside its rarity."""
    own = [found.lengths[row] for row in rows if row in found.lengths]
    b = normalisation(own, found.mean_length)
    normal = {row: 1 - b + b * length / found.mean_length for row, length in found.lengths.items()}
    weights = _weights(found, worth)
    scored = []
    for row in rows:
        told = [0.0] * len(weights)
        for each, share in _fields(row, beside.get(row)):
            if each in found.counts:
                scale = share / normal[each]
                for i, count in enumerate(found.counts[each]):
                    if count:
                        told[i] += scale * count
        scored.append(_saturated(weights, told))
    return scored


def source_scores(
    found: Occurrences, sources: Mapping[int, str], worth: Sequence[float]
) -> dict[str, float]:
    """How much of the question is said in each source, by whichever of its rows."""
    weights = _weights(found, worth)
    totals: dict[str, list[float]] = {}
    for row, counts in found.counts.items():
        if row in sources:
            known = totals.setdefault(sources[row], [0.0] * len(counts))
            for i, count in enumerate(counts):
                known[i] += count
    return {source: _saturated(weights, told) for source, told in totals.items()}


def _fields(row: int, beside: Beside | None) -> list[tuple[int, float]]:
    """A row and its neighbours, each with its share."""
    if beside is None:
        return [(row, _OWN)]
    before = zip(beside.before, _BEFORE, strict=False)
    return [(row, _OWN), *before, *zip(beside.after, _AFTER, strict=False)]


def _weights(found: Occurrences, worth: Sequence[float]) -> list[float]:
    rare = [rarity(count, found.among) for count in found.holders]
    return [each * w for each, w in zip(rare, worth, strict=True)]


def _saturated(weights: Sequence[float], told: Sequence[float]) -> float:
    return sum(w * tf / (tf + _K1) for w, tf in zip(weights, told, strict=True) if tf)


def normalisation(lengths: Sequence[int], mean: float) -> float:
    """BM25's b, by how far lengths are from the mean of all."""
    if len(lengths) < 2:
        return 0.2
    spread = sqrt(fsum((length - mean) ** 2 for length in lengths) / len(lengths)) / max(mean, 1e-9)
    return min(0.9, max(0.2, 0.2 + 1.6 * (spread - 0.5)))


def rarity(holders: int, among: int) -> float:
    return log(1 + (max(among, holders) - holders + 0.5) / (holders + 0.5))
