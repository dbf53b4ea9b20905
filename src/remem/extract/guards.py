"""Guards that keep sentences of a conversation out of memory, each with a reason that is counted.

Greetings, questions, suppositions, tool output and moods state nothing lasting. Text that was
recalled from memory is left out too, so that the memory does not store its own answers again.
"""

from __future__ import annotations

import re
from typing import Final

from remem.text.pattern_file import PatternFile, pattern_file
from remem.text.untrusted import overrides_instructions
from remem.text.words import content_words

RECALLED: Final = "recalled from memory"
HEARTBEAT: Final = "heartbeat"
TOOL_OUTPUT: Final = "tool output"
GREETING: Final = "greeting or thanks"
INTRODUCTION: Final = "introduces something else"
QUESTION: Final = "question"
SUPPOSITION: Final = "only a supposition"
REQUEST: Final = "request for this moment"
ABOUT_OTHERS: Final = "about the other person"
ABOUT_CURRENT_WORK: Final = "about the current work"
VAGUE: Final = "says nothing definite"
NOT_EXPLICIT: Final = "stated, but perhaps only of the moment"
NO_SIGN_OF_LASTING: Final = "nothing shows that it lasts"
SAID_BY_AGENT: Final = "the agent's own words"
OVERRIDES_RULES: Final = "tells an agent to drop its rules"

_NEVER_KEPT: Final = {
    "recalled": RECALLED,
    "heartbeat": HEARTBEAT,
    "tool_output": TOOL_OUTPUT,
    "greeting": GREETING,
    "introduction": INTRODUCTION,
    "question": QUESTION,
    "supposed": SUPPOSITION,
}
_NOT_ABOUT_SPEAKER: Final = {
    "request": REQUEST,
    "others": ABOUT_OTHERS,
    "mood": VAGUE,
    "at_hand": ABOUT_CURRENT_WORK,
}
_NAME_OR_NUMBER: Final = re.compile(r"(?<=[\w,] )(?!I\b)[A-Z]|\d")
_MIN_OWN_WORDS: Final = 2
_MAX_SEARCHED: Final = 20_000
"""Characters of a turn that are searched; a longer turn contains pasted text."""


def _patterns() -> PatternFile:
    return pattern_file("extract/patterns/guards")


def refusal_of_turn(turn: str) -> str | None:
    """Return why a turn is not read at all; None if it is read.

    A turn is not read if it repeats text recalled from memory, or if it tells an agent to drop its
    rules, because nothing in such a turn can be trusted.
    """
    if _patterns().regex("recalled").search(turn):
        return RECALLED
    return OVERRIDES_RULES if overrides_instructions(turn[:_MAX_SEARCHED]) else None


def refusal(sentence: str) -> str | None:
    """Return why a sentence is not kept, whatever else it says; None if it may be kept."""
    return _first_reason(sentence, _NEVER_KEPT)


def refusal_as_statement(sentence: str) -> str | None:
    """Return why a sentence states nothing about its speaker, such as a request or a mood."""
    reason = _first_reason(sentence, _NOT_ABOUT_SPEAKER)
    return reason or (VAGUE if _points_elsewhere(sentence) else None)


def refusal_to_keep(kind: str) -> str | None:
    """Return why something is not worth keeping although somebody asks for it.

    It is a mood, advice, or kind words about the agent without an instruction.
    """
    patterns = _patterns()
    vague = patterns.regex("mood").search(kind) or patterns.regex("advice").search(kind)
    if vague or _points_elsewhere(kind):
        return VAGUE
    others = patterns.regex("others").search(kind)
    return ABOUT_OTHERS if others and not patterns.regex("orders").search(kind) else None


def is_definite(clause: str) -> bool:
    """Return whether a clause contains a name or a number."""
    return _NAME_OR_NUMBER.search(clause) is not None


def _first_reason(sentence: str, reasons: dict[str, str]) -> str | None:
    patterns = _patterns()
    found = (reason for name, reason in reasons.items() if patterns.regex(name).search(sentence))
    return next(found, None)


def _points_elsewhere(sentence: str) -> bool:
    """Return whether a sentence only refers to something said before: "I've used it lately"."""
    patterns = _patterns()
    if not patterns.regex("pointing").search(sentence) or is_definite(sentence):
        return False
    weak_words = patterns.words("idle_words")
    own = [word for word in content_words(sentence) if word not in weak_words]
    return len(own) < _MIN_OWN_WORDS
