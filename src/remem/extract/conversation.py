"""Lessons from a conversation, found by rules; what they leave out is counted by reason.

Most sentences do not outlive their conversation. Taken is what somebody asked to be remembered,
what is labelled ("Decision: …", "TODO: …"), what a person plainly decides, prefers or rules, and
what they say about their life. Every lesson is quoted word for word, with its place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from remem.extract import guards
from remem.extract.requests import (
    labelled_lesson,
    make_lesson,
    outright_lesson,
    requested_lesson,
    words_to_keep,
)
from remem.extract.self_statements import (
    definite_clause,
    is_correction,
    is_thought_aloud,
    reason_for_asking,
    statement_kind,
)
from remem.extract.sentences import sentences, statement_in
from remem.model.authorship.pieces import Authorship
from remem.model.authorship.turn import authorship
from remem.model.entry import Origin
from remem.model.lesson import Learned, Lesson, Utterance

AGENT_KINDS: Final = frozenset({"decision", "task"})
"""Kinds that an agent may label: what it was told to read must not become a rule through it."""
_MAX_AGENT_TURN: Final = 1_000
"""The labels of an agent's longer answers are headings."""
_MAX_LESSONS_PER_TURN: Final = 8


@dataclass(slots=True)
class _Findings:
    lessons: list[Lesson] = field(default_factory=list)
    hints: list[Lesson] = field(default_factory=list)
    plain: list[Lesson] = field(default_factory=list)
    doubtful: list[Lesson] = field(default_factory=list)
    passed: Counter[str] = field(default_factory=Counter)


def learn(said: Sequence[Utterance]) -> Learned:
    """The lessons of these turns, in their order."""
    found = _Findings()
    for turn, divided in zip(said, authorship(said), strict=True):
        if reason := guards.refusal_of_turn(turn.text):
            found.passed[reason] += 1
        else:
            found.passed.update(divided.foreign)
            _read_turn(turn, divided, found)
    return Learned(
        tuple(found.lessons),
        tuple(found.hints),
        dict(found.passed),
        plain=tuple(found.plain),
        doubtful=tuple(found.doubtful),
    )


def _read_turn(turn: Utterance, divided: Authorship, found: _Findings) -> None:
    """Read the pieces of a turn one by one.

    Only lessons of a doubtful piece count: what has to come back, or to be about somebody known,
    must be the speaker's own.
    """
    origin = Origin(turn.source, turn.position, None, turn.role)
    taken = 0
    for piece in divided.pieces:
        others = found if piece.doubt is None else _Findings(passed=found.passed)
        for sentence in sentences(piece.text):
            lesson = labelled_lesson(sentence)
            if turn.role == "assistant":
                too_long = len(turn.text) > _MAX_AGENT_TURN
                if lesson is None or lesson.kind not in AGENT_KINDS or too_long:
                    found.passed[guards.BY_AGENT] += 1
                    continue
            elif lesson is None:
                lesson = _spoken(sentence, others, origin, turn.moment)
            if lesson is None:
                continue
            lesson = replace(lesson, origin=origin, said_at=turn.moment, doubt=piece.doubt)
            (found.lessons if piece.doubt is None else found.doubtful).append(lesson)
            taken += 1
            if taken == _MAX_LESSONS_PER_TURN:
                return


def _spoken(sentence: str, found: _Findings, origin: Origin, moment: str | None) -> Lesson | None:
    """The lesson in a person's sentence without a label; why there is none is counted."""
    stated = statement_in(sentence)
    wanted = words_to_keep(sentence) or words_to_keep(stated)
    reason = guards.refusal_to_keep(wanted) if wanted else None
    if reason := reason or guards.refusal(wanted or stated or sentence):
        if reason == guards.QUESTION and (own := reason_for_asking(stated)):
            return make_lesson(statement_kind(own) or "fact", own)
        found.passed[reason] += 1
        return None
    if lesson := requested_lesson(stated, wanted) or outright_lesson(stated):
        return lesson
    kind = statement_kind(stated)
    reason = guards.refusal_as_statement(stated)
    if hint := _hint(stated, thinks=kind is None and reason is None):
        found.hints.append(replace(hint, origin=origin, said_at=moment))
    if reason:
        if clause := definite_clause(stated):
            return make_lesson(statement_kind(clause) or "fact", clause)
        found.passed[reason] += 1
        return None
    if kind:
        return make_lesson(kind, stated)
    found.passed[guards.PLAIN] += 1
    if plain := make_lesson("fact", stated):
        found.plain.append(replace(plain, origin=origin, said_at=moment))
    return None


def _hint(stated: str, *, thinks: bool) -> Lesson | None:
    """What counts only if it comes back: a correction as a rule, a thought aloud as context."""
    if is_correction(stated):
        return make_lesson("rule", stated)
    return make_lesson("context", stated) if thinks and is_thought_aloud(stated) else None
