"""Lessons that are labelled, asked for, or stated outright.

"Decision: …" and "please remember that …" ask to keep something; "we decided …" and "from now on …"
are nearly as clear. Other words are too weak a sign: it is better to miss a statement than to fill
a memory with chatter. A reminder to do something ("don't forget to …") is not kept.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, cast

from remem.extract import noise
from remem.extract.judge import judge
from remem.extract.sentences import label_pattern
from remem.model.lesson import KIND_OF_CATEGORY, Lesson, LessonKind
from remem.model.statement import Place
from remem.text.pattern_file import PatternFile, pattern_file

_CHECKBOX: Final = re.compile(r"\[([ xX])\]\s+")
_MIN_LENGTH: Final = 3


def _patterns() -> PatternFile:
    return pattern_file("extract/patterns/requests")


@cache
def _outright() -> dict[LessonKind, re.Pattern[str]]:
    sources: dict[LessonKind, list[str]] = _patterns()["outright"]
    return {kind: _patterns().compile(source) for kind, source in sources.items()}


def make_lesson(kind: LessonKind, text: str, status: str | None = None) -> Lesson | None:
    words = text.strip().strip("*_ ")
    return Lesson(kind, words, status=status) if len(words) >= _MIN_LENGTH else None


def labelled_lesson(sentence: str) -> Lesson | None:
    """Return the lesson after a checkbox or a label; None if the sentence begins with neither."""
    if box := _CHECKBOX.match(sentence):
        return make_lesson("task", sentence[box.end() :], "open" if box[1] == " " else "done")
    if (found := label_pattern().match(sentence)) is None:
        return None
    rest = sentence[found.end() :]
    if found.lastgroup == "done":
        return make_lesson("task", rest, "done")
    kind = cast(LessonKind, found.lastgroup)
    return make_lesson(kind, rest, "open" if kind == "task" else None)


def words_to_keep(sentence: str) -> str | None:
    """Return the words that somebody asks to be remembered; None if the sentence does not ask."""
    if asked := _patterns().regex("remember").match(sentence):
        rest = sentence[asked.end() :]
        # "Could you please remember …?" expects no answer.
        polite = _patterns().regex("polite_question").match(sentence)
        return (rest.rstrip("?") if polite else rest) or None
    at_end = _patterns().regex("remember_at_end").match(sentence)
    return at_end["words"] if at_end else None


def requested_lesson(stated: str, wanted: str | None) -> Lesson | None:
    """Return the lesson that somebody asks to be kept, or the task to be reminded of."""
    if wanted:
        return make_lesson(KIND_OF_CATEGORY[judge(wanted, Place()).category], wanted)
    if asked := _patterns().regex("remind_me").match(stated):
        return make_lesson("task", stated[asked.end() :], "open")
    return None


def outright_lesson(stated: str) -> Lesson | None:
    """Return the lesson if somebody plainly states a rule, decision, preference or insight."""
    if noise.is_short(stated):
        return None
    if _patterns().regex("rule").match(stated):
        return make_lesson("rule", stated)
    found = (kind for kind, pattern in _outright().items() if pattern.search(stated))
    return next((make_lesson(kind, stated) for kind in found), None)
