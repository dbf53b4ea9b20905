"""Score entries and passages by their vectors: cosine and late interaction.

Late interaction compares the tokens of a question with the tokens of a memory, which are kept as
1-bit vectors. The score of a question token is its similarity to the most similar token of the
memory, minus the mean over a sample of all memories; tokens that few of them contain have a higher
weight. Of the neighbours of an entry, vectors and tokens count in part, because a reply rarely
repeats what it replies to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import sqrt
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from remem.model.entry import Entry
from remem.model.passage import Passage
from remem.ports.entries import Snapshot
from remem.ports.models import Bytes, Embedder, Embedding, Floats, QueryEmbedding
from remem.ports.records import Neighbours
from remem.search.query.embedding import QuestionVectors
from remem.search.rank.context import ConversationContext, with_neighbours
from remem.search.rank.ranking import Candidate
from remem.search.rank.signals import text_of
from remem.text.language import FULL_SUPPORT, language_of

if TYPE_CHECKING:
    from remem.ports.passages import PassageReader

_VECTOR_BEFORE: Final = 0.5
_VECTOR_AFTER: Final = 0.2
"""How much the vectors of the neighbours before and after an entry count."""
_TOKENS_BEFORE: Final = (0.3, 0.2)
_TOKENS_AFTER: Final = (0.2,)
_MAX_PRODUCT_SIZE: Final = 1 << 18
_MAX_ROWS: Final = 256
_SAMPLE: Final = 150
_MIN_SAMPLE: Final = 50
"""How many memories of a store are read to learn how common a token is; fewer say too little."""
_SAME_MEANING: Final = 0.6
"""The cosine above which two tokens are taken to have the same meaning."""

NeighbourPositions = Sequence[tuple[tuple[int, ...], tuple[int, ...]]]
"""For each memory, the positions of those before and after it in a list; -1 if one is missing."""


def score_by_vectors(
    query: QuestionVectors,
    candidates: Sequence[Candidate],
    snapshot: Snapshot | None = None,
    reader: PassageReader | None = None,
    context: ConversationContext | None = None,
) -> list[Candidate]:
    """Add vector scores to entries and passages, including those that were found by keyword only.

    `snapshot` has the vectors of the entries, `reader` the vectors of the passages. The vectors of
    an entry's neighbours count in part. Texts in a language that the model does not support get no
    scores.
    """
    identity = query.embedder.identity
    keys_of = list(map(_key, candidates))
    supported = [_supports(query.embedder, text_of(c.item)) for c in candidates]
    context = context or ConversationContext()
    vectors: dict[Any, Embedding] = {}  # by the id of an entry or the number of a passage
    sample: list[Embedding] = []
    if snapshot is not None:
        ids = [
            key
            for key, fits in zip(keys_of, supported, strict=True)
            if fits and isinstance(key, str)
        ]
        unsupported = {key for key, fits in zip(keys_of, supported, strict=True) if not fits}
        compared = [id_ for id_ in with_neighbours(context, ids) if id_ not in unsupported]
        vectors.update(snapshot.vectors_of(identity, compared))
        sample += snapshot.sample_vectors(identity, _SAMPLE)
    if reader is not None:
        numbers = [
            key
            for key, fits in zip(keys_of, supported, strict=True)
            if fits and isinstance(key, int) and key
        ]
        vectors.update(reader.vectors_of(identity, numbers))
        sample += reader.sample_vectors(identity, _SAMPLE)
    if not vectors:
        return list(candidates)
    keys = list(vectors)
    positions = neighbour_positions(keys, context.neighbours) if context.neighbours else None
    pooled = [vectors[key].pooled for key in keys]
    meaning = dict(
        zip(keys, _context_cosines(pooled, positions, query.embedding.pooled), strict=True)
    )
    tokens = [vectors[key].tokens for key in keys]
    late = interaction(query.embedding, tokens, positions, [vector.tokens for vector in sample])
    late_scores: dict[str | int, float] = {}
    if late is not None:
        scored = zip(keys, late.tolist(), strict=True)
        late_scores = {key: score for key, score in scored if vectors[key].tokens is not None}
    is_other = _other_language(query)
    return [
        candidate.with_vectors(
            meaning[key], late_scores.get(key), vectors[key].pooled, is_other(candidate.item)
        )
        if key in vectors
        else candidate
        for key, candidate in zip(keys_of, candidates, strict=True)
    ]


def _key(candidate: Candidate) -> str | int:
    """Return the id of an entry or the number of a passage."""
    if isinstance(candidate.item, Entry):
        return candidate.item.id
    return candidate.number or 0


def _context_cosines(
    pooled: Sequence[Floats], positions: NeighbourPositions | None, query: Floats
) -> list[float]:
    """Return the cosines of the memories, with the vectors of neighbours mixed in."""
    own = np.stack(pooled)
    if positions is None:
        own_cosines: list[float] = (own @ query).tolist()
        return own_cosines
    padded = np.concatenate([own, np.zeros_like(own[:1])])
    before = [pair[0][0] if pair[0] else -1 for pair in positions]
    after = [pair[1][0] if pair[1] else -1 for pair in positions]
    mixed = own + _VECTOR_BEFORE * padded[before] + _VECTOR_AFTER * padded[after]
    cosines: list[float] = (mixed @ query / np.linalg.norm(mixed, axis=1).clip(1e-9)).tolist()
    return cosines


def _supports(embedder: Embedder, text: str) -> bool:
    """Return whether the model supports the language of a text."""
    return text.isascii() or embedder.language_support(text) > 0


def _other_language(query: QuestionVectors) -> Callable[[Entry | Passage], bool]:
    """Return a function that says whether a text is in another language than the question.

    It is False for all texts if the model supports only one of the two languages well, because its
    vectors then say nothing about their meaning. A text in no clear language, such as a name or a
    number, counts as English, as it does for the models.
    """
    asked, support = language_of(query.text), query.embedder.language_support
    if not asked or support(query.text) < FULL_SUPPORT:
        return lambda _: False

    def is_other(item: Entry | Passage) -> bool:
        text = text_of(item)
        language = language_of(text) or (item.context and language_of(item.context)) or "en"
        return language != asked and support(text) >= FULL_SUPPORT

    return is_other


def interaction(
    query: QueryEmbedding,
    memories: Sequence[Bytes | None],
    neighbours: NeighbourPositions | None = None,
    sample: Sequence[Bytes | None] = (),
) -> Floats | None:
    """Return a score for each memory; None if the question has no token vectors.

    The mean similarity and the rarity of a token are measured on the `sample`, or on the memories
    themselves if there is none: candidates were selected for being similar to the question.
    """
    if query.tokens is None or query.weights is None or not len(query.tokens):
        return None
    best = _best_similarity(query.tokens, memories)
    usual = _best_similarity(query.tokens, sample) if len(sample) >= _MIN_SAMPLE else best
    excess = np.maximum(best**2 - (usual**2).mean(axis=1, keepdims=True), 0)
    if neighbours is not None:
        excess = _in_context(excess, neighbours)
    weights = query.weights * _rarity(usual)
    scores: Floats = (weights @ excess) / max(float(weights.sum()), 1e-9)
    return scores


def _rarity(best: Floats) -> Floats:
    """Return a weight per token, higher the fewer memories have a token with the same meaning."""
    share = (best > _SAME_MEANING).mean(axis=1) + 1 / max(1, best.shape[1])
    rarity: Floats = np.log1p(1 / share).astype(np.float32)
    return rarity


def neighbour_positions(
    keys: Sequence[str | int], neighbours: Mapping[str, Neighbours]
) -> NeighbourPositions:
    """Return the neighbours of each entry as positions in the list of keys; passages have none."""
    position = {key: i for i, key in enumerate(keys)}
    none = Neighbours()
    around = [neighbours.get(key, none) if isinstance(key, str) else none for key in keys]
    return [
        (
            tuple(position.get(other, -1) for other in near.before),
            tuple(position.get(other, -1) for other in near.after),
        )
        for near in around
    ]


def _in_context(excess: Floats, neighbours: NeighbourPositions) -> Floats:
    """Combine the scores of a memory and its neighbours for each token; the result is at most 1."""
    padded = np.concatenate([excess, np.zeros((len(excess), 1), np.float32)], axis=1)
    missing = np.ones_like(excess) - excess
    for side, shares in enumerate((_TOKENS_BEFORE, _TOKENS_AFTER)):
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
    starts = np.cumsum([0, *(len(memory) for memory in packed[:-1])])
    nearest = np.maximum.reduceat(_products(tokens, np.concatenate(packed)), starts, axis=0).T
    # For a vector of ±1, the product is twice the sum over the set bits, minus the total sum.
    cosines = (2 * nearest - tokens.sum(axis=1, keepdims=True)) / sqrt(dimension)
    best[:, positions] = np.maximum(cosines, 0)
    return best


def _products(tokens: Floats, codes: Bytes) -> Floats:
    """Multiply packed bits with tokens, in chunks of rows that fit into the processor's cache.

    For larger products numpy's library starts threads that spin, which costs a busy machine more
    than it gains.
    """
    step = max(1, min(_MAX_ROWS, _MAX_PRODUCT_SIZE // tokens.size))
    product: Floats = np.empty((len(codes), len(tokens)), np.float32)
    for start in range(0, len(codes), step):
        bits = np.unpackbits(codes[start : start + step], axis=1)[:, : tokens.shape[1]]
        np.matmul(bits.astype(np.float32), tokens.T, out=product[start : start + step])
    return product
