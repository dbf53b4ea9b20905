"""Decide which results are relevant enough, and choose among them.

The order of results follows their score, which compares candidates with each other. A minimum score
needs a value that does not depend on the other candidates: how much of the question a text covers
and how close it is in meaning. Of the results that are left, each statement is shown once, in files
that a person can open.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from math import ceil
from typing import Final

from remem.fast_dataclass import dataclass
from remem.model.arguments import DEFAULT_RESULTS
from remem.model.passage import Passage
from remem.search.query.question import Question
from remem.search.rank.ranking import Candidate, RankedCandidate
from remem.text.words import words

MIN_RELEVANCE: Final = 0.4
"""The minimum relevance of texts found only by vector, which is at most 0.7."""
_WITH_MODEL: Final = {"text": 0.3, "meaning": 0.3, "tokens": 0.4}
_WITHOUT_VECTOR: Final = 0.9
"""The factor of a text without a vector where others have one."""
_SAME_MEANING: Final = 0.7
"""The cosine from which two texts are taken to have the same meaning."""
_MIN_INTERACTION: Final = 0.02
"""Lower late-interaction scores do not tell candidates apart."""
_COVERAGE_SHARE: Final = 0.8
"""The share of coverage in the relevance of words; the remaining part is the keyword score."""
_NAMED_FILE: Final = 0.97
"""The relevance of a passage of a file that the question names."""
_NEARLY_EQUAL: Final = 0.9
"""The share of common words from which two passages say the same."""
_MAX_PASSAGES: Final = 20
"""Of this many passages, a recall keeps those that are relevant."""
_NUMBER: Final = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class ScoredResult:
    """A ranked text; a minimum score applies to `relevance`, the order follows the score.

    `words` is how well its words match.
    """

    ranked: RankedCandidate
    relevance: float
    words: float

    @property
    def by_keyword(self) -> bool:
        return self.ranked.candidate.keyword > 0


def worth_showing(results: Sequence[ScoredResult]) -> list[ScoredResult]:
    """Return the results, without those that only a vector found and that are not relevant.

    One that ranks above a text that has words of the question is kept.
    """
    last = max((i for i, result in enumerate(results) if result.by_keyword), default=-1)
    return [
        result for i, result in enumerate(results) if i <= last or result.relevance >= MIN_RELEVANCE
    ]


class Relevance:
    """Computes the relevance of candidates; some values are relative to the best one."""

    def __init__(self, candidates: Sequence[Candidate], question: Question) -> None:
        self._named = question.named_files
        self._strongest = max((c.keyword for c in candidates), default=0.0) or 1.0
        self._best_interaction = max((c.late_interaction or 0.0 for c in candidates), default=0.0)

    def found(self, ranked: RankedCandidate) -> ScoredResult:
        candidate = ranked.candidate
        return ScoredResult(ranked, self(candidate), self.of_words(candidate))

    def of_words(self, candidate: Candidate) -> float:
        """Return how well the words of a text match."""
        if candidate.keyword <= 0:
            return 0.0
        from_coverage = _COVERAGE_SHARE * (candidate.coverage or 0.0)
        return min(1.0, from_coverage + (1 - _COVERAGE_SHARE) * candidate.keyword / self._strongest)

    def __call__(self, candidate: Candidate) -> float:
        relevance = self._relevance(candidate, self.of_words(candidate))
        item = candidate.item
        is_named = isinstance(item, Passage) and item.path in self._named
        return max(relevance, _NAMED_FILE) if is_named else relevance

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


def choose(results: Sequence[ScoredResult], limit: int) -> list[ScoredResult]:
    """Return the first results, at most `limit`.

    At most half of them are from transcripts if there are hits in files, and passages that overlap
    or repeat a better one are skipped. Skipped passages are used only if there are too few others,
    but never those that repeat another.
    """
    in_files = any(not result.ranked.passage.is_talk for result in results)
    quota = ceil(limit / 2) if in_files else limit
    chosen_numbers: list[int] = []
    skipped: list[int] = []
    talks = 0
    for i, result in enumerate(results):
        if len(chosen_numbers) == limit:
            break
        passage = result.ranked.passage
        others = [results[j].ranked.passage for j in chosen_numbers]
        if any(repeats(passage, other) for other in others):
            continue
        if (passage.is_talk and talks >= quota) or any(overlaps(passage, o) for o in others):
            skipped.append(i)
            continue
        talks += passage.is_talk
        chosen_numbers.append(i)
    return [results[i] for i in sorted([*chosen_numbers, *skipped[: limit - len(chosen_numbers)]])]


def passages_for_recall(
    ranked: Sequence[RankedCandidate], relevance: Relevance
) -> list[RankedCandidate]:
    """Return the passages for a recall: the first results of a search, and other relevant ones."""
    results = [relevance.found(result) for result in ranked if isinstance(result.item, Passage)]
    shown_results = worth_showing(results)
    first = choose(shown_results, DEFAULT_RESULTS)
    close = [
        result for result in shown_results[:_MAX_PASSAGES] if result.relevance >= MIN_RELEVANCE
    ]
    numbers = {result.ranked.candidate.number for result in (*first, *close)}
    return [result.ranked for result in shown_results if result.ranked.candidate.number in numbers]


def overlaps(one: Passage, other: Passage) -> bool:
    """Return whether two passages of a file share at least half of the shorter one's lines."""
    if one.path != other.path or one.start == one.end == other.start == other.end:
        return False  # different files, or pieces of one long line
    shared = min(one.end, other.end) - max(one.start, other.start) + 1
    return shared * 2 >= min(one.end - one.start, other.end - other.start) + 1


def repeats(one: Passage, other: Passage) -> bool:
    """Return whether two passages say the same; texts that differ in a number do not."""
    if one.text == other.text:
        return True
    first, second = _words(one.text), _words(other.text)
    if not first or not second or len(first ^ second) > len(first | second) / 5:
        return False
    return len(first & second) >= _NEARLY_EQUAL * len(first | second) and _NUMBER.findall(
        one.text
    ) == _NUMBER.findall(other.text)


@lru_cache(maxsize=2_048)
def _words(text: str) -> frozenset[str]:
    return frozenset(words(text))
