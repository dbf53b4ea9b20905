"""Decide whether any result clearly matches a question.

Scores compare the candidates with each other, so that even of texts about something else the best
one has a high score. Here a text is compared with the question alone: how close it is in meaning,
as a whole and word by word, and how much of the question its best statement covers. Words that no
text contains count most, because a question about something unknown has such words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from remem.search.query.question import Question
from remem.search.query.terms import UNKNOWN_WEIGHT, Term, TermCoverage, idf
from remem.search.rank.ranking import SHARE_ACROSS_LANGUAGES, Candidate, RankedCandidate

NO_CLEAR_MATCH: Final = "nothing clearly matches the question; these are the closest"
SIGNAL: Final = "unclear"
_PENALTY: Final = -3.0
"""Lowers all scores alike: of 0.95 to 0.49, of 0.7 to 0.1."""
_MIN_MATCH: Final = 0.54
"""The sum from which a text matches clearly, for both local models (decision 0261)."""
_COVERAGE_WEIGHT: Final = 0.5
_USUAL_INTERACTION: Final = 0.1
"""What late interaction adds to the sum where the model has no token vectors."""
_LISTING_TERMS: Final = 2
"""A question with so few words that names a category, such as "my preferences", asks for a list."""
_MAX_RESULTS: Final = 10


def matches_clearly(
    ranked: Sequence[RankedCandidate], question: Question, terms: Sequence[Term], total: int
) -> bool:
    """Return whether one of the first results clearly matches.

    It is True without vectors, because words alone do not show it, and if a date, a category or the
    name of a file selects the results. `total` is the number of texts in which the terms were
    counted.
    """
    is_listing = question.categories and len(question.terms) <= _LISTING_TERMS
    if question.windows or is_listing or question.named_files:
        return True
    best = best_match((result.candidate for result in ranked), terms, total)
    return best is None or best >= _MIN_MATCH


def with_clarity(
    ranked: list[RankedCandidate], question: Question, terms: Sequence[Term], total: int
) -> tuple[list[RankedCandidate], bool]:
    """Return the results and whether one clearly matches; if none does, all scores are lower."""
    if matches_clearly(ranked, question, terms, total):
        return ranked, True
    return [result.with_change(SIGNAL, _PENALTY) for result in ranked], False


def best_match(candidates: Iterable[Candidate], terms: Sequence[Term], total: int) -> float | None:
    """Return the highest sum of cosine, late interaction and half of the coverage.

    It is None if no candidate has a vector.
    """
    unknown = idf(0, total)
    coverage = TermCoverage(
        [
            replace(term, weight=max(unknown, term.weight))
            if term.weight == UNKNOWN_WEIGHT
            else term
            for term in terms
        ]
    )
    return max(
        (
            _match(candidate.meaning, coverage.share(candidate.item), candidate)
            for candidate in islice(candidates, _MAX_RESULTS)
            if candidate.meaning is not None
        ),
        default=None,
    )


def _match(meaning: float, covered: float, candidate: Candidate) -> float:
    if candidate.other_language:
        covered = max(covered, SHARE_ACROSS_LANGUAGES * meaning)
    interaction = candidate.late_interaction
    return (
        meaning
        + _COVERAGE_WEIGHT * covered
        + (_USUAL_INTERACTION if interaction is None else interaction)
    )
