"""What speaks for an entry beside the legs that found it? One small function for each signal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from math import exp, log2
from typing import Final

from remem.model.entry import ASSISTANT, Entry
from remem.search.query.question import Question
from remem.search.query.terms import asks, asks_of_assistant, asks_when, tells_a_time, the_one_meant
from remem.search.rank.context import role_of, speaker_of
from remem.text.dates import Window
from remem.text.timestamps import day
from remem.text.words import fold, words

_PRIORITY: Final = {"critical": 2.0, "high": 1.0, "medium": 0.0, "low": -1.0}
_AFTER_DAYS: Final = 12.0


@dataclass(frozen=True, slots=True)
class Asked:
    """A question in the light of who speaks in this memory."""

    question: Question
    person: str | None
    when: bool
    of_assistant: bool


def asked_of(question: Question, entries: Iterable[Entry]) -> Asked:
    speakers = {name for entry in entries if (name := speaker_of(entry))}
    return Asked(
        question,
        the_one_meant([*words(question.as_spelled), *words(question.text)], speakers),
        asks_when(question.text),
        asks_of_assistant(question.text),
    )


def _person(entry: Entry, asked: Asked) -> float:
    """The person that the question means spoke, or the entry is tagged with the name."""
    if asked.person is not None:
        return float(speaker_of(entry) == asked.person)
    names = asked.question.names
    return float(len(names) == 1 and bool(names & {fold(tag) for tag in entry.tags}))


def _date(entry: Entry, asked: Asked) -> float:
    """Said within the days that the question names, or soon after them."""
    windows = asked.question.windows
    return in_days(day(entry.created_at), windows) if windows else 0.0


def in_days(said: date, windows: Sequence[Window]) -> float:
    """One within the windows, less with every day after them."""
    late = min(
        0 if window.first <= said <= window.last else _days_after(said, window.first, window.last)
        for window in windows
    )
    return exp(-late / _AFTER_DAYS) if late < 5 * _AFTER_DAYS else 0.0


def _days_after(said: date, first: date, last: date) -> int:
    return (said - last).days if said > last else 100 * (first - said).days


def _when(entry: Entry, asked: Asked) -> float:
    """It is asked when, and this tells a time."""
    return float(asked.when and tells_a_time(entry.content))


def _asks(entry: Entry, _: Asked) -> float:
    """A question is seldom the answer."""
    return float(asks(entry.content))


def _role(entry: Entry, asked: Asked) -> float:
    """What a person said of himself, rather than what an assistant made of it."""
    return float(not asked.of_assistant and role_of(entry) != ASSISTANT)


def _category(entry: Entry, asked: Asked) -> float:
    return float(entry.category in asked.question.categories)


def _priority(entry: Entry, _: Asked) -> float:
    return _PRIORITY[entry.priority]


def _strength(entry: Entry, _: Asked) -> float:
    return log2(1 + entry.strength + entry.uses) - 1


def silent(asked: Asked) -> frozenset[str]:
    """Signals that say nothing to this question, of any entry."""
    question = asked.question
    says = {
        "person": asked.person is not None or len(question.names) == 1,
        "date": bool(question.windows),
        "when": asked.when,
        "role": not asked.of_assistant,
        "category": bool(question.categories),
    }
    return frozenset(name for name, something in says.items() if not something)


OF_ENTRIES: Final[dict[str, Callable[[Entry, Asked], float]]] = {
    "person": _person,
    "date": _date,
    "when": _when,
    "asks": _asks,
    "role": _role,
    "category": _category,
    "priority": _priority,
    "strength": _strength,
}
