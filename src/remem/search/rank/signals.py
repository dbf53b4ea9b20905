"""The signals that depend on one text and the question; their weights are in `weights.py`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from math import exp, log2
from typing import TYPE_CHECKING, Final, Protocol

from remem.fast_dataclass import dataclass
from remem.model.entry import ASSISTANT, Entry
from remem.model.passage import Passage
from remem.model.project import is_of_other_project, is_of_project
from remem.search.query.intent import AskedSource, asked_source
from remem.search.query.question import Question
from remem.search.query.terms import (
    asks_when,
    is_question,
    mentions_time,
    person_asked_about,
)
from remem.search.rank.context import (
    named_speakers,
    role_of,
    share_by_people,
    share_by_speaker,
    speaker_of,
    speakers_in,
)
from remem.text.timestamps import local_day
from remem.text.words import fold, words

if TYPE_CHECKING:
    from remem.text.dates import DateRange
    from remem.text.note_dates import DateMention

_LOG_FILE: Final = re.compile(
    r"(?:^|/)(?:dream(?:s|ing)?|logs?|[\w-]+[-_]logs?)(?:/|\.|$)", re.IGNORECASE
)
_ASKS_FOR_LOGS: Final = re.compile(
    r"\b(?:log(?:s|ged|files?)?|dream\w*|traum|träum\w*|geträumt|protokoll\w*|rêv\w*|journa(?:l|ux)"
    r"|sueñ\w*|registros?|sonh\w*|сон|сны|снил\w*|лог\w*|журнал\w*)\b|梦|夢|日志|ログ",
    re.IGNORECASE,
)
_PRIORITY: Final = {"critical": 2.0, "high": 1.0, "medium": 0.0, "low": -1.0}
_FILE_SCORES: Final = {"path": 3.0, "name": 2.0, "stem": 1.0}
_USUAL_IMPORTANCE: Final = 5
_DECAY_DAYS: Final = 12.0
_NAMED_DAY_SCORE: Final = 0.9
"""The value of a text that names a day of the question but is not from that day."""
_LONG_SPAN_DAYS: Final = 35
"""A text that names a longer span says little about its days."""


class _HasItem(Protocol):
    @property
    def item(self) -> Entry | Passage: ...


@dataclass(frozen=True, slots=True)
class QuestionContext:
    """A question and its properties that signals use.

    `person` is the speaker that it is about. `asks_when` says whether it asks for a time.
    `asked_source` is the source that it asks about: an assistant, or any conversation. `project` is
    the tag of the current project.
    """

    question: Question
    person: str | None
    asks_when: bool
    asked_source: AskedSource | None
    project: str | None = None


def question_context(
    question: Question, candidates: Iterable[_HasItem], project: str | None = None
) -> QuestionContext:
    """Return the properties of a question that signals use."""
    items = [candidate.item for candidate in candidates]
    speakers = {name for item in items if isinstance(item, Entry) and (name := speaker_of(item))}
    speakers |= named_speakers(item.text for item in items if isinstance(item, Passage))
    return QuestionContext(
        question,
        person_asked_about([*words(question.corrected_text), *words(question.text)], speakers),
        asks_when(question.text),
        asked_source(question.text),
        project,
    )


def text_of(item: Entry | Passage) -> str:
    """Return the text of an entry or a passage."""
    return item.content if isinstance(item, Entry) else item.text


def passage_day(passage: Passage) -> date | None:
    """Return the day of a passage; None if it has none or it is not a date."""
    try:
        return date.fromisoformat(passage.day[:10]) if passage.day else None
    except ValueError:
        return None


def _person(item: Entry | Passage, context: QuestionContext) -> float:
    """Return 1 for an entry that was said by the person the question is about.

    If it is about no speaker, return 1 for an entry that has the only name in the question as a
    tag. For a passage, return the share of its lines that the person said.
    """
    if isinstance(item, Passage):
        return share_by_speaker(context.person, speakers_in(item.text)) if context.person else 0.0
    if context.person is not None:
        return float(speaker_of(item) == context.person)
    names = context.question.names
    return float(len(names) == 1 and bool(names & {fold(tag) for tag in item.tags}))


def _date(item: Entry | Passage, context: QuestionContext) -> float:
    """Return 1 if the text is from a day that the question asks about.

    A text from soon after gets less, and at least 0.9 if it names such a day.
    """
    windows = context.question.windows
    if not windows:
        return 0.0
    if isinstance(item, Entry):
        day: date | None = local_day(item.created_at, context.question.zone)
    else:
        day = passage_day(item)
    score = window_score(day, windows) if day else 0.0
    if score < 1 and _names_a_day(text_of(item), day, score > 0, windows):
        return _NAMED_DAY_SCORE
    return score


def _names_a_day(
    text: str, day: date | None, soon_after: bool, windows: Sequence[DateRange]
) -> bool:
    """Return whether a text of this day names a day within the windows.

    Words such as "yesterday" are only read in a text from soon after the windows.
    """
    from remem.text.dates import DateRange, date_ranges  # lazy: few questions name days
    from remem.text.note_dates import mentions

    named_ranges = [
        DateRange(on, on)
        for mention in mentions(text)
        if (on := _day_of_mention(mention, day, windows))
    ]
    if day is not None and soon_after:
        named_ranges += date_ranges(text, day)
    return any(
        named.overlaps(window)
        for named in named_ranges
        if (named.last - named.first).days < _LONG_SPAN_DAYS
        for window in windows
    )


def _day_of_mention(
    mention: DateMention, day: date | None, windows: Sequence[DateRange]
) -> date | None:
    """Return the day of a mention, in the year of the text or of the question if it has none."""
    return mention.on(mention.year or (day or windows[0].first).year)


def window_score(spoken_on: date, windows: Sequence[DateRange]) -> float:
    """Return 1 for a day within the windows, and less for every day after them."""
    delay = min(
        0
        if window.first <= spoken_on <= window.last
        else _delay_penalty(spoken_on, window.first, window.last)
        for window in windows
    )
    return exp(-delay / _DECAY_DAYS) if delay < 5 * _DECAY_DAYS else 0.0


def _delay_penalty(spoken_on: date, first: date, last: date) -> int:
    """Return the number of days after the window; a text from before it cannot know about it.

    So each day before it counts as 100 days.
    """
    return (spoken_on - last).days if spoken_on > last else 100 * (first - spoken_on).days


def _when(item: Entry | Passage, context: QuestionContext) -> float:
    """Return 1 if the question asks when and the text mentions a time."""
    return float(context.asks_when and mentions_time(text_of(item)))


def _is_question(item: Entry | Passage, _: QuestionContext) -> float:
    """Return 1 if the text is a question itself, which is rarely the answer."""
    return float(is_question(text_of(item)))


def _role(item: Entry | Passage, context: QuestionContext) -> float:
    """Return 1 if a person said the text, or the share of a passage's lines that people said.

    If the question asks what an assistant said, return 1 if the assistant said the entry; for a
    passage, return 0 if the question names a source.
    """
    if isinstance(item, Passage):
        by_people = share_by_people(speakers_in(item.text))
        return 0.0 if context.asked_source else by_people
    by_assistant = role_of(item) == ASSISTANT
    return float(by_assistant if context.asked_source == "assistant" else not by_assistant)


def _category(item: Entry | Passage, context: QuestionContext) -> float:
    return float(isinstance(item, Entry) and item.category in context.question.categories)


def _priority(item: Entry | Passage, _: QuestionContext) -> float:
    """Return the priority of an entry, or the importance that a host noted for a passage."""
    if isinstance(item, Entry):
        return _PRIORITY[item.priority]
    return 0.0 if item.importance is None else (item.importance - _USUAL_IMPORTANCE) / 2


def _strength(item: Entry | Passage, _: QuestionContext) -> float:
    return log2(1 + item.strength + item.uses) - 1 if isinstance(item, Entry) else 0.0


def _curated(item: Entry | Passage, _: QuestionContext) -> float:
    """Return 1 for a line of a curated file, which was written to be found by itself."""
    return float(isinstance(item, Passage) and item.curated)


def _log(item: Entry | Passage, _: QuestionContext) -> float:
    """Return 1 for a passage of a log or of a host's dreams, which repeat what the notes say."""
    return float(isinstance(item, Passage) and _LOG_FILE.search(item.path) is not None)


def _project(item: Entry | Passage, context: QuestionContext) -> float:
    """Return 1 for an entry of the current project, -1 for one of other projects only."""
    if context.project is None or isinstance(item, Passage) or not item.tags:
        return 0.0
    if is_of_project(item.tags, context.project):
        return 1.0
    return -1.0 if is_of_other_project(item.tags, context.project) else 0.0


def _named_project(item: Entry | Passage, context: QuestionContext) -> float:
    """Return 1 if the question names the project that a host noted for the passage."""
    if isinstance(item, Entry) or not item.project:
        return 0.0
    padded = f" {fold(context.question.text)} "
    return float(any(f" {fold(key)} " in padded for key in item.project.split(";") if key.strip()))


def _file(item: Entry | Passage, context: QuestionContext) -> float:
    """Return how exactly the question names the file of the passage; 0 if it does not."""
    files = context.question.named_files
    return (
        _FILE_SCORES[files[item.path]] if isinstance(item, Passage) and item.path in files else 0.0
    )


def silent_signals(context: QuestionContext) -> frozenset[str]:
    """Return the signals that would be 0 for every text, given this question."""
    question = context.question
    applies = {
        "person": context.person is not None or len(question.names) == 1,
        "date": bool(question.windows),
        "when": context.asks_when,
        "role": context.asked_source != "conversation",
        "category": bool(question.categories),
        "file": bool(question.named_files),
        "log": _ASKS_FOR_LOGS.search(question.text) is None,
        "project": context.project is not None,
    }
    return frozenset(name for name, active in applies.items() if not active)


TEXT_SIGNALS: Final[dict[str, Callable[[Entry | Passage, QuestionContext], float]]] = {
    "person": _person,
    "date": _date,
    "when": _when,
    "asks": _is_question,
    "role": _role,
    "category": _category,
    "priority": _priority,
    "strength": _strength,
    "curated": _curated,
    "log": _log,
    "project": _project,
    "named_project": _named_project,
    "file": _file,
}
