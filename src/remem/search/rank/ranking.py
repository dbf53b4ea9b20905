"""Which candidate comes first? A short list of named signals, weighted in one place.

The three legs (keywords, meaning, late interaction) are put on one scale within the
candidates and added: their scores are fused, not their ranks. What the store knows about
an entry only moves it between neighbours; age never hides the only right answer.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from math import exp, fsum, log, sqrt
from operator import attrgetter
from typing import Final, NamedTuple

from remem.model.decay import remembered
from remem.model.entry import Entry
from remem.search.query.question import Question
from remem.search.query.terms import asks
from remem.search.rank.context import Kind, Weights, weights_for
from remem.search.rank.signals import OF_ENTRIES, Asked, asked_of, silent
from remem.text.timestamps import day

_KEYWORD_SPREAD: Final = 0.15
_MEANING_SPREAD: Final = 0.05
_TOKENS_SPREAD: Final = 0.02
_LENGTH_SPREAD: Final = 0.2
_ALIKE: Final = 0.7
"""Up to this spread of their logarithms lengths are alike, most of them within half and twice."""
_LEGS: Final = ("keyword", "meaning", "tokens")


class Candidate(NamedTuple):
    """An entry that may answer, with what each leg found; None where a leg has nothing.

    `used` is when it was last read by its id, or cited. `source` is how much of the question
    its conversation says as a whole; `before` is the row that was said right before it. A tuple,
    since each question makes hundreds: a frozen dataclass takes four times as long to make.
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

    def sensed(self, meaning: float | None, tokens: float | None) -> Candidate:
        """With what the model says."""
        return self._replace(meaning=meaning, tokens=tokens)


class Ranked(NamedTuple):
    """An entry with its score, and what each signal gave to it."""

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
    """Best first; ties keep the order of the rows."""
    if not candidates:
        return []
    model = any(candidate.meaning is not None for candidate in candidates)
    asked = asked_of(question, (candidate.entry for candidate in candidates))
    tokens = any(candidate.tokens is not None for candidate in candidates)
    weights = weights_for(model=model, tokens=tokens, without={*without, *silent(asked)})
    legs = _LEGS if model else _LEGS[:1]
    signals = _Signals(candidates, _compared(candidates, weights, legs), asked, day(now))
    ranked = [
        Ranked(each.entry, _squash(fsum(why.values())), why, each.meaning)
        for each, why in zip(candidates, signals.weighed(weights), strict=True)
    ]
    return sorted(ranked, key=attrgetter("score"), reverse=True)


@dataclass(frozen=True, slots=True)
class _Signals:
    """What the signals say of the candidates; `compared` are those that need all of them."""

    candidates: Sequence[Candidate]
    compared: Mapping[str, Sequence[float]]
    asked: Asked
    today: date

    def weighed(self, weights: Mapping[Kind, Weights]) -> list[dict[str, float]]:
        """What each signal gives to each candidate; made signal by signal, which takes half as
        long as candidate by candidate."""
        found: list[dict[str, float]] = [{} for _ in self.candidates]
        for kind in {candidate.kind for candidate in self.candidates}:
            places = [i for i, each in enumerate(self.candidates) if each.kind == kind]
            given = [
                [weight * value for value in self._values(name, places)]
                for name, weight in weights[kind].items()
            ]
            for i, values in zip(places, zip(*given, strict=True), strict=False):
                found[i] = dict(zip(weights[kind], values, strict=True))
        return found

    def _values(self, name: str, places: Sequence[int]) -> list[float]:
        if (values := self.compared.get(name)) is not None:
            return [values[i] for i in places]
        some = [self.candidates[i] for i in places]
        if name == "retention":
            return [remembered(candidate.entry, candidate.used, self.today) for candidate in some]
        says = OF_ENTRIES[name]
        return [says(candidate.entry, self.asked) for candidate in some]


def _compared(
    candidates: Sequence[Candidate], weights: Mapping[Kind, Weights], legs: Sequence[str]
) -> dict[str, list[float]]:
    """The signals that tell something only beside those of the other candidates; those that
    count for none of them are not worked out."""
    wanted = {
        name for kind in {candidate.kind for candidate in candidates} for name in weights[kind]
    }
    if "answer" in wanted:
        wanted.update(legs)
    compared = {name: said(candidates) for name, said in _BESIDE_OTHERS.items() if name in wanted}
    if "answer" in wanted:
        compared["answer"] = _answers(candidates, [compared[leg] for leg in legs])
    return compared


def _keyword(candidates: Sequence[Candidate]) -> list[float]:
    words = [candidate.keyword for candidate in candidates]
    return standard(words, _KEYWORD_SPREAD * max(words))


def _source(candidates: Sequence[Candidate]) -> list[float]:
    sources = [candidate.source for candidate in candidates]
    strongest = max((source for source in sources if source is not None), default=0.0)
    return standard(sources, _KEYWORD_SPREAD * strongest)


def _length(candidates: Sequence[Candidate]) -> list[float]:
    return standard(_lengths(candidates), _LENGTH_SPREAD)


def _brevity(candidates: Sequence[Candidate]) -> list[float]:
    """Where pages stand beside lines, a page is like any question in some of its words: the line
    that is as like says more. The more they differ, the more it counts."""
    lengths = _lengths(candidates)
    beyond = _deviation(lengths) - _ALIKE
    if beyond <= 0:
        return [0.0] * len(lengths)
    return [-beyond * number for number in standard(lengths, _LENGTH_SPREAD)]


def _lengths(candidates: Sequence[Candidate]) -> list[float]:
    return [log(1 + len(candidate.entry.content)) for candidate in candidates]


_BESIDE_OTHERS: Final[dict[str, Callable[[Sequence[Candidate]], list[float]]]] = {
    "keyword": _keyword,
    "meaning": lambda some: standard([candidate.meaning for candidate in some], _MEANING_SPREAD),
    "tokens": lambda some: standard([candidate.tokens for candidate in some], _TOKENS_SPREAD),
    "source": _source,
    "length": _length,
    "brevity": _brevity,
}


def _answers(candidates: Sequence[Candidate], legs: Sequence[Sequence[float]]) -> list[float]:
    """What was asked right before counts for what was answered, as far as the question found it."""
    place = {each.row: i for i, each in enumerate(candidates)}
    values = []
    for candidate in candidates:
        before = place.get(candidate.before) if candidate.before is not None else None
        if before is None or not asks(candidates[before].entry.content):
            values.append(0.0)
        else:
            values.append(max(0.0, fsum(leg[before] for leg in legs) / len(legs)))
    return values


def standard(values: Sequence[float | None], least: float) -> list[float]:
    """Standard scores; what a leg does not know counts as its lowest.

    `least` is the smallest spread that says something: candidates that a leg hardly tells
    apart stay close together, and other signals decide. A lone candidate has nothing to be
    compared with: what found it counts as one.
    """
    if len(values) == 1:
        return [1.0 if values[0] else 0.0]
    lowest = min((value for value in values if value is not None), default=0.0)
    filled = [lowest if value is None else value for value in values]
    mean = fsum(filled) / len(filled)
    spread = max(_deviation(filled), least, 1e-9)
    return [(value - mean) / spread for value in filled]


def _deviation(values: Sequence[float]) -> float:
    mean = fsum(values) / len(values)
    return sqrt(fsum((value - mean) ** 2 for value in values) / len(values))


def _squash(total: float) -> float:
    return 1 / (1 + exp(-max(-30.0, min(30.0, total))))
