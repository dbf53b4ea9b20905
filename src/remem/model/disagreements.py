"""Which statements of several conversations cannot both hold? Each pair is told, none is settled.

What one thing is said to be in two ways, and what is said here and taken back there. Only what was
told outright counts, by a person, and not twice in one conversation: there he has corrected
himself. The rules are those of facts and of the audit.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Final

from remem.model.contradictions import contradictions
from remem.model.fact_conflicts import Valued, denies, takes_back, values_of
from remem.model.recurrence import Recurring, telling_words
from remem.text.words import fold, words

_ANYBODY: Final = re.compile(
    r"(?:he|she|it|they|this|that|these|those|there|an?|one|some|er|sie|es|il|elle|on|él|ella|он|"
    r"она|оно|они|他|她|它|这|那)\b"
    r"|my (?:\w+ )?(?:friend|colleague|co-?worker|cousin|neighbou?r|client|student|aunt|uncle)\b",
    re.IGNORECASE,
)
"""Who is meant by these is another one in another conversation."""
_SPEAKER: Final = re.compile(
    r"(?:i|we|my|our|me|ich|wir|mein\w*|unser\w*|je|nous|mon|ma|notre|yo|mi|nuestr\w+|я|мы|мой|"
    r"моя|наш\w*)\b|j['’]|我|私|僕",
    re.IGNORECASE,
)
_MOST_ALIKE: Final = 200
"""So many statements that share a word are looked through for what one of them takes back."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Two statements, the earlier one first, and the rule by which they disagree."""

    earlier: Recurring
    later: Recurring
    rule: str

    @property
    def why(self) -> str:
        first, second = self.earlier.last_day, self.later.last_day
        if not first or not second or first == second:
            return "no dates decide: say which one stands"
        return f"the second is the later one ({second} after {first})"


@dataclass(frozen=True)
class _Claim:
    """A statement as the audit's rules read it."""

    of: Recurring

    text = said = property(lambda self: self.of.lesson.text)
    path = source = property(lambda self: self.of.told.origin.source)
    start = property(lambda self: self.of.told.origin.position or 0)
    day = property(lambda self: self.of.last_day or None)
    headings: tuple[str, ...] = ()
    parent: str | None = None
    struck: bool = False

    @cached_property
    def words(self) -> list[str]:
        return words(self.of.lesson.text)

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        return frozenset(self.words)


def disagreements(said: Sequence[Recurring], *, one_speaker: bool) -> list[Disagreement]:
    """Every pair that cannot both hold, once. Where several people speak, what each says of
    himself contradicts nobody."""
    outright = [recurring for recurring in said if _counts(recurring, one_speaker=one_speaker)]
    found: dict[frozenset[str], Disagreement] = {}
    for one, other, rule in (*_two_values(outright), *_taken_back(outright), *_clashing(outright)):
        pair = frozenset((fold(one.lesson.text), fold(other.lesson.text)))
        if len(pair) == 2 and not _within_one(one, other):
            first, second = sorted((one, other), key=lambda each: each.last_day)
            found.setdefault(pair, Disagreement(first, second, rule))
    return list(found.values())


def _counts(statement: Recurring, *, one_speaker: bool) -> bool:
    text = statement.lesson.text
    if statement.told.hint or not statement.by_a_person or _ANYBODY.match(text):
        return False
    return one_speaker or not _SPEAKER.match(text)


def _within_one(one: Recurring, other: Recurring) -> bool:
    return len({sighting.conversation for sighting in (*one.sightings, *other.sightings)}) == 1


def _two_values(said: Iterable[Recurring]) -> Iterator[tuple[Recurring, Recurring, str]]:
    by_thing: dict[str, list[tuple[Valued, Recurring]]] = defaultdict(list)
    for recurring in said:
        for value in values_of(recurring.lesson.text):
            by_thing[value.thing].append((value, recurring))
    for thing, some in by_thing.items():
        for (mine, one), (its, other) in combinations(some[-_MOST_ALIKE:], 2):
            if mine.excludes(its):
                yield one, other, f"two values for one thing: {thing}"


def _taken_back(said: Sequence[Recurring]) -> Iterator[tuple[Recurring, Recurring, str]]:
    """Whatever takes something back has nearly all of its words: the rarest one leads to it."""
    holding: dict[str, list[Recurring]] = defaultdict(list)
    for recurring in said:
        for word in telling_words(recurring.lesson.text):
            holding[word].append(recurring)
    for recurring in said:
        if not denies(recurring.lesson.text):
            continue
        near = {
            id(other): other
            for word in telling_words(recurring.lesson.text)
            if len(holding[word]) <= _MOST_ALIKE
            for other in holding[word]
        }
        for other in near.values():
            if rule := takes_back(recurring.lesson.text, other.lesson.text):
                yield other, recurring, rule


def _clashing(said: Sequence[Recurring]) -> Iterator[tuple[Recurring, Recurring, str]]:
    for clash in contradictions([_Claim(recurring) for recurring in said]):
        if isinstance(clash.a, _Claim) and isinstance(clash.b, _Claim):
            yield clash.a.of, clash.b.of, clash.rule
