"""Late interaction: compare the tokens of a question with those of entries, as 1-bit vectors.

The score of each question token is its similarity to the most similar token of the memory, minus
the mean over all candidates. Tokens that few candidates contain have a higher weight. The tokens of
neighbours count in part, because a reply seldom repeats what it replies to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from remem.ports.models import Bytes, Floats, QueryEmbedding
from remem.ports.records import Neighbours

_BEFORE: Final = (0.3, 0.2)
_AFTER: Final = (0.2,)
_MAX_PRODUCT_SIZE: Final = 1 << 18
_SAME_MEANING: Final = 0.6
"""The cosine above which two tokens are taken to have the same meaning."""


def interaction(
    query: QueryEmbedding,
    memories: Sequence[Bytes | None],
    neighbours: Sequence[tuple[tuple[int, ...], tuple[int, ...]]] | None = None,
) -> Floats | None:
    """Return a score for each memory, or None if the question has no token vectors.

    `neighbours` has, for each memory, the positions of those before and after it.
    """
    if query.tokens is None or query.weights is None or not len(query.tokens):
        return None
    best = _best_similarity(query.tokens, memories)
    squared = best**2
    excess = np.maximum(squared - squared.mean(axis=1, keepdims=True), 0)
    if neighbours is not None:
        excess = _in_context(excess, neighbours)
    weights = query.weights * _rarity(best)
    scores: Floats = (weights @ excess) / max(float(weights.sum()), 1e-9)
    return scores


def _rarity(best: Floats) -> Floats:
    """Return a weight per token: the fewer memories have one with the same meaning, the higher."""
    share = (best > _SAME_MEANING).mean(axis=1) + 1 / max(1, best.shape[1])
    rarity: Floats = np.log1p(1 / share).astype(np.float32)
    return rarity


def neighbour_positions(
    ids: Sequence[str], neighbours: Mapping[str, Neighbours]
) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return the neighbours of each entry as positions in the list of ids; -1 if one is missing."""
    position = {id_: i for i, id_ in enumerate(ids)}
    none = Neighbours()
    return [
        (
            tuple(position.get(other, -1) for other in neighbours.get(id_, none).before),
            tuple(position.get(other, -1) for other in neighbours.get(id_, none).after),
        )
        for id_ in ids
    ]


def _in_context(
    excess: Floats, neighbours: Sequence[tuple[tuple[int, ...], tuple[int, ...]]]
) -> Floats:
    """Combine the scores of a memory and its neighbours for each token; the result is at most 1."""
    padded = np.concatenate([excess, np.zeros((len(excess), 1), np.float32)], axis=1)
    missing = np.ones_like(excess) - excess
    for side, shares in enumerate((_BEFORE, _AFTER)):
        for depth, share in enumerate(shares):
            positions: NDArray[np.intp] = np.array(
                [pair[side][depth] if len(pair[side]) > depth else -1 for pair in neighbours],
                np.intp,
            )
            missing *= 1 - share * padded[:, positions]
    combined: Floats = (1 - missing).astype(np.float32)
    return combined


def _best_similarity(tokens: Floats, memories: Sequence[Bytes | None]) -> Floats:
    """Return, for each question token and memory, the cosine of the memory's nearest token."""
    best = np.zeros((len(tokens), len(memories)), np.float32)
    positions = [i for i, memory in enumerate(memories) if memory is not None and len(memory)]
    if not positions:
        return best
    packed = [memory for memory in memories if memory is not None and len(memory)]
    dimension = tokens.shape[1]
    bits = np.unpackbits(np.concatenate(packed), axis=1)[:, :dimension].astype(np.float32)
    starts = np.cumsum([0, *(len(memory) for memory in packed[:-1])])
    nearest = np.maximum.reduceat(_products(tokens, bits), starts, axis=0).T
    # For a vector of ±1, the product is twice the sum over the set bits, minus the total sum.
    cosines = (2 * nearest - tokens.sum(axis=1, keepdims=True)) / sqrt(dimension)
    best[:, positions] = np.maximum(cosines, 0)
    return best


def _products(tokens: Floats, rows: Floats) -> Floats:
    """Multiply in chunks of rows.

    For larger products numpy's library starts threads that spin, which costs a busy machine more
    than it gains.
    """
    step = max(1, _MAX_PRODUCT_SIZE // tokens.size)
    product: Floats = np.empty((len(rows), len(tokens)), np.float32)
    for start in range(0, len(rows), step):
        np.matmul(rows[start : start + step], tokens.T, out=product[start : start + step])
    return product
