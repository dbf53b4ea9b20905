"""The weights of all signals, and the signals that depend on one entry and the question.

The kind of an entry selects the column of weights. The weights were chosen by measurement
(docs/decisions/0019, 0028, 0032, 0034): `remem bench retrieval --without SIGNAL` measures the
effect of one signal, and `bench/held_out.py` fits the weights with one conversation held out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from math import exp, log2
from typing import Final

from remem.errors import InvalidInput, shown
from remem.model.entry import ASSISTANT, Entry
from remem.model.project import is_of_another, is_of_project
from remem.search.query.question import Question
from remem.search.query.terms import (
    asks_about_assistant,
    asks_when,
    is_question,
    mentions_time,
    person_asked_about,
)
from remem.search.rank.context import Kind, role_of, speaker_of
from remem.text.dates import Window
from remem.text.timestamps import date_of
from remem.text.words import fold, words

_KINDS: Final[tuple[Kind, ...]] = ("note", "talk", "agent", "diary")
_Row = tuple[float, float, float, float]
_WITH_MODEL: Final[dict[str, _Row]] = {
    # signal      note  talk  agent  diary
    "keyword": (0.15, 0.15, 0.2, 0.2),
    "meaning": (0.6, 0.4, 0.35, 0.35),
    "tokens": (0.6, 0.65, 0.2, 0.2),
    "source": (0.0, 0.4, 0.1, 0.1),
    "answer": (0.0, 0.4, 0.0, 0.0),
    "asks": (0.0, -0.4, 0.0, 0.0),
    "length": (0.0, 0.3, -0.2, -0.2),
    "brevity": (1.0, 0.0, 0.0, 0.0),
    "when": (0.0, 1.5, 0.0, 0.0),
    "role": (0.0, 0.0, 1.0, 1.0),
    "person": (1.0, 1.5, 0.0, 0.0),
    "date": (2.0, 4.0, 0.5, 0.5),
    "category": (0.3, 0.3, 0.3, 0.3),
    "priority": (0.1, 0.1, 0.1, 0.1),
    "retention": (0.1, 0.1, 0.1, 0.1),
    "strength": (0.05, 0.05, 0.05, 0.05),
    "project": (0.3, 0.3, 0.3, 0.3),
}
_WITHOUT_TOKENS: Final[dict[str, _Row]] = {
    **_WITH_MODEL,
    "keyword": (0.4, 0.4, 0.5, 0.4),
    "meaning": (0.6, 0.5, 0.6, 0.6),
    "tokens": (0.0, 0.0, 0.0, 0.0),
    "source": (0.0, 0.35, 0.1, 0.6),
    "answer": (0.0, 0.25, 0.0, 0.0),
    "asks": (0.0, -0.2, 0.0, 0.0),
    "length": (0.0, 0.35, -0.3, -0.2),
    "role": (0.0, 0.0, 1.5, 1.0),
    "date": (2.0, 3.0, 0.5, 0.5),
}
_WITHOUT_MODEL: Final[dict[str, _Row]] = {
    **_WITH_MODEL,
    "keyword": (1.0, 0.6, 1.0, 1.0),
    "meaning": (0.0, 0.0, 0.0, 0.0),
    "tokens": (0.0, 0.0, 0.0, 0.0),
    "source": (0.0, 0.4, 0.2, 0.6),
    "answer": (0.0, 0.25, 0.0, 0.0),
    "asks": (0.0, -0.2, 0.0, 0.0),
    "length": (0.0, 0.2, -0.8, -0.2),
    "role": (0.0, 0.0, 2.0, 1.0),
    "date": (2.0, 3.0, 0.5, 0.5),
}
SIGNALS: Final = tuple(_WITH_MODEL)

_PRIORITY: Final = {"critical": 2.0, "high": 1.0, "medium": 0.0, "low": -1.0}
_DECAY_DAYS: Final = 12.0


def weights_for(
    *,
    model: bool,
    late_interaction: bool = True,
    excluded_signals: Collection[str] = frozenset(),
) -> dict[Kind, dict[str, float]]:
    """Return the weights of the signals for each kind of entry.

    `model` says whether there are vectors, `late_interaction` whether there are token vectors too.
    """
    table = _WITH_MODEL if late_interaction else _WITHOUT_TOKENS
    if not model:
        table = _WITHOUT_MODEL
    return {
        kind: {
            name: row[i] for name, row in table.items() if row[i] and name not in excluded_signals
        }
        for i, kind in enumerate(_KINDS)
    }


def require_signals(names: Collection[str]) -> None:
    for name in names:
        if name not in SIGNALS:
            known = ", ".join(SIGNALS)
            raise InvalidInput(f"unknown signal {shown(name)}", hint=f"signals: {known}")


@dataclass(frozen=True, slots=True)
class QuestionContext:
    """A question and its properties that signals use; `person` is the speaker it is about.

    `when` says whether it asks for a time, `of_assistant` whether it asks what an assistant said.
    `project` is the tag of the current project.
    """

    question: Question
    person: str | None
    when: bool
    of_assistant: bool
    project: str | None = None


def question_context(
    question: Question, entries: Iterable[Entry], project: str | None = None
) -> QuestionContext:
    speakers = {name for entry in entries if (name := speaker_of(entry))}
    return QuestionContext(
        question,
        person_asked_about([*words(question.corrected_text), *words(question.text)], speakers),
        asks_when(question.text),
        asks_about_assistant(question.text),
        project,
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
        else _delay_penalty(spoken_on, window.first, window.last)
        for window in windows
    )
    return exp(-delay / _DECAY_DAYS) if delay < 5 * _DECAY_DAYS else 0.0


def _delay_penalty(spoken_on: date, first: date, last: date) -> int:
    """Days after the window; a day before it counts a hundredfold."""
    return (spoken_on - last).days if spoken_on > last else 100 * (first - spoken_on).days


def _when(entry: Entry, context: QuestionContext) -> float:
    """1 if the question asks when and the entry mentions a time."""
    return float(context.when and mentions_time(entry.content))


def _asks(entry: Entry, _: QuestionContext) -> float:
    """1 if the entry is a question itself, which is rarely the answer."""
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


def _project(entry: Entry, context: QuestionContext) -> float:
    """1 for an entry of the current project, -1 for one of other projects only."""
    if context.project is None or not entry.tags:
        return 0.0
    if is_of_project(entry.tags, context.project):
        return 1.0
    return -1.0 if is_of_another(entry.tags, context.project) else 0.0


def silent_signals(context: QuestionContext) -> frozenset[str]:
    """Return the signals that would be 0 for every entry, given this question."""
    question = context.question
    applies = {
        "person": context.person is not None or len(question.names) == 1,
        "date": bool(question.windows),
        "when": context.when,
        "role": not context.of_assistant,
        "category": bool(question.categories),
        "project": context.project is not None,
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
    "project": _project,
}
