"""Derive suggestions from the owner's earlier verdicts on similar items.

Similar items are under the same heading, or else in the same file, or else of the same category. If
there are several verdicts on similar items and nearly all agree, the same answer is proposed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from remem.model.entry import Entry, headings_in
from remem.model.verdict import Answer, Topic, Verdict

_MIN_VERDICTS: Final = 3
_MIN_SHARE: Final = 0.8
_TRANSFERABLE_ANSWERS: Final[tuple[Answer, ...]] = ("keep", "drop", "pin")
"""Answers that may also apply to similar items, unlike a rewording."""


class Habit(NamedTuple):
    """An answer that the owner usually gives, and a sentence about the verdicts that show this."""

    answer: Answer
    why: str


class Habits:
    """The number of times each answer was given on a topic, by the features of the items.

    A proposal counts once the owner has decided on it.
    """

    def __init__(self, verdicts: Iterable[Verdict], entries: Mapping[str, Entry]) -> None:
        self._counts: dict[tuple[Topic, str], Counter[Answer]] = {}
        for verdict in verdicts:
            if (answer := _owners_answer(verdict)) is None:
                continue
            entry_ids = verdict.entries if verdict.answer == "page" else verdict.entries[:1]
            for entry in (entries[id_] for id_ in entry_ids if id_ in entries):
                for feature in _features(entry):
                    self._counts.setdefault((verdict.topic, feature), Counter())[answer] += 1

    def usual_answer(self, topic: Topic, entry: Entry) -> Habit | None:
        """Return the owner's usual answer to items like this one, if there is one."""
        for feature in _features(entry):
            counts = self._counts.get((topic, feature))
            total = counts.total() if counts else 0
            if counts is None or total < _MIN_VERDICTS:
                continue
            answer, number = counts.most_common(1)[0]
            if number >= _MIN_SHARE * total:
                why = f"the owner's verdict on {number} of {total} items {feature} was {answer}"
                return Habit(answer, why)
            return None
        return None


def _owners_answer(verdict: Verdict) -> Answer | None:
    """Return the answer that a verdict shows, or None if it says nothing about similar items.

    It is None for an undecided verdict too. Declining a change means keeping the item as it is.
    """
    if verdict.answer == "page":
        return "keep" if verdict.in_force else None
    if verdict.answer not in _TRANSFERABLE_ANSWERS:
        return None
    if verdict.state == "applied":
        return verdict.answer
    return "keep" if verdict.state == "declined" else None


def _features(entry: Entry) -> Iterator[str]:
    """Yield the features that an entry may share with others, the most specific first."""
    source = entry.origins[0].source if entry.origins else ""
    if headings := headings_in(entry.context):
        yield f"under “{headings[-1]}” in {source or 'a file'}"
    if source:
        yield f"from {source}"
    yield f"of the category {entry.category}"
