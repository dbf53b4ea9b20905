"""Compute the relevance of a single text, from 0 to 1, for minimum scores.

The order of results follows their score, which compares candidates with each other. A minimum score
needs a value that does not depend on the other candidates: how much of the question a text covers
and how close it is in meaning.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from remem.fast_dataclass import dataclass
from remem.model.passage import Passage
from remem.search.query.question import Question
from remem.search.rank.ranking import Candidate, Ranked

MIN_RELEVANCE: Final = 0.4
"""The minimum relevance of texts found only by vector, which is at most 0.7."""
_WITH_MODEL: Final = {"text": 0.3, "meaning": 0.3, "tokens": 0.4}
_WITHOUT_VECTOR: Final = 0.9
_SAME_MEANING: Final = 0.7
"""The cosine from which two texts are taken to have the same meaning."""
_MIN_INTERACTION: Final = 0.02
"""Lower late-interaction scores do not tell candidates apart."""
_COVERAGE_SHARE: Final = 0.8
"""The share of coverage in the relevance of words; the rest is the keyword score."""
_NAMED_FILE: Final = 0.97


@dataclass(frozen=True, slots=True)
class Found:
    """A ranked text; a minimum score applies to `relevance`, the order follows the score.

    `words` is how well its words match.
    """

    ranked: Ranked
    relevance: float
    words: float

    @property
    def by_keyword(self) -> bool:
        return self.ranked.candidate.keyword > 0


def worth_showing(results: Sequence[Found]) -> list[Found]:
    """Return the results, without those that only a vector found and that are not relevant.

    One that ranks above a text that has words of the question is kept.
    """
    last = max((i for i, found in enumerate(results) if found.by_keyword), default=-1)
    return [f for i, f in enumerate(results) if i <= last or f.relevance >= MIN_RELEVANCE]


class Relevance:
    """Computes the relevance of candidates; some values are relative to the best one."""

    def __init__(self, candidates: Sequence[Candidate], question: Question) -> None:
        self._named = question.named_files
        self._strongest = max((c.keyword for c in candidates), default=0.0) or 1.0
        self._best_interaction = max((c.late_interaction or 0.0 for c in candidates), default=0.0)

    def found(self, ranked: Ranked) -> Found:
        candidate = ranked.candidate
        return Found(ranked, self(candidate), self.of_words(candidate))

    def of_words(self, candidate: Candidate) -> float:
        """Return how well the words of a text match."""
        if candidate.keyword <= 0:
            return 0.0
        covered = _COVERAGE_SHARE * (candidate.coverage or 0.0)
        return min(1.0, covered + (1 - _COVERAGE_SHARE) * candidate.keyword / self._strongest)

    def __call__(self, candidate: Candidate) -> float:
        relevance = self._relevance(candidate, self.of_words(candidate))
        item = candidate.item
        named = isinstance(item, Passage) and item.path in self._named
        return max(relevance, _NAMED_FILE) if named else relevance

    def _relevance(self, candidate: Candidate, text: float) -> float:
        if candidate.meaning is None:
            return text if self._best_interaction == 0 else _WITHOUT_VECTOR * text
        closeness = min(1.0, max(0.0, candidate.meaning) / _SAME_MEANING)
        interaction = (
            max(0.0, candidate.late_interaction or 0.0) / self._best_interaction
            if self._best_interaction > _MIN_INTERACTION
            else closeness
        )
        parts = {"text": text, "meaning": closeness, "tokens": interaction}
        return sum(weight * parts[name] for name, weight in _WITH_MODEL.items())
