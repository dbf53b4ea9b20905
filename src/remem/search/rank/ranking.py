"""Rank entries and passages together, by a weighted sum of named signals.

The retrieval scores (keywords, meaning, late interaction) are standardised over the candidates and
added. Other information about a text, such as its age, can only reorder texts with similar scores,
so an old text that is the only right answer is still found. A text without vectors is ranked by its
words, with the weights of a search without a model.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date
from math import exp, fsum, log, sqrt
from operator import itemgetter
from typing import Final, NamedTuple

from remem.model.decay import current_weight
from remem.model.entry import Entry
from remem.model.passage import Passage
from remem.ports.models import Floats
from remem.search.query.question import Question
from remem.search.query.terms import is_question
from remem.search.rank.context import Kind
from remem.search.rank.signals import (
    TEXT_SIGNALS,
    QuestionContext,
    passage_day,
    question_context,
    silent_signals,
    text_of,
)
from remem.search.rank.weights import weights_by_scores
from remem.text.timestamps import date_of

_KEYWORD_SPREAD: Final = 0.15
_MEANING_SPREAD: Final = 0.05
_LATE_INTERACTION_SPREAD: Final = 0.02
_LENGTH_SPREAD: Final = 0.2
_SIMILAR_LENGTHS: Final = 0.7
"""The standard deviation of the logarithms up to which lengths are similar: about half to twice
the mean."""
_COVERAGE_SPREAD: Final = 0.1
_HALF_LIFE_DAYS: Final = 180.0
_SIGNALS_OF_WORDS: Final = ("keyword", "tokens", "coverage")
SHARE_ACROSS_LANGUAGES: Final = 0.85
"""How well the meaning of a text predicts how well its words would match in one language."""
_RETRIEVAL_SIGNALS: Final = ("keyword", "meaning", "tokens")


class Candidate(NamedTuple):
    """An entry or passage that may be the answer, with its retrieval scores.

    A score is None if it does not exist. `keyword` is between 0 and 1. `number` is the number of a
    passage, `pooled` the vector of its meaning. `coverage` is how much of the question the best
    statement of the text covers. `other_language` says that it may share no word with the question
    because its language is another one. `last_used` is when an entry was last read by id or cited.
    `source_coverage` is how much of the question its whole conversation covers; `previous_id` is
    the id of the turn right before it.

    It is a named tuple because each question creates hundreds of candidates, and a frozen dataclass
    takes four times as long to construct.
    """

    item: Entry | Passage
    keyword: float = 0.0
    meaning: float | None = None
    late_interaction: float | None = None
    last_used: str | None = None
    kind: Kind = "note"
    source_coverage: float | None = None
    previous_id: str | None = None
    coverage: float | None = None
    number: int | None = None
    pooled: Floats | None = None
    other_language: bool = False

    @property
    def entry(self) -> Entry:
        assert isinstance(self.item, Entry)
        return self.item

    @property
    def passage(self) -> Passage:
        assert isinstance(self.item, Passage)
        return self.item

    def with_vectors(
        self, meaning: float, late_interaction: float | None, pooled: Floats, other_language: bool
    ) -> Candidate:
        """Return the candidate with its vector scores; written out, because `_replace` is slow."""
        return Candidate(
            self.item,
            self.keyword,
            meaning,
            late_interaction,
            self.last_used,
            self.kind,
            self.source_coverage,
            self.previous_id,
            self.coverage,
            self.number,
            pooled,
            other_language,
        )


class RankedCandidate(NamedTuple):
    """A candidate with its score and the contribution of each signal.

    `earlier` says that a newer text among the results speaks of the same thing; `outdated_by` is
    the id of a replaced memory that it builds on.
    """

    candidate: Candidate
    score: float
    why: Mapping[str, float]
    earlier: bool = False
    outdated_by: str | None = None

    @property
    def item(self) -> Entry | Passage:
        return self.candidate.item

    @property
    def entry(self) -> Entry:
        return self.candidate.entry

    @property
    def passage(self) -> Passage:
        return self.candidate.passage

    @property
    def total(self) -> float:
        """The sum of the signals, from which the score follows."""
        return fsum(self.why.values())

    def with_change(self, signal: str, value: float) -> RankedCandidate:
        """Return the same candidate with `value` added for a signal."""
        why = {**self.why, signal: self.why.get(signal, 0.0) + value}
        return self._replace(score=squash(fsum(why.values())), why=why)


def rank(
    candidates: Sequence[Candidate],
    question: Question,
    now: str,
    excluded_signals: Collection[str] = frozenset(),
    project: str | None = None,
) -> list[RankedCandidate]:
    """Sort candidates from best to worst; those with equal sums of signals keep their order."""
    if not candidates:
        return []
    today = date_of(now)
    context = question_context(question, candidates, project)
    excluded = {*excluded_signals, *silent_signals(context)}
    has_scores = [(c.meaning is not None, c.late_interaction is not None) for c in candidates]
    weights = weights_by_scores(set(has_scores), excluded)
    retrieval = (
        _RETRIEVAL_SIGNALS if any(model for model, _ in has_scores) else _RETRIEVAL_SIGNALS[:1]
    )
    rows = [weights[scores][c.kind] for scores, c in zip(has_scores, candidates, strict=True)]
    names = {name for row in rows for name in row}
    values = _signal_values(candidates, names, retrieval, context, today)
    ranked: list[tuple[float, RankedCandidate]] = []
    for i, (candidate, row) in enumerate(zip(candidates, rows, strict=True)):
        why = {name: weight * values[name][i] for name, weight in row.items()}
        total = fsum(why.values())
        ranked.append((total, RankedCandidate(candidate, squash(total), why)))
    # By the sum: scores near 1, as of the texts of a file that the question names, are equal.
    return [result for _, result in sorted(ranked, key=itemgetter(0), reverse=True)]


def _signal_values(
    candidates: Sequence[Candidate],
    names: Collection[str],
    retrieval: Sequence[str],
    context: QuestionContext,
    today: date,
) -> dict[str, list[float]]:
    """Return the values of the wanted signals, with one value per candidate."""
    relative = {*names, *retrieval} if "answer" in names else names
    values = {
        name: compute(candidates) for name, compute in _RELATIVE_SIGNALS.items() if name in relative
    }
    _bridge_languages(candidates, values)
    if "answer" in names:
        values["answer"] = _answers(candidates, [values[name] for name in retrieval])
    if "retention" in names:
        values["retention"] = [_retention(candidate, today) for candidate in candidates]
    for name, signal in TEXT_SIGNALS.items():
        if name in names:
            values[name] = [signal(candidate.item, context) for candidate in candidates]
    return values


def _bridge_languages(candidates: Sequence[Candidate], values: dict[str, list[float]]) -> None:
    """Let the meaning of texts in another language than the question's stand for their words.

    Words of two languages hardly match, so that every text in the question's language would come
    before the answer.
    """
    meaning = values.get("meaning")
    if meaning is None:
        return
    for i, candidate in enumerate(candidates):
        if candidate.other_language:
            least = SHARE_ACROSS_LANGUAGES * meaning[i]
            for name in _SIGNALS_OF_WORDS:
                if name in values:
                    values[name][i] = max(values[name][i], least)


def _retention(candidate: Candidate, today: date) -> float:
    """Return how much weight age has left a text; undated and curated passages keep all of it."""
    item = candidate.item
    if isinstance(item, Entry):
        return current_weight(item, candidate.last_used, today)
    day = passage_day(item)
    if item.curated or day is None:
        return 1.0
    return float(2 ** (-max(0, (today - day).days) / _HALF_LIFE_DAYS))


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
    return [log(1 + len(text_of(candidate.item))) for candidate in candidates]


_RELATIVE_SIGNALS: Final[dict[str, Callable[[Sequence[Candidate]], list[float]]]] = {
    "keyword": _keyword,
    "meaning": lambda candidates: standard_scores(
        [candidate.meaning for candidate in candidates], _MEANING_SPREAD
    ),
    "tokens": lambda candidates: standard_scores(
        [candidate.late_interaction for candidate in candidates], _LATE_INTERACTION_SPREAD
    ),
    "source": _source,
    "coverage": lambda candidates: standard_scores(
        [candidate.coverage for candidate in candidates], _COVERAGE_SPREAD
    ),
    "length": _length,
    "brevity": _brevity,
}


def _answers(candidates: Sequence[Candidate], retrieval: Sequence[Sequence[float]]) -> list[float]:
    """Return, for a reply to a question, the mean retrieval score of that question; else 0."""
    position = {
        candidate.item.id: i
        for i, candidate in enumerate(candidates)
        if isinstance(candidate.item, Entry)
    }
    values = []
    for candidate in candidates:
        id_ = candidate.previous_id
        previous = position.get(id_) if id_ is not None else None
        if previous is None or not is_question(text_of(candidates[previous].item)):
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


def squash(total: float) -> float:
    """Return a sum of signals as a score between 0 and 1."""
    return 1 / (1 + exp(-max(-30.0, min(30.0, total))))
