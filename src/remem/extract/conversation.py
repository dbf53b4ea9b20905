"""Lessons from a conversation, found by rules alone; what they leave out is counted.

Most of what is said is over when it is said. Taken is what somebody asked to be remembered,
what is labelled ("Decision: …", "TODO: …"), what a person plainly decides, prefers or rules, and
what he tells of his life. Every lesson is a piece of what was said, word for word, with its place.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from remem.extract import guards, noise, requests, self_statements
from remem.extract.judge import judge
from remem.extract.requests import kept_words
from remem.model.authorship.pieces import Authorship
from remem.model.authorship.turn import authorship
from remem.model.entry import Category, Origin
from remem.model.lesson import Learned, Lesson, LessonKind, Utterance

_KIND_OF: Final[dict[Category, LessonKind]] = {
    "decision": "decision",
    "preference": "preference",
    "insight": "insight",
    "person": "person",
    "instruction": "rule",
    "fact": "fact",
    "project": "context",
}
BY_THE_AGENT: Final = frozenset({"decision", "task"})
"""An agent's own labels: what it was told to read must not become a rule through it."""
_LONGEST: Final = 600
_LONG_ANSWER: Final = 1_000
"""An agent's essays have labels too, and they are headings."""
_MOST_PER_TURN: Final = 8
_CODE: Final = re.compile(r"```.*?(?:```|$)", re.DOTALL)
_POINT: Final = re.compile(r"^(?:[-*•>]|\d{1,2}[.)])\s+")
_BOX: Final = re.compile(r"\[([ xX])\]\s+")


@dataclass(slots=True)
class _Heard:
    lessons: list[Lesson] = field(default_factory=list)
    hints: list[Lesson] = field(default_factory=list)
    plain: list[Lesson] = field(default_factory=list)
    doubtful: list[Lesson] = field(default_factory=list)
    passed: Counter[str] = field(default_factory=Counter)


def learn(said: Sequence[Utterance]) -> Learned:
    """What these turns teach, in their order."""
    heard = _Heard()
    for turn, divided in zip(said, authorship(said), strict=True):
        if why := guards.turned_away(turn.text):
            heard.passed[why] += 1
        else:
            heard.passed.update(divided.foreign)
            _listen(turn, divided, heard)
    return Learned(
        tuple(heard.lessons),
        tuple(heard.hints),
        dict(heard.passed),
        plain=tuple(heard.plain),
        doubtful=tuple(heard.doubtful),
    )


def _listen(turn: Utterance, divided: Authorship, heard: _Heard) -> None:
    """Every piece by itself. Of a doubtful one only lessons count: what would have to come back,
    or to be about somebody who is known, has to be the speaker's own."""
    origin = Origin(turn.source, turn.position, None, turn.role)
    taken = 0
    for piece in divided.pieces:
        ear = heard if piece.doubt is None else _Heard(passed=heard.passed)
        for sentence in sentences(piece.text):
            found = _labelled(sentence)
            if turn.role == "assistant":
                if found is None or found.kind not in BY_THE_AGENT or _is_essay(turn):
                    heard.passed[guards.BY_AGENT] += 1
                    continue
            elif found is None:
                found = _spoken(sentence, ear, origin, turn.moment)
            if found is None:
                continue
            lesson = replace(found, origin=origin, said_at=turn.moment, doubt=piece.doubt)
            (heard.lessons if piece.doubt is None else heard.doubtful).append(lesson)
            taken += 1
            if taken == _MOST_PER_TURN:
                return


def _is_essay(turn: Utterance) -> bool:
    return len(turn.text) > _LONG_ANSWER


def sentences(text: str) -> Iterator[str]:
    """The sentences of a turn, and the points of its lists; quoted code is nobody's word."""
    ends = requests.sentence_ends(with_labels=":" in text or "：" in text)
    for prose in _CODE.split(text):
        for piece in ends.split(prose):
            sentence = _POINT.sub("", piece.strip()).strip()
            if sentence and len(sentence) <= _LONGEST:
                yield sentence


def _labelled(sentence: str) -> Lesson | None:
    if box := _BOX.match(sentence):
        return _lesson("task", sentence[box.end() :], "open" if box[1] == " " else "done")
    if label := requests.done_label().match(sentence):
        return _lesson("task", sentence[label.end() :], "done")
    for kind, pattern in requests.labels().items():
        if label := pattern.match(sentence):
            return _lesson(kind, sentence[label.end() :], "open" if kind == "task" else None)
    return None


def _spoken(sentence: str, heard: _Heard, origin: Origin, moment: str | None) -> Lesson | None:
    """What a person says without a label; why not, if it is not kept, is counted."""
    stated = requests.statement_in(sentence)
    wanted = kept_words(sentence) or kept_words(stated)
    why_not = guards.not_worth_keeping(wanted) if wanted else None
    if why := why_not or guards.refused(wanted or stated or sentence):
        if why == guards.QUESTION and (reason := self_statements.given_as_reason(stated)):
            return _lesson(self_statements.kind_told(reason) or "fact", reason)
        heard.passed[why] += 1
        return None
    if found := _asked(stated, wanted) or _plain(stated):
        return found
    if hint := _hinted(stated):
        heard.hints.append(replace(hint, origin=origin, said_at=moment))
    if why := guards.not_told(stated):
        if clause := self_statements.clause_for_itself(stated):
            return _lesson(self_statements.kind_told(clause) or "fact", clause)
        heard.passed[why] += 1
        return None
    if kind := self_statements.kind_told(stated):
        return _lesson(kind, stated)
    heard.passed[guards.PLAIN] += 1
    if plain := _lesson("fact", stated):
        heard.plain.append(replace(plain, origin=origin, said_at=moment))
    return None


def _hinted(stated: str) -> Lesson | None:
    """What counts only if it comes back: a correction as a rule, a thought aloud as context."""
    if self_statements.is_correction(stated):
        return _lesson("rule", stated)
    if (
        self_statements.is_hint(stated)
        and not guards.not_told(stated)
        and not self_statements.kind_told(stated)
    ):
        return _lesson("context", stated)
    return None


def _asked(sentence: str, wanted: str | None) -> Lesson | None:
    """What somebody wants to be kept."""
    if wanted:
        return _lesson(_KIND_OF[judge(wanted, (), (), "", passing=False).category], wanted)
    if asked := requests.to_do_words().match(sentence):
        return _lesson("task", sentence[asked.end() :], "open")
    return None


def _plain(sentence: str) -> Lesson | None:
    """What somebody plainly rules, decides, prefers or has learned."""
    if noise.too_short(sentence):
        return None
    if requests.rule_words().match(sentence):
        return _lesson("rule", sentence)
    for kind, pattern in requests.plain_words().items():
        if pattern.search(sentence):
            return _lesson(kind, sentence)
    return None


def _lesson(kind: LessonKind, text: str, status: str | None = None) -> Lesson | None:
    words = text.strip().strip("*_ ")
    return Lesson(kind, words, status=status) if len(words) > 2 else None
