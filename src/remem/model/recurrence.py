"""What comes back in several conversations? Sightings of one statement, and whether they suffice.

Two sightings are of one statement if they share most of their telling words, and neither a number,
a denial nor a value tells them apart: what contradicts itself does not come back. Every gate has a
reason that can be shown: nothing is taken, or left, without one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from remem.model.entry import Origin
from remem.model.fact_conflicts import opposing
from remem.model.lesson import Lesson
from remem.text.sentence_check import negations
from remem.text.similarity import overlap
from remem.text.words import STOP_WORDS, words

ALIKE: Final = 0.6
LEAST_WORDS: Final = 2
CONVERSATIONS: Final = 2
DAYS: Final = 2
_NUMBER: Final = re.compile(r"\d+(?:[.,:/-]\d+)*")
_ANSWER: Final = re.compile(
    r"\W*(?:no|nein|non|нет|не[,，]|不[是对]?[,，])(?=\W)\W*", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Sighting:
    """A statement as it was made in one conversation; `hint` if it was only thought aloud."""

    lesson: Lesson
    conversation: str
    day: str
    hint: bool = False

    @property
    def origin(self) -> Origin:
        assert self.lesson.origin is not None, "what was said was said somewhere"
        return self.lesson.origin


@dataclass(frozen=True, slots=True)
class Recurring:
    """The sightings of one statement, the earliest first."""

    sightings: tuple[Sighting, ...]

    @property
    def told(self) -> Sighting:
        """The latest wording: whoever repeats himself says it as it stands now. What was told
        outright counts before what was thought aloud."""
        told = [sighting for sighting in self.sightings if not sighting.hint]
        return (told or self.sightings)[-1]

    @property
    def lesson(self) -> Lesson:
        return self.told.lesson

    @property
    def conversations(self) -> int:
        return len({sighting.conversation for sighting in self.sightings})

    @property
    def days(self) -> tuple[str, ...]:
        return tuple(sorted({sighting.day for sighting in self.sightings if sighting.day}))

    @property
    def last_day(self) -> str:
        return max(self.days, default="")

    @property
    def by_a_person(self) -> bool:
        return any(sighting.origin.role == "user" for sighting in self.sightings)


def recurring(sightings: Sequence[Sighting]) -> list[Recurring]:
    """The statements that were made, each with all its sightings, in the order of the first."""
    ordered = sorted(sightings, key=lambda each: (each.day, each.conversation, _place(each)))
    groups: list[list[Sighting]] = []
    telling: list[frozenset[str]] = []
    holding: dict[str, set[int]] = defaultdict(set)
    for sighting in ordered:
        mine = telling_words(sighting.lesson.text)
        near = _alike(mine, telling, holding)
        at = next(
            (at for at in near if says_the_same(groups[at][0].lesson.text, sighting.lesson.text)),
            None,
        )
        if at is None:
            groups.append([])
            telling.append(mine)
            at = len(groups) - 1
            for word in mine:
                holding[word].add(at)
        groups[at].append(sighting)
    return [Recurring(tuple(group)) for group in groups]


def telling_words(text: str) -> frozenset[str]:
    return frozenset(word for word in words(text) if word not in STOP_WORDS)


def why_not(statement: Recurring) -> str | None:
    """The gate that keeps a statement out; None if it has come back often enough."""
    if not statement.by_a_person:
        return "only the agent said it"
    if statement.conversations < CONVERSATIONS:
        return f"said in one conversation; {CONVERSATIONS} are needed"
    if len(statement.days) < DAYS:
        return f"said on one day; {DAYS} are needed"
    return None


def says_the_same(one: str, other: str) -> bool:
    """Of two that share most of their words: whether they mean one thing."""
    return (
        _NUMBER.findall(one) == _NUMBER.findall(other)
        and is_denied(one) == is_denied(other)
        and not opposing(one, other)
    )


def is_denied(text: str) -> bool:
    """Whether a statement says no; a "no" in front only answers what was said before."""
    return negations(_ANSWER.sub("", text)) > 0


def _alike(
    mine: frozenset[str], telling: Sequence[frozenset[str]], holding: dict[str, set[int]]
) -> list[int]:
    """Those with most of these words, the likest first."""
    if len(mine) < LEAST_WORDS:
        return []
    near = {at for word in mine for at in holding.get(word, ())}
    scored = [(overlap(mine, telling[at]), at) for at in near]
    return [
        at for score, at in sorted(scored, key=lambda pair: (-pair[0], pair[1])) if score >= ALIKE
    ]


def _place(sighting: Sighting) -> int:
    return sighting.origin.position or 0
