"""What does a conversation teach that lasts? Rules alone decide, and they take little.

Most of what is said is over when it is said. Taken is what somebody asked to be remembered,
what is labelled ("Decision: …", "TODO: …"), and what a person plainly decides, prefers or
rules. Every lesson is a piece of what was said, word for word, with its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from remem.core.entry import Category, Origin
from remem.core.lesson import Lesson, LessonKind, Said
from remem.extractors import noise, spoken
from remem.extractors.judge import judge

_KIND_OF: Final[dict[Category, LessonKind]] = {
    "decision": "decision",
    "preference": "preference",
    "insight": "insight",
    "person": "person",
    "instruction": "rule",
    "fact": "fact",
    "project": "context",
}
_BY_THE_AGENT: Final = frozenset({"decision", "task"})
"""An agent's own labels: what it was told to read must not become a rule through it."""
_LONGEST: Final = 600
_LONG_TURN: Final = 2_000
_READ_OF_A_LONG_TURN: Final = 600
_MOST_PER_TURN: Final = 8
_CODE: Final = re.compile(r"```.*?(?:```|$)", re.DOTALL)
_POINT: Final = re.compile(r"^(?:[-*•>]|\d{1,2}[.)])\s+")
_BOX: Final = re.compile(r"\[([ xX])\]\s+")


def lessons_of(said: Sequence[Said]) -> list[Lesson]:
    """What these turns teach, in their order."""
    return [lesson for turn in said for lesson in _of_turn(turn)]


def _of_turn(turn: Said) -> Iterator[Lesson]:
    """Whoever sends pages has pasted them: only their beginning is his own word."""
    text = turn.text if len(turn.text) <= _LONG_TURN else turn.text[:_READ_OF_A_LONG_TURN]
    origin = Origin(turn.source, turn.position, None, turn.role)
    taken = 0
    for sentence in sentences(text):
        lesson = _labelled(sentence) or (_spoken(sentence) if turn.role == "user" else None)
        if lesson is None or (turn.role == "assistant" and lesson.kind not in _BY_THE_AGENT):
            continue
        yield replace(lesson, origin=origin, said_at=turn.moment)
        taken += 1
        if taken == _MOST_PER_TURN:
            return


def sentences(text: str) -> Iterator[str]:
    """The sentences of a turn, and the points of its lists; quoted code is nobody's word."""
    ends = spoken.sentence_ends(with_labels=":" in text or "：" in text)
    for piece in ends.split(_CODE.sub(" ", text)):
        sentence = _POINT.sub("", piece.strip()).strip()
        if sentence and len(sentence) <= _LONGEST:
            yield sentence


def _labelled(sentence: str) -> Lesson | None:
    if box := _BOX.match(sentence):
        return _lesson("task", sentence[box.end() :], "open" if box[1] == " " else "done")
    if label := spoken.done_label().match(sentence):
        return _lesson("task", sentence[label.end() :], "done")
    for kind, pattern in spoken.labels().items():
        if label := pattern.match(sentence):
            return _lesson(kind, sentence[label.end() :], "open" if kind == "task" else None)
    return None


def _spoken(sentence: str) -> Lesson | None:
    """What a person says plainly, without a label."""
    if spoken.undecided().search(sentence):
        return None
    if asked := spoken.to_do_words().match(sentence):
        return _lesson("task", sentence[asked.end() :], "open")
    if asked := spoken.remember_words().match(sentence):
        rest = sentence[asked.end() :]
        return _lesson(_KIND_OF[judge(rest, (), (), "", passing=False).category], rest)
    if noise.too_short(sentence):
        return None
    if spoken.rule_words().match(sentence):
        return _lesson("rule", sentence)
    for kind, pattern in spoken.plain_words().items():
        if pattern.search(sentence):
            return _lesson(kind, sentence)
    return None


def _lesson(kind: LessonKind, text: str, status: str | None = None) -> Lesson | None:
    words = text.strip().strip("*_ ")
    return Lesson(kind, words, status=status) if len(words) > 2 else None
