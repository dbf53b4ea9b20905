"""Split a turn into sentences, and find the part of a sentence that states something.

"By the way, I moved to Oslo in May, how do I register?" has its statement in the middle. A question
may contain its reason: "What can I cook, given that I'm allergic to nuts?" Every part is quoted
word for word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from remem.text.pattern_file import PatternFile, pattern_file

_MAX_LENGTH: Final = 600
_CODE: Final = re.compile(r"```.*?(?:```|$)", re.DOTALL)
_BULLET: Final = re.compile(r"^(?:[-*•>]|\d{1,2}[.)])\s+")
_END: Final = (
    r"(?<=[.!?])[\"”’)]?\s+(?=[^\Wa-z]|\*\*|[\[(\"“])"
    r"(?!(?<=\d\.\s)(?:Jan|Feb|März|April|Mai|Jun|Jul|Aug|Sept|Okt|Nov|Dez))"
    r"|(?<=[。！？；])\s*|\s+(?=[-*•]\s)|\s+(?=\[[ xX]\]\s)"
)
_LABEL: Final = r"(?:\*\*|__)?(?:{})(?:\*\*|__)?\s?[:：](?:\*\*|__)?\s*"


def _patterns() -> PatternFile:
    return pattern_file("extract/patterns/requests")


@cache
def label_pattern() -> re.Pattern[str]:
    """Return the pattern of a label such as "Decision: ".

    The name of the group that matched is the kind of lesson, or "done".
    """
    kinds = "|".join(f"(?P<{kind}>{words})" for kind, words in _patterns()["labels"].items())
    return _patterns().compile(_LABEL.format(kinds))


@cache
def _end_patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return two patterns for the end of a sentence; the second also matches before a label."""
    words = _patterns().compile(_LABEL.format("|".join(_patterns()["labels"].values()))).pattern
    return re.compile(_END), re.compile(rf"{_END}|\s+(?=(?i:{words}))")


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences and list items of a turn, without code."""
    end = _end_patterns()[":" in text or "：" in text]
    for prose in _CODE.split(text):
        for part in end.split(prose):
            sentence = _BULLET.sub("", part.strip()).strip()
            if sentence and len(sentence) <= _MAX_LENGTH:
                yield sentence


def statement_in(sentence: str) -> str:
    """Return the part of a sentence that states something, without lead-in and final question."""
    statement = sentence
    for beginning in ("lead_in", "addressed"):
        if match := _patterns().regex(beginning).match(statement):
            statement = statement[match.end() :]
    for question in ("final_question", "final_wondering"):
        match = _patterns().regex(question).search(statement)
        if match and match.start():
            statement = statement[: match.start()]
    return statement.strip()


def clause_starts(statement: str) -> Iterator[int]:
    """Yield the positions at which the second and later clauses of a statement begin."""
    return (clause.end() for clause in _patterns().regex("further_clause").finditer(statement))


def reason_in(question: str) -> str | None:
    """Return the statement about the speaker that explains a question, if there is one."""
    match = _patterns().regex("reason").search(question)
    return statement_in(match["reason"]).strip(" ,.") if match else None
