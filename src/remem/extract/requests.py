"""Lessons that are labelled or asked for, and rules for the agent.

"Decision: …" and "please remember that …" ask to keep something; "from now on …" is nearly as
clear. A reminder to do something ("don't forget to …") is not kept.
"""

from __future__ import annotations

import re
from typing import Final, cast

from remem.extract import noise
from remem.extract.judge import judge
from remem.extract.sentences import label_pattern
from remem.model.arguments import LessonKind
from remem.model.lesson import KIND_OF_CATEGORY, Lesson
from remem.model.statement import Place
from remem.text.pattern_file import PatternFile, pattern_file

_CHECKBOX: Final = re.compile(r"\[([ xX])\]\s+")
_MIN_LENGTH: Final = 3


def _patterns() -> PatternFile:
    return pattern_file("extract/patterns/requests")


def make_lesson(kind: LessonKind, text: str, status: str | None = None) -> Lesson | None:
    """Return a lesson with the text; None if it is too short."""
    words = text.strip().strip("*_ ")
    return Lesson(kind, words, status=status) if len(words) >= _MIN_LENGTH else None


def labelled_lesson(sentence: str) -> Lesson | None:
    """Return the lesson after a checkbox or a label; None if the sentence begins with neither."""
    if box := _CHECKBOX.match(sentence):
        return make_lesson("task", sentence[box.end() :], "open" if box[1] == " " else "done")
    if (match := label_pattern().match(sentence)) is None:
        return None
    rest = sentence[match.end() :]
    if match.lastgroup == "done":
        return make_lesson("task", rest, "done")
    kind = cast(LessonKind, match.lastgroup)
    return make_lesson(kind, rest, "open" if kind == "task" else None)


def words_to_keep(sentence: str) -> str | None:
    """Return the words that somebody asks to be remembered; None if the sentence does not ask."""
    if match := _patterns().regex("remember").match(sentence):
        rest = sentence[match.end() :]
        # "Could you please remember …?" expects no answer.
        polite = _patterns().regex("polite_question").match(sentence)
        return (rest.rstrip("?") if polite else rest) or None
    at_end = _patterns().regex("remember_at_end").match(sentence)
    return at_end["words"] if at_end else None


def requested_lesson(statement: str, wanted: str | None) -> Lesson | None:
    """Return the lesson that somebody asks to be kept, or the task to be reminded of."""
    if wanted:
        return make_lesson(KIND_OF_CATEGORY[judge(wanted, Place()).category], wanted)
    if match := _patterns().regex("remind_me").match(statement):
        return make_lesson("task", statement[match.end() :], "open")
    return None


def rule_lesson(statement: str) -> Lesson | None:
    """Return the lesson if somebody states a standing rule for the agent."""
    if noise.is_short(statement) or not _patterns().regex("rule").match(statement):
        return None
    return make_lesson("rule", statement)
