"""Find lessons in a conversation by rules, and count the sentences that are left out, by reason.

Most sentences matter only in their conversation. A lesson is what somebody asked to be remembered,
what is labelled ("Decision: …", "TODO: …"), and the rules, wishes, decisions and descriptions that
a person states explicitly. Other statements that people make about themselves may not last: they
count if they recur, and curation offers them. Every lesson is quoted word for word, with its
position.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from remem.extract import guards
from remem.extract.explicit import explicit_statement
from remem.extract.requests import (
    labelled_lesson,
    make_lesson,
    requested_lesson,
    rule_lesson,
    words_to_keep,
)
from remem.extract.self_statements import is_correction, is_thought_aloud, statement_kind
from remem.extract.sentences import reason_in, sentences, statement_in
from remem.model.authorship.pieces import Authorship
from remem.model.authorship.turn import authorship
from remem.model.entry import Origin
from remem.model.lesson import LearnedLessons, Lesson, Utterance

AGENT_KINDS: Final = frozenset({"decision", "task"})
"""Kinds of lessons that are accepted from an agent. An agent may repeat text that it was made to
read, and such text must not become a rule."""
_MAX_AGENT_TURN: Final = 1_000
"""In longer answers from an agent, labels are headings."""
_MAX_LESSONS_PER_TURN: Final = 8


@dataclass(slots=True)
class _Findings:
    """The lessons found so far; the fields are the same as in `LearnedLessons`."""

    lessons: list[Lesson] = field(default_factory=list)
    likely: list[Lesson] = field(default_factory=list)
    hints: list[Lesson] = field(default_factory=list)
    plain: list[Lesson] = field(default_factory=list)
    doubtful: list[Lesson] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)


def learn(utterances: Sequence[Utterance]) -> LearnedLessons:
    """Return the lessons of these turns, in order."""
    findings = _Findings()
    for turn, divided in zip(utterances, authorship(utterances), strict=True):
        if reason := guards.refusal_of_turn(turn.text):
            findings.skipped[reason] += 1
        else:
            findings.skipped.update(divided.foreign)
            _read_turn(turn, divided, findings)
    return LearnedLessons(
        tuple(findings.lessons),
        tuple(findings.hints),
        dict(findings.skipped),
        likely=tuple(findings.likely),
        plain=tuple(findings.plain),
        doubtful=tuple(findings.doubtful),
    )


def _read_turn(turn: Utterance, authorship: Authorship, found: _Findings) -> None:
    """Read the pieces of a turn one by one.

    From a doubtful piece only lessons are kept, for review; other statements must be the speaker's
    own.
    """
    origin = Origin(turn.source, turn.position, None, turn.role)
    count = 0
    for piece in authorship.pieces:
        findings = found if piece.doubt is None else _Findings(skipped=found.skipped)
        for sentence in sentences(piece.text):
            lesson = labelled_lesson(sentence)
            if turn.role == "assistant":
                too_long = len(turn.text) > _MAX_AGENT_TURN
                if lesson is None or lesson.kind not in AGENT_KINDS or too_long:
                    found.skipped[guards.SAID_BY_AGENT] += 1
                    continue
            elif lesson is None:
                lesson = _lesson_in_sentence(sentence, findings, origin, turn.time)
            if lesson is None:
                continue
            lesson = replace(lesson, origin=origin, said_at=turn.time, doubt=piece.doubt)
            (found.lessons if piece.doubt is None else found.doubtful).append(lesson)
            count += 1
            if count == _MAX_LESSONS_PER_TURN:
                return


def _lesson_in_sentence(
    sentence: str, findings: _Findings, origin: Origin, time: str | None
) -> Lesson | None:
    """Return the lesson in a person's sentence without a label, or count why there is none."""
    statement = statement_in(sentence)
    wanted = words_to_keep(sentence) or words_to_keep(statement)
    reason = guards.refusal_to_keep(wanted) if wanted else None
    if reason := reason or guards.refusal(wanted or statement or sentence):
        if reason == guards.QUESTION and (own := _explicit_lesson(reason_in(statement) or "")):
            return own
        findings.skipped[reason] += 1
        return None
    if lesson := requested_lesson(statement, wanted) or rule_lesson(statement):
        return lesson
    if lesson := _explicit_lesson(statement):
        return lesson
    kind = statement_kind(statement)
    reason = guards.refusal_as_statement(statement)
    if hint := _hint(statement, may_be_thought_aloud=kind is None and reason is None):
        findings.hints.append(replace(hint, origin=origin, said_at=time))
    if reason is None and (other := make_lesson(kind or "fact", statement)):
        others = findings.likely if kind else findings.plain
        others.append(replace(other, origin=origin, said_at=time))
    findings.skipped[reason or (guards.NOT_EXPLICIT if kind else guards.NO_SIGN_OF_LASTING)] += 1
    return None


def _explicit_lesson(statement: str) -> Lesson | None:
    explicit = explicit_statement(statement)
    if explicit is None or guards.refusal(explicit[1]):
        return None
    return make_lesson(*explicit)


def _hint(statement: str, *, may_be_thought_aloud: bool) -> Lesson | None:
    """Return a lesson that counts only if it recurs.

    A correction becomes a rule, a thought aloud becomes context.
    """
    if is_correction(statement):
        return make_lesson("rule", statement)
    return (
        make_lesson("context", statement)
        if may_be_thought_aloud and is_thought_aloud(statement)
        else None
    )
