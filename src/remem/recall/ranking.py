"""Which candidate comes first? A short list of named signals, weighted in one place.

The three legs (keywords, meaning, late interaction) are put on one scale within the
candidates and added: their scores are fused, not their ranks. What the store knows about
an entry only moves it between neighbours; age never hides the only right answer.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import exp, fsum, log, sqrt
from operator import attrgetter
from typing import Final

from remem.core.decay import remembered
from remem.core.entry import Entry
from remem.core.moments import day
from remem.recall.cues import asks
from remem.recall.question import Question
from remem.recall.signals import OF_ENTRIES, asked_of, silent
from remem.recall.weights import Kind, weights_for

_KEYWORD_SPREAD: Final = 0.15
_MEANING_SPREAD: Final = 0.05
_TOKENS_SPREAD: Final = 0.02
_LENGTH_SPREAD: Final = 0.2
_LEGS: Final = ("keyword", "meaning", "tokens")


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entry that may answer, with what each leg found; None where a leg has nothing.

    `used` is when it was last read by its id, or cited. `source` is how much of the question
    its conversation says as a whole; `before` is the row that was said right before it.
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
        """With what the model says; made anew by hand, since there are hundreds of them."""
        return Candidate(
            self.row,
            self.entry,
            self.keyword,
            meaning,
            tokens,
            self.used,
            self.kind,
            self.source,
            self.before,
        )


@dataclass(frozen=True, slots=True)
class Ranked:
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
    model = any(each.meaning is not None for each in candidates)
    asked = asked_of(question, (each.entry for each in candidates))
    tokens = any(each.tokens is not None for each in candidates)
    weights = weights_for(model=model, tokens=tokens, without={*without, *silent(asked)})
    compared = _compared(candidates)
    compared["answer"] = _answers(candidates, [compared[leg] for leg in _LEGS[: 3 if model else 1]])
    today = day(now)
    ranked = []
    for i, each in enumerate(candidates):
        entry = each.entry
        why: dict[str, float] = {}
        for name, weight in weights[each.kind].items():
            if (values := compared.get(name)) is not None:
                value = values[i]
            elif name == "retention":
                value = remembered(entry, each.used, today)
            else:
                value = OF_ENTRIES[name](entry, asked)
            why[name] = weight * value
        ranked.append(Ranked(entry, _squash(fsum(why.values())), why, each.meaning))
    return sorted(ranked, key=attrgetter("score"), reverse=True)


def _compared(candidates: Sequence[Candidate]) -> dict[str, list[float]]:
    """The signals that tell something only beside those of the other candidates."""
    words = [each.keyword for each in candidates]
    sources = [each.source for each in candidates]
    strongest = max((each for each in sources if each is not None), default=0.0)
    lengths = [log(1 + len(each.entry.content)) for each in candidates]
    return {
        "keyword": standard(words, _KEYWORD_SPREAD * max(words)),
        "meaning": standard([each.meaning for each in candidates], _MEANING_SPREAD),
        "tokens": standard([each.tokens for each in candidates], _TOKENS_SPREAD),
        "source": standard(sources, _KEYWORD_SPREAD * strongest),
        "length": standard(lengths, _LENGTH_SPREAD),
    }


def _answers(candidates: Sequence[Candidate], legs: Sequence[Sequence[float]]) -> list[float]:
    """What was asked right before counts for what was answered, as far as the question found it."""
    place = {each.row: i for i, each in enumerate(candidates)}
    values = []
    for each in candidates:
        before = place.get(each.before) if each.before is not None else None
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
    deviation = sqrt(fsum((value - mean) ** 2 for value in filled) / len(filled))
    spread = max(deviation, least, 1e-9)
    return [(value - mean) / spread for value in filled]


def _squash(total: float) -> float:
    return 1 / (1 + exp(-max(-30.0, min(30.0, total))))
