"""Which memory has a word for each word of the question? Late interaction on 1-bit tokens.

For each token of the question the nearest token of the memory counts; what every
candidate has in common says nothing and is taken off; what few of them have weighs more. A
token that a neighbour answers counts in part: a reply seldom repeats what it replies to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from remem.ports.models import Bytes, Floats, QueryEmbedding
from remem.ports.records import Beside

_BEFORE: Final = (0.3, 0.2)
_AFTER: Final = (0.2,)
_CALM: Final = 1 << 18
_SAME: Final = 0.6
"""From this likeness on two tokens mean the same."""


def interaction(
    query: QueryEmbedding,
    memories: Sequence[Bytes | None],
    beside: Sequence[tuple[tuple[int, ...], tuple[int, ...]]] | None = None,
) -> Floats | None:
    """A score for each memory; None where the question has no token vectors.

    `beside` gives the places, among the memories, of those before and after each of them.
    """
    if query.tokens is None or query.weights is None or not len(query.tokens):
        return None
    best = _best_likeness(query.tokens, memories)
    likeness = best**2
    telling = np.maximum(likeness - likeness.mean(axis=1, keepdims=True), 0)
    if beside is not None:
        telling = _in_context(telling, beside)
    weights = query.weights * _rarity(best)
    scores: Floats = (weights @ telling) / max(float(weights.sum()), 1e-9)
    return scores


def _rarity(best: Floats) -> Floats:
    """What each token tells: more where fewer of the memories have one that means the same."""
    share = (best > _SAME).mean(axis=1) + 1 / max(1, best.shape[1])
    rare: Floats = np.log1p(1 / share).astype(np.float32)
    return rare


def places_beside(
    rows: Sequence[int], beside: Mapping[int, Beside]
) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The neighbours of each row as places in the list of rows."""
    place = {row: i for i, row in enumerate(rows)}
    nothing = Beside()
    return [
        (
            tuple(place.get(number, -1) for number in beside.get(row, nothing).before),
            tuple(place.get(number, -1) for number in beside.get(row, nothing).after),
        )
        for row in rows
    ]


def _in_context(
    telling: Floats, beside: Sequence[tuple[tuple[int, ...], tuple[int, ...]]]
) -> Floats:
    """What a memory and its neighbours say of each token together; never more than all."""
    padded = np.concatenate([telling, np.zeros((len(telling), 1), np.float32)], axis=1)
    missing = np.ones_like(telling) - telling
    for side, shares in enumerate((_BEFORE, _AFTER)):
        for depth, share in enumerate(shares):
            places: NDArray[np.intp] = np.array(
                [pair[side][depth] if len(pair[side]) > depth else -1 for pair in beside], np.intp
            )
            missing *= 1 - share * padded[:, places]
    together: Floats = (1 - missing).astype(np.float32)
    return together


def _best_likeness(tokens: Floats, memories: Sequence[Bytes | None]) -> Floats:
    """For each question token and memory, the cosine of the memory's nearest token."""
    best = np.zeros((len(tokens), len(memories)), np.float32)
    places = [i for i, memory in enumerate(memories) if memory is not None and len(memory)]
    if not places:
        return best
    packed = [memory for memory in memories if memory is not None and len(memory)]
    dimension = tokens.shape[1]
    bits = np.unpackbits(np.concatenate(packed), axis=1)[:, :dimension].astype(np.float32)
    starts = np.cumsum([0, *(len(memory) for memory in packed[:-1])])
    nearest = np.maximum.reduceat(_products(tokens, bits), starts, axis=0).T
    # With signs of ±1 the product is twice that over the set bits, less the whole sum.
    cosines = (2 * nearest - tokens.sum(axis=1, keepdims=True)) / sqrt(dimension)
    best[:, places] = np.maximum(cosines, 0)
    return best


def _products(tokens: Floats, rows: Floats) -> Floats:
    """Of each token with each row, some rows at a time: beyond so many numbers the library
    calls in threads that spin, which costs a busy machine more than it gains."""
    step = max(1, _CALM // tokens.size)
    product: Floats = np.empty((len(rows), len(tokens)), np.float32)
    for at in range(0, len(rows), step):
        np.matmul(rows[at : at + step], tokens.T, out=product[at : at + step])
    return product
