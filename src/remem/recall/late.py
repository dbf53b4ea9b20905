"""Which memory has a word for each word of the question? Late interaction on 1-bit tokens.

For each token of the question the nearest token of the memory counts; what every
candidate has in common says nothing and is taken off; rare tokens weigh more.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np

from remem.ports import Bytes, Floats, QueryEmbedding


def interaction(query: QueryEmbedding, memories: Sequence[Bytes | None]) -> Floats | None:
    """A score for each memory; None where the question has no token vectors."""
    if query.tokens is None or query.weights is None or not len(query.tokens):
        return None
    likeness = _best_likeness(query.tokens, memories) ** 2
    telling = np.maximum(likeness - likeness.mean(axis=1, keepdims=True), 0)
    scores: Floats = (query.weights @ telling) / max(float(query.weights.sum()), 1e-9)
    return scores


def _best_likeness(tokens: Floats, memories: Sequence[Bytes | None]) -> Floats:
    """For each question token and memory, the cosine of the memory's nearest token."""
    best = np.zeros((len(tokens), len(memories)), np.float32)
    places = [i for i, memory in enumerate(memories) if memory is not None and len(memory)]
    if not places:
        return best
    packed = [memory for memory in memories if memory is not None and len(memory)]
    dimension = tokens.shape[1]
    bits = np.unpackbits(np.concatenate(packed), axis=1)[:, :dimension].astype(np.float32)
    # With signs of ±1 the product is twice that over the set bits, less the whole sum.
    cosines = (2 * (tokens @ bits.T) - tokens.sum(axis=1, keepdims=True)) / sqrt(dimension)
    starts = np.cumsum([0, *(len(memory) for memory in packed[:-1])])
    best[:, places] = np.maximum(np.maximum.reduceat(cosines, starts, axis=1), 0)
    return best
