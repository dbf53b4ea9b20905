"""Score entries and passages by their vectors: cosine and late interaction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final, Protocol

from remem.ports.models import Embedder, Embedding, Floats, ModelIdentity
from remem.ports.records import Key
from remem.search.passages import ranking as passages_ranking
from remem.search.query.embedding import EmbeddedQuery
from remem.search.rank import ranking
from remem.search.rank.context import ConversationContext, with_neighbours

_BEFORE: Final = 0.5
_AFTER: Final = 0.2
"""The weights of the vectors of the neighbours before and after a memory."""
NeighbourPositions = Sequence[tuple[tuple[int, ...], tuple[int, ...]]]


class _Vectors(Protocol[Key]):
    def vectors_of(self, identity: ModelIdentity, ids: Iterable[Key]) -> dict[Key, Embedding]: ...


def score_passages(
    store: _Vectors[int], query: EmbeddedQuery, candidates: Sequence[passages_ranking.Candidate]
) -> list[passages_ranking.Candidate]:
    """Add vector scores to passages, including those that were found by keyword only.

    Texts in a language that the model does not support get none.
    """
    from remem.search.rank.late_interaction import (
        interaction,  # lazy: a keyword search needs no numpy
    )

    supported = [candidate.row for candidate in candidates if _supports(query.embedder, candidate)]
    vectors = store.vectors_of(query.embedder.identity, supported)
    tokens = [
        vectors[candidate.row].tokens if candidate.row in vectors else None
        for candidate in candidates
    ]
    late = interaction(query.embedding, tokens)
    return [
        replace(
            candidate,
            meaning=float(vectors[candidate.row].pooled @ query.embedding.pooled)
            if candidate.row in vectors
            else None,
            late_interaction=float(late[i]) if late is not None and tokens[i] is not None else None,
        )
        for i, candidate in enumerate(candidates)
    ]


def score_entries(
    store: _Vectors[str],
    query: EmbeddedQuery,
    candidates: Sequence[ranking.Candidate],
    context: ConversationContext,
) -> list[ranking.Candidate]:
    """Add vector scores to entries, in which the vectors of neighbours count in part."""
    from remem.search.rank.late_interaction import interaction, neighbour_positions

    unsupported = {
        candidate.entry.id for candidate in candidates if not _supports(query.embedder, candidate)
    }
    wanted = [
        id_
        for id_ in with_neighbours(context, [candidate.entry.id for candidate in candidates])
        if id_ not in unsupported
    ]
    vectors = store.vectors_of(query.embedder.identity, wanted)
    ids = [id_ for id_ in wanted if id_ in vectors]
    if not ids:
        return list(candidates)
    positions = neighbour_positions(ids, context.neighbours) if context.neighbours else None
    pooled = [vectors[id_].pooled for id_ in ids]
    meaning = dict(
        zip(ids, _context_cosines(pooled, positions, query.embedding.pooled), strict=True)
    )
    late = interaction(query.embedding, [vectors[id_].tokens for id_ in ids], positions)
    late_scores = dict(zip(ids, late.tolist(), strict=True)) if late is not None else {}
    return [
        candidate.with_model_scores(
            meaning.get(candidate.entry.id),
            late_scores.get(candidate.entry.id)
            if _has_tokens(vectors, candidate.entry.id)
            else None,
        )
        for candidate in candidates
    ]


def _context_cosines(
    pooled: Sequence[Floats], positions: NeighbourPositions | None, query: Floats
) -> list[float]:
    """Return the cosines of the memories, with the vectors of neighbours mixed in."""
    import numpy as np

    own = np.stack(pooled)
    if positions is None:
        alone: list[float] = (own @ query).tolist()
        return alone
    padded = np.concatenate([own, np.zeros_like(own[:1])])
    before = [pair[0][0] if pair[0] else -1 for pair in positions]
    after = [pair[1][0] if pair[1] else -1 for pair in positions]
    mixed = own + _BEFORE * padded[before] + _AFTER * padded[after]
    cosines: list[float] = (mixed @ query / np.linalg.norm(mixed, axis=1).clip(1e-9)).tolist()
    return cosines


def _has_tokens(vectors: Mapping[str, Embedding], id_: str) -> bool:
    return id_ in vectors and vectors[id_].tokens is not None


def _supports(
    embedder: Embedder, candidate: ranking.Candidate | passages_ranking.Candidate
) -> bool:
    """Whether the model supports the language of the candidate's text."""
    if isinstance(candidate, ranking.Candidate):
        text = candidate.entry.content
    else:
        text = candidate.passage.text
    return text.isascii() or embedder.language_support(text) > 0
