"""The optional last step of ranking: a reranker reads the question with each of the first results.

Its scores become a signal that is added to the others, so that `why` shows its share and a reranker
that is wrong cannot push an obvious answer away. If it fails, the order stays as it was, and the
answer says why.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from operator import attrgetter
from typing import Final

from remem.errors import RerankerError
from remem.fast_dataclass import dataclass
from remem.model.entry import Entry
from remem.model.passage import Passage
from remem.ports.models import Reranker
from remem.search.rank.ranking import RankedCandidate, standard_scores

SIGNAL: Final = "rerank"
_DEPTH: Final = 20
"""Only the first results, up to this number, are read again; that is more than an answer shows."""
_WEIGHT: Final = 1.0
_MIN_SPREAD: Final = 0.01


@dataclass(frozen=True, slots=True)
class Reranking:
    """Reranks the first results."""

    reranker: Reranker

    def __call__(
        self,
        ranked: Sequence[RankedCandidate],
        question: str,
        excluded_signals: Collection[str] = (),
    ) -> tuple[list[RankedCandidate], str | None]:
        """Return the results in their new order, and why they were not reranked if that failed."""
        first, rest = ranked[:_DEPTH], ranked[_DEPTH:]
        if SIGNAL in excluded_signals or not question or len(first) < 2:
            return list(ranked), None
        try:
            scores = self.reranker.scores(question, [_text(result.item) for result in first])
        except RerankerError as error:
            return list(ranked), f"not reranked: {error.args[0]}"
        changed = [
            result.with_change(SIGNAL, _WEIGHT * score)
            for result, score in zip(first, standard_scores(scores, _MIN_SPREAD), strict=True)
        ]
        return sorted([*changed, *rest], key=attrgetter("total"), reverse=True), None


def _text(item: Entry | Passage) -> str:
    if isinstance(item, Passage):
        return item.in_context
    return f"{item.context}\n{item.content}" if item.context else item.content
