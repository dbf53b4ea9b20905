"""Rank candidate entries by a weighted sum of named signals.

The retrieval scores (keywords, meaning, late interaction) are standardised over the candidates and
added. Other information about an entry, such as its age, can only reorder entries with similar
scores, so an old entry that is the only right answer is still found.
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
from remem.search.rank.context import Kind
from remem.search.rank.signals import (
    ENTRY_SIGNALS,
    QuestionContext,
    question_context,
    silent_signals,
    weights_for,
)
from remem.text.timestamps import date_of

_KEYWORD_SPREAD: Final = 0.15
_MEANING_SPREAD: Final = 0.05
_LATE_INTERACTION_SPREAD: Final = 0.02
_LENGTH_SPREAD: Final = 0.2
_SIMILAR_LENGTHS: Final = 0.7
"""The standard deviation of the logarithms up to which lengths are similar: about half to twice
the mean."""
_RETRIEVAL_SIGNALS: Final = ("keyword", "meaning", "tokens")


class Candidate(NamedTuple):
    """An entry that may be the answer, with its retrieval scores; None if there is no score.

    `last_used` is when it was last read by id or cited. `source_coverage` is how much of the
    question its whole conversation covers; `previous_id` is the id of the turn right before it.

    It is a named tuple because each question creates hundreds of candidates, and a frozen dataclass
    takes four times as long to construct.
    """

    entry: Entry
    keyword: float = 0.0
    meaning: float | None = None
    late_interaction: float | None = None
    last_used: str | None = None
    kind: Kind = "note"
    source_coverage: float | None = None
    previous_id: str | None = None


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
    excluded_signals: Collection[str] = frozenset(),
    project: str | None = None,
) -> list[Ranked]:
    """Sort candidates from best to worst; those with equal scores keep their order."""
    if not candidates:
        return []
    model = any(candidate.meaning is not None for candidate in candidates)
    context = question_context(question, (candidate.entry for candidate in candidates), project)
    weights = weights_for(
        model=model,
        late_interaction=any(candidate.late_interaction is not None for candidate in candidates),
        excluded_signals={*excluded_signals, *silent_signals(context)},
    )
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
    """Return the values of the wanted signals, with one value per candidate."""
    relative = {*wanted, *retrieval} if "answer" in wanted else wanted
    values = {
        name: compute(candidates) for name, compute in _RELATIVE_SIGNALS.items() if name in relative
    }
    if "answer" in wanted:
        values["answer"] = _answers(candidates, [values[name] for name in retrieval])
    if "retention" in wanted:
        values["retention"] = [
            current_weight(candidate.entry, candidate.last_used, today) for candidate in candidates
        ]
    for name, signal in ENTRY_SIGNALS.items():
        if name in wanted:
            values[name] = [signal(candidate.entry, context) for candidate in candidates]
    return values


def _keyword(candidates: Sequence[Candidate]) -> list[float]:
    scores = [candidate.keyword for candidate in candidates]
    return standard_scores(scores, _KEYWORD_SPREAD * max(scores))


def _source(candidates: Sequence[Candidate]) -> list[float]:
    shares = [candidate.source_coverage for candidate in candidates]
    highest = max((share for share in shares if share is not None), default=0.0)
    return standard_scores(shares, _KEYWORD_SPREAD * highest)


def _length(candidates: Sequence[Candidate]) -> list[float]:
    return standard_scores(_lengths(candidates), _LENGTH_SPREAD)


def _brevity(candidates: Sequence[Candidate]) -> list[float]:
    """Prefer short texts if lengths differ widely.

    When short lines compete with whole pages, a page shares some words with almost any question, so
    a line with the same score is the better match.
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
    "meaning": lambda candidates: standard_scores(
        [candidate.meaning for candidate in candidates], _MEANING_SPREAD
    ),
    "tokens": lambda candidates: standard_scores(
        [candidate.late_interaction for candidate in candidates], _LATE_INTERACTION_SPREAD
    ),
    "source": _source,
    "length": _length,
    "brevity": _brevity,
}


def _answers(candidates: Sequence[Candidate], retrieval: Sequence[Sequence[float]]) -> list[float]:
    """Return, for a reply to a question, the mean retrieval score of that question; else 0."""
    position = {candidate.entry.id: i for i, candidate in enumerate(candidates)}
    values = []
    for candidate in candidates:
        id_ = candidate.previous_id
        previous = position.get(id_) if id_ is not None else None
        if previous is None or not is_question(candidates[previous].entry.content):
            values.append(0.0)
        else:
            values.append(max(0.0, fsum(scores[previous] for scores in retrieval) / len(retrieval)))
    return values


def standard_scores(values: Sequence[float | None], min_spread: float) -> list[float]:
    """Return standard scores; a missing value counts as the lowest one.

    `min_spread` is the smallest meaningful spread: nearly equal values get nearly equal scores, so
    that other signals decide. A single candidate cannot be compared with others: it gets 1 for each
    signal that found it.
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
