"""Rank candidate entries by a weighted sum of named signals.

The retrieval scores (keywords, meaning, late interaction) are standardised among the candidates and
added: scores are fused, not ranks. What the store knows about an entry only moves it between
neighbours; age never hides the only right answer.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date
from math import exp, fsum, log, sqrt
from operator import attrgetter
from typing import Final, NamedTuple

from remem.model.decay import current_weight
from remem.model.entry import Entry
from remem.search.query.question import Question
from remem.search.query.terms import is_question
from remem.search.rank.context import Kind, weights_for
from remem.search.rank.signals import (
    ENTRY_SIGNALS,
    QuestionContext,
    question_context,
    silent_signals,
)
from remem.text.timestamps import date_of

_KEYWORD_SPREAD: Final = 0.15
_MEANING_SPREAD: Final = 0.05
_TOKENS_SPREAD: Final = 0.02
_LENGTH_SPREAD: Final = 0.2
_SIMILAR_LENGTHS: Final = 0.7
"""Lengths are similar up to this deviation of their logarithms: about half to twice the mean."""
_RETRIEVAL_SIGNALS: Final = ("keyword", "meaning", "tokens")


class Candidate(NamedTuple):
    """An entry that may answer, with its retrieval scores; None where there is no score.

    `used` is when it was last read by id or cited. `source` is how much of the question its whole
    conversation covers; `before` is the row that was said right before it. A tuple, because each
    question makes hundreds and a frozen dataclass takes four times as long to construct.
    """

    row: int
    entry: Entry
    keyword: float = 0.0
    meaning: float | None = None
    tokens: float | None = None
    used: str | None = None
    kind: Kind = "note"
    source: float | None = None
    before: int | None = None

    def with_model_scores(self, meaning: float | None, tokens: float | None) -> Candidate:
        return self._replace(meaning=meaning, tokens=tokens)


class Ranked(NamedTuple):
    """An entry with its score and the contribution of each signal."""

    entry: Entry
    score: float
    why: Mapping[str, float]
    cosine: float | None = None


def rank(
    candidates: Sequence[Candidate],
    question: Question,
    now: str,
    without: Collection[str] = frozenset(),
) -> list[Ranked]:
    """Rank best first; ties keep the order of the rows."""
    if not candidates:
        return []
    model = any(candidate.meaning is not None for candidate in candidates)
    context = question_context(question, (candidate.entry for candidate in candidates))
    tokens = any(candidate.tokens is not None for candidate in candidates)
    weights = weights_for(model=model, tokens=tokens, without={*without, *silent_signals(context)})
    retrieval = _RETRIEVAL_SIGNALS if model else _RETRIEVAL_SIGNALS[:1]
    wanted = {
        name for kind in {candidate.kind for candidate in candidates} for name in weights[kind]
    }
    values = _signal_values(candidates, wanted, retrieval, context, date_of(now))
    ranked = []
    for i, candidate in enumerate(candidates):
        kind_weights = weights[candidate.kind]
        why = {name: weight * values[name][i] for name, weight in kind_weights.items()}
        ranked.append(Ranked(candidate.entry, _squash(fsum(why.values())), why, candidate.meaning))
    return sorted(ranked, key=attrgetter("score"), reverse=True)


def _signal_values(
    candidates: Sequence[Candidate],
    wanted: Collection[str],
    retrieval: Sequence[str],
    context: QuestionContext,
    today: date,
) -> dict[str, list[float]]:
    """Return the values of each wanted signal, one per candidate."""
    relative = {*wanted, *retrieval} if "answer" in wanted else wanted
    values = {
        name: compute(candidates) for name, compute in _RELATIVE_SIGNALS.items() if name in relative
    }
    if "answer" in wanted:
        values["answer"] = _answers(candidates, [values[name] for name in retrieval])
    if "retention" in wanted:
        values["retention"] = [
            current_weight(candidate.entry, candidate.used, today) for candidate in candidates
        ]
    for name, signal in ENTRY_SIGNALS.items():
        if name in wanted:
            values[name] = [signal(candidate.entry, context) for candidate in candidates]
    return values


def _keyword(candidates: Sequence[Candidate]) -> list[float]:
    words = [candidate.keyword for candidate in candidates]
    return standard_scores(words, _KEYWORD_SPREAD * max(words))


def _source(candidates: Sequence[Candidate]) -> list[float]:
    sources = [candidate.source for candidate in candidates]
    strongest = max((source for source in sources if source is not None), default=0.0)
    return standard_scores(sources, _KEYWORD_SPREAD * strongest)


def _length(candidates: Sequence[Candidate]) -> list[float]:
    return standard_scores(_lengths(candidates), _LENGTH_SPREAD)


def _brevity(candidates: Sequence[Candidate]) -> list[float]:
    """Prefer short texts where lengths differ widely.

    Among lines, a page shares some words with any question, so an equally similar line says more.
    """
    lengths = _lengths(candidates)
    excess = _deviation(lengths) - _SIMILAR_LENGTHS
    if excess <= 0:
        return [0.0] * len(lengths)
    return [-excess * number for number in standard_scores(lengths, _LENGTH_SPREAD)]


def _lengths(candidates: Sequence[Candidate]) -> list[float]:
    return [log(1 + len(candidate.entry.content)) for candidate in candidates]


_RELATIVE_SIGNALS: Final[dict[str, Callable[[Sequence[Candidate]], list[float]]]] = {
    "keyword": _keyword,
    "meaning": lambda some: standard_scores(
        [candidate.meaning for candidate in some], _MEANING_SPREAD
    ),
    "tokens": lambda some: standard_scores(
        [candidate.tokens for candidate in some], _TOKENS_SPREAD
    ),
    "source": _source,
    "length": _length,
    "brevity": _brevity,
}


def _answers(candidates: Sequence[Candidate], retrieval: Sequence[Sequence[float]]) -> list[float]:
    """Give an answer the scores of the question that was asked right before it."""
    position = {candidate.row: i for i, candidate in enumerate(candidates)}
    values = []
    for candidate in candidates:
        previous = position.get(candidate.before) if candidate.before is not None else None
        if previous is None or not is_question(candidates[previous].entry.content):
            values.append(0.0)
        else:
            values.append(max(0.0, fsum(scores[previous] for scores in retrieval) / len(retrieval)))
    return values


def standard_scores(values: Sequence[float | None], min_spread: float) -> list[float]:
    """Return standard scores; a missing value counts as the lowest.

    `min_spread` is the smallest meaningful spread: candidates with nearly equal values stay close
    together, and other signals decide. A single candidate has nothing to compare with: it gets 1
    for each signal that found it.
    """
    if len(values) == 1:
        return [1.0 if values[0] else 0.0]
    lowest = min((value for value in values if value is not None), default=0.0)
    filled = [lowest if value is None else value for value in values]
    mean = fsum(filled) / len(filled)
    spread = max(_deviation(filled), min_spread, 1e-9)
    return [(value - mean) / spread for value in filled]


def _deviation(values: Sequence[float]) -> float:
    mean = fsum(values) / len(values)
    return sqrt(fsum((value - mean) ** 2 for value in values) / len(values))


def _squash(total: float) -> float:
    return 1 / (1 + exp(-max(-30.0, min(30.0, total))))
