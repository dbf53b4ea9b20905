"""The signals that depend on one entry and the question, one small function for each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from math import exp, log2
from typing import Final

from remem.model.entry import ASSISTANT, Entry
from remem.search.query.question import Question
from remem.search.query.terms import (
    asks_about_assistant,
    asks_when,
    is_question,
    mentions_time,
    person_asked_about,
)
from remem.search.rank.context import role_of, speaker_of
from remem.text.dates import Window
from remem.text.timestamps import date_of
from remem.text.words import fold, words

_PRIORITY: Final = {"critical": 2.0, "high": 1.0, "medium": 0.0, "low": -1.0}
_DECAY_DAYS: Final = 12.0


@dataclass(frozen=True, slots=True)
class QuestionContext:
    """A question and its properties that signals use; `person` is the speaker it is about.

    `when` says whether it asks for a time, `of_assistant` whether it asks what an assistant said.
    """

    question: Question
    person: str | None
    when: bool
    of_assistant: bool


def question_context(question: Question, entries: Iterable[Entry]) -> QuestionContext:
    speakers = {name for entry in entries if (name := speaker_of(entry))}
    return QuestionContext(
        question,
        person_asked_about([*words(question.corrected_text), *words(question.text)], speakers),
        asks_when(question.text),
        asks_about_assistant(question.text),
    )


def _person(entry: Entry, context: QuestionContext) -> float:
    """1 if the entry was said by the person that the question is about, or has them as a tag."""
    if context.person is not None:
        return float(speaker_of(entry) == context.person)
    names = context.question.names
    return float(len(names) == 1 and bool(names & {fold(tag) for tag in entry.tags}))


def _date(entry: Entry, context: QuestionContext) -> float:
    """1 if the entry was said within the dates of the question; less if it was said soon after."""
    windows = context.question.windows
    return window_score(date_of(entry.created_at), windows) if windows else 0.0


def window_score(spoken_on: date, windows: Sequence[Window]) -> float:
    """Return 1 for a day within the windows, and less for every day after them."""
    delay = min(
        0
        if window.first <= spoken_on <= window.last
        else _days_after(spoken_on, window.first, window.last)
        for window in windows
    )
    return exp(-delay / _DECAY_DAYS) if delay < 5 * _DECAY_DAYS else 0.0


def _days_after(spoken_on: date, first: date, last: date) -> int:
    return (spoken_on - last).days if spoken_on > last else 100 * (first - spoken_on).days


def _when(entry: Entry, context: QuestionContext) -> float:
    """1 if the question asks when and the entry mentions a time."""
    return float(context.when and mentions_time(entry.content))


def _asks(entry: Entry, _: QuestionContext) -> float:
    """1 if the entry is a question itself, which is seldom the answer."""
    return float(is_question(entry.content))


def _role(entry: Entry, context: QuestionContext) -> float:
    """1 if a person said it, unless the question asks what an assistant said."""
    return float(not context.of_assistant and role_of(entry) != ASSISTANT)


def _category(entry: Entry, context: QuestionContext) -> float:
    return float(entry.category in context.question.categories)


def _priority(entry: Entry, _: QuestionContext) -> float:
    return _PRIORITY[entry.priority]


def _strength(entry: Entry, _: QuestionContext) -> float:
    return log2(1 + entry.strength + entry.uses) - 1


def silent_signals(context: QuestionContext) -> frozenset[str]:
    """Return the signals that would be 0 for every entry, given this question."""
    question = context.question
    applies = {
        "person": context.person is not None or len(question.names) == 1,
        "date": bool(question.windows),
        "when": context.when,
        "role": not context.of_assistant,
        "category": bool(question.categories),
    }
    return frozenset(name for name, active in applies.items() if not active)


ENTRY_SIGNALS: Final[dict[str, Callable[[Entry, QuestionContext], float]]] = {
    "person": _person,
    "date": _date,
    "when": _when,
    "asks": _asks,
    "role": _role,
    "category": _category,
    "priority": _priority,
    "strength": _strength,
}
