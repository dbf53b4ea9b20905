"""How near does each candidate lie in meaning? Both legs of the model, for entries and passages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

from remem.ports import Embedding, ModelIdentity
from remem.recall import passages, ranking
from remem.recall.sensing import Sense

C = TypeVar("C", ranking.Candidate, passages.Candidate)


class _Vectors(Protocol):
    def vectors_of(self, identity: ModelIdentity, rows: Iterable[int]) -> dict[int, Embedding]: ...


def with_meaning(reading: _Vectors, sense: Sense, candidates: Sequence[C]) -> list[C]:
    """Fill in what the model says, also for what only the keywords found."""
    from remem.recall.late import interaction  # numpy, which a keyword search does not need

    vectors = reading.vectors_of(sense.embedder.identity, [each.row for each in candidates])
    tokens = [vectors[each.row].tokens if each.row in vectors else None for each in candidates]
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
