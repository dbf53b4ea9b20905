"""How near does each candidate lie in meaning? Both legs of the model, for entries and passages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final, Protocol

from remem.ports.models import Embedder, Embedding, Floats, ModelIdentity
from remem.search.passages import ranking as passages_ranking
from remem.search.query.embedding import Sense
from remem.search.rank import ranking
from remem.search.rank.context import Company, rows_around

_BEFORE: Final = 0.5
_AFTER: Final = 0.2
"""The share of what was said before and after in a memory's own vector."""
Places = Sequence[tuple[tuple[int, ...], tuple[int, ...]]]


class _Vectors(Protocol):
    def vectors_of(self, identity: ModelIdentity, rows: Iterable[int]) -> dict[int, Embedding]: ...


def with_meaning(
    reading: _Vectors, sense: Sense, candidates: Sequence[passages_ranking.Candidate]
) -> list[passages_ranking.Candidate]:
    """What the model says of passages, also of those that only the keywords found; of a text in
    a language that it does not know it says nothing."""
    from remem.search.rank.late_interaction import (
        interaction,  # numpy, which a keyword search does not need
    )

    legible = [candidate.row for candidate in candidates if _reads(sense.embedder, candidate)]
    vectors = reading.vectors_of(sense.embedder.identity, legible)
    tokens = [
        vectors[candidate.row].tokens if candidate.row in vectors else None
        for candidate in candidates
    ]
    late = interaction(sense.query, tokens)
    return [
        replace(
            each,
            meaning=float(vectors[each.row].pooled @ sense.query.pooled)
            if each.row in vectors
            else None,
            tokens=float(late[i]) if late is not None and tokens[i] is not None else None,
        )
        for i, each in enumerate(candidates)
    ]


def near_in_meaning(
    reading: _Vectors, sense: Sense, candidates: Sequence[ranking.Candidate], company: Company
) -> list[ranking.Candidate]:
    """What the model says of entries, each together with what was said beside it."""
    from remem.search.rank.late_interaction import interaction, places_beside

    unread = {candidate.row for candidate in candidates if not _reads(sense.embedder, candidate)}
    wanted = [row for row in rows_around(company, [c.row for c in candidates]) if row not in unread]
    vectors = reading.vectors_of(sense.embedder.identity, wanted)
    rows = [row for row in wanted if row in vectors]
    if not rows:
        return list(candidates)
    places = places_beside(rows, company.beside) if company.beside else None
    pooled = [vectors[row].pooled for row in rows]
    meaning = dict(zip(rows, _mixed(pooled, places, sense.query.pooled), strict=True))
    late = interaction(sense.query, [vectors[row].tokens for row in rows], places)
    tokens = dict(zip(rows, late.tolist(), strict=True)) if late is not None else {}
    return [
        candidate.sensed(
            meaning.get(candidate.row),
            tokens.get(candidate.row) if _has_tokens(vectors, candidate.row) else None,
        )
        for candidate in candidates
    ]


def _mixed(pooled: Sequence[Floats], places: Places | None, query: Floats) -> list[float]:
    """The cosines of the memories' vectors, each with a share of its neighbours' in it."""
    import numpy as np

    own = np.stack(pooled)
    if places is None:
        alone: list[float] = (own @ query).tolist()
        return alone
    padded = np.concatenate([own, np.zeros_like(own[:1])])
    before = [place[0][0] if place[0] else -1 for place in places]
    after = [place[1][0] if place[1] else -1 for place in places]
    mixed = own + _BEFORE * padded[before] + _AFTER * padded[after]
    cosines: list[float] = (mixed @ query / np.linalg.norm(mixed, axis=1).clip(1e-9)).tolist()
    return cosines


def _has_tokens(vectors: Mapping[int, Embedding], row: int) -> bool:
    return row in vectors and vectors[row].tokens is not None


def _reads(embedder: Embedder, candidate: ranking.Candidate | passages_ranking.Candidate) -> bool:
    if isinstance(candidate, ranking.Candidate):
        text = candidate.entry.content
    else:
        text = candidate.passage.text
    return text.isascii() or embedder.reads(text) > 0
