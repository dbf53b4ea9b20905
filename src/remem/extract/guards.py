"""Guards that keep sentences of a conversation out of memory, each with the reason to count.

Greetings, questions, suppositions, tool output and moods say nothing that lasts. What a memory
answered is left out too: to store it again would feed the memory to itself.
"""

from __future__ import annotations

import re
from typing import Final

from remem.text.pattern_file import PatternFile, pattern_file
from remem.text.untrusted import overrides_instructions
from remem.text.words import content_words

RECALLED: Final = "recalled from memory"
HEARTBEAT: Final = "heartbeat"
TOOL: Final = "tool output"
GREETING: Final = "greeting or thanks"
INTRODUCTION: Final = "introduces something else"
QUESTION: Final = "question"
SUPPOSED: Final = "only supposed"
REQUEST: Final = "request for now"
OTHERS: Final = "about the other person"
AT_HAND: Final = "about the work at hand"
VAGUE: Final = "says nothing definite"
PLAIN: Final = "nothing in it says that it lasts"
BY_AGENT: Final = "the agent's own words"
OVERRIDING: Final = "talks an agent out of its rules"

_REFUSED: Final = {
    "recalled": RECALLED,
    "heartbeat": HEARTBEAT,
    "tool_output": TOOL,
    "greeting": GREETING,
    "introduction": INTRODUCTION,
    "question": QUESTION,
    "supposed": SUPPOSED,
}
_NOT_ABOUT_SPEAKER: Final = {
    "request": REQUEST,
    "others": OTHERS,
    "mood": VAGUE,
    "at_hand": AT_HAND,
}
_NAME_OR_NUMBER: Final = re.compile(r"(?<=[\w,] )(?!I\b)[A-Z]|\d")
_MIN_OWN_WORDS: Final = 2
_MAX_SEARCHED: Final = 20_000
"""Nobody says more than that in one turn; the rest was pasted."""


def _patterns() -> PatternFile:
    return pattern_file("extract/patterns/guards")


def refusal_of_turn(turn: str) -> str | None:
    """Why a turn is not read at all: it shows what a memory answered, or tells an agent to drop
    its rules, and then the rest of it is not trusted either."""
    if _patterns().regex("recalled").search(turn):
        return RECALLED
    return OVERRIDING if overrides_instructions(turn[:_MAX_SEARCHED]) else None


def refusal(sentence: str) -> str | None:
    """Why a sentence is kept out, whatever else it says."""
    return _first_reason(sentence, _REFUSED)


def refusal_as_statement(sentence: str) -> str | None:
    """Why a sentence states nothing about its speaker: it asks, is about others, or is a mood."""
    reason = _first_reason(sentence, _NOT_ABOUT_SPEAKER)
    return reason or (VAGUE if _points_elsewhere(sentence) else None)


def refusal_to_keep(wanted: str) -> str | None:
    """Why there is nothing to know in what somebody asks to be kept: it is a mood, advice, or
    kind words for the agent that tell it nothing to do."""
    patterns = _patterns()
    vague = patterns.regex("mood").search(wanted) or patterns.regex("advice").search(wanted)
    if vague or _points_elsewhere(wanted):
        return VAGUE
    others = patterns.regex("others").search(wanted)
    return OTHERS if others and not patterns.regex("orders").search(wanted) else None


def is_definite(clause: str) -> bool:
    """Whether a clause contains a name or a number."""
    return _NAME_OR_NUMBER.search(clause) is not None


def _first_reason(sentence: str, reasons: dict[str, str]) -> str | None:
    patterns = _patterns()
    found = (reason for name, reason in reasons.items() if patterns.regex(name).search(sentence))
    return next(found, None)


def _points_elsewhere(sentence: str) -> bool:
    """Whether a sentence is about what was shown or said before ("I've been using it lately"),
    and has hardly a word, name or number of its own."""
    patterns = _patterns()
    if not patterns.regex("pointing").search(sentence) or is_definite(sentence):
        return False
    idle = patterns.words("idle_words")
    own = [word for word in content_words(sentence) if word not in idle]
    return len(own) < _MIN_OWN_WORDS
