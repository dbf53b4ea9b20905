"""What is said twice in other words? Told by the local model, where there is one.

Numbers, names and identifiers must be the same on both sides; lines that share most of their
words and still are no duplicates only look alike, and stay apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from remem.audit.duplicates import Pair
from remem.audit.look_alike import same_context, same_names, signs, telling, turned_alike
from remem.audit.statements import Statement
from remem.core.likeness import overlap
from remem.errors import EmbedderError
from remem.ports import Embedder, Floats

_ALIKE: Final = 0.78
_LOOK_ALIKE: Final = 0.55
_MOST: Final = 1_500
_BATCH: Final = 64


@dataclass(frozen=True, slots=True)
class Meaning:
    """The pairs, and what has to be said about how they were looked for."""

    pairs: tuple[Pair, ...]
    notes: tuple[str, ...] = ()


def paraphrased(
    said: Sequence[Statement],
    embedder: Embedder | str,
    known: Sequence[Pair],
    tell: Callable[[str], None],
) -> Meaning:
    """Pairs that mean the same; those that are known to be alike are not told again. In place
    of an embedder stands the reason why there is none."""
    if isinstance(embedder, str):
        return Meaning((), (f"paraphrases were not looked for: {embedder}",))
    candidates = [each for each in said if telling(each)]
    legible = [each for each in candidates if embedder.reads(each.said)]
    notes = []
    if len(legible) < len(candidates):
        missing = len(candidates) - len(legible)
        notes.append(f"paraphrases were not looked for in {missing} lines: not the model's script")
    if len(legible) > _MOST:
        notes.append(f"paraphrases were looked for in the first {_MOST:,} lines only")
        legible = legible[:_MOST]
    try:
        vectors = _vectors(legible, embedder, tell)
    except EmbedderError as error:
        return Meaning((), (*notes, f"paraphrases were not looked for: {error}"))
    told = {frozenset((id(each.a), id(each.b))) for each in known}
    pairs = [
        each for each in _close(legible, vectors) if frozenset((id(each.a), id(each.b))) not in told
    ]
    return Meaning(tuple(pairs), tuple(notes))


def _vectors(
    said: Sequence[Statement], embedder: Embedder, tell: Callable[[str], None]
) -> list[Floats]:
    vectors: list[Floats] = []
    for start in range(0, len(said), _BATCH):
        tell(f"comparing meanings: {start} of {len(said)}")
        batch = [each.said for each in said[start : start + _BATCH]]
        vectors += [each.pooled for each in embedder.embed(batch)]
    return vectors


def _close(said: Sequence[Statement], vectors: Sequence[Floats]) -> list[Pair]:
    if len(said) < 2:
        return []
    import numpy as np  # slow to import

    matrix = np.stack(vectors)
    rows, columns = np.nonzero(np.triu(matrix @ matrix.T >= _ALIKE, 1))
    pairs = []
    for i, j in zip(rows.tolist(), columns.tolist(), strict=True):
        a, b = said[i], said[j]
        if _means_the_same(a, b):
            pairs.append(Pair(a, b, round(float(matrix[i] @ matrix[j]), 2), "paraphrased"))
    return pairs


def _means_the_same(a: Statement, b: Statement) -> bool:
    return (
        same_context(a, b)
        and overlap(a.vocabulary, b.vocabulary) < _LOOK_ALIKE
        and same_names(a.said, b.said)
        and signs(a.said) == signs(b.said)
        and turned_alike(a.said, b.said)
    )
