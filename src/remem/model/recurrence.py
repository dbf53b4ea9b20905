"""Group statements that recur in several conversations, and decide whether to accept them.

Two sightings belong to one statement if they share most of their content words and do not differ
in a number, a negation or a value: contradictions are not repetitions. A statement that is not
accepted always has a reason that can be shown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from remem.model.contradictions import conflict_rule
from remem.model.entry import Origin
from remem.model.lesson import Lesson
from remem.text.sentence_check import negations
from remem.text.similarity import group_similar
from remem.text.words import content_words

MIN_OVERLAP: Final = 0.65
"""The share of content words that two sightings of one statement have in common."""
MIN_WORDS: Final = 3
MIN_CONVERSATIONS: Final = 2
MIN_DAYS: Final = 2
_NUMBER: Final = re.compile(r"\d+(?:[.,:/-]\d+)*")
_WISH: Final = re.compile(
    r"(?:i['’]?m|i am) (?:looking for|trying to|hoping to|wondering)\b|ich suche\b|je cherche\b|"
    r"(?:estoy )?busc(?:o|ando)\b|я ищу\b|我(?:在|想)找",
    re.IGNORECASE,
)
_ANSWER: Final = re.compile(
    r"\W*(?:no|nein|non|нет|не[,，]|不[是对]?[,，])(?=\W)\W*", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class ConversationSighting:
    """A statement as it was made in one conversation; a `hint` was only mentioned in passing."""

    lesson: Lesson
    conversation: str
    day: str
    hint: bool = False

    @property
    def origin(self) -> Origin:
        assert self.lesson.origin is not None, "a sighting has an origin"
        return self.lesson.origin


@dataclass(frozen=True, slots=True)
class RecurringStatement:
    """The sightings of one statement, earliest first."""

    sightings: tuple[ConversationSighting, ...]

    @property
    def latest(self) -> ConversationSighting:
        """The latest sighting, which has the current wording; a hint only if all are hints."""
        statements = [sighting for sighting in self.sightings if not sighting.hint]
        return (statements or self.sightings)[-1]

    @property
    def lesson(self) -> Lesson:
        return self.latest.lesson

    @property
    def conversations(self) -> int:
        """The number of conversations in which the statement was made."""
        return len({sighting.conversation for sighting in self.sightings})

    @property
    def days(self) -> tuple[str, ...]:
        """The days on which the statement was made, in order."""
        return tuple(sorted({sighting.day for sighting in self.sightings if sighting.day}))

    @property
    def last_day(self) -> str:
        return max(self.days, default="")

    @property
    def by_a_person(self) -> bool:
        """Whether a person, and not only the agent, made the statement."""
        return any(sighting.origin.role == "user" for sighting in self.sightings)


def group_sightings(sightings: Sequence[ConversationSighting]) -> list[RecurringStatement]:
    """Group sightings by statement, in the order of the first sighting."""
    ordered = sorted(
        sightings, key=lambda sighting: (sighting.day, sighting.conversation, _position(sighting))
    )
    word_sets = [set(content_words(sighting.lesson.text)) for sighting in ordered]
    comparable = [own if len(own) >= MIN_WORDS else set[str]() for own in word_sets]

    def same(one: int, other: int) -> bool:
        return is_same_statement(ordered[one].lesson.text, ordered[other].lesson.text)

    groups = group_similar(comparable, MIN_OVERLAP, same)
    return [RecurringStatement(tuple(ordered[at] for at in group)) for group in groups]


def rejection_reason(statement: RecurringStatement) -> str | None:
    """Return why a statement is not accepted; None if it has recurred often enough."""
    if not statement.by_a_person:
        return "only the agent said it"
    if _WISH.match(statement.lesson.text):
        return "asks for something that was wanted at that moment"
    if statement.conversations < MIN_CONVERSATIONS:
        return f"said in one conversation; {MIN_CONVERSATIONS} are needed"
    if len(statement.days) < MIN_DAYS:
        return f"said on one day; {MIN_DAYS} are needed"
    return None


def is_same_statement(one: str, other: str) -> bool:
    """Return whether two statements have the same numbers and do not contradict each other.

    Statements that also share most of their words mean the same.
    """
    return (
        _NUMBER.findall(one) == _NUMBER.findall(other)
        and is_denied(one) == is_denied(other)
        and not conflict_rule(one, other)
    )


def is_denied(text: str) -> bool:
    """Return whether a statement is negated.

    A leading "no" only answers what was said before, and does not count.
    """
    return negations(_ANSWER.sub("", text)) > 0


def _position(sighting: ConversationSighting) -> int:
    return sighting.origin.position or 0
