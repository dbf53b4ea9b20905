"""What in MEMORY.md belongs to a moment? Reports, greetings, lines of a conversation: they are paid
for in every conversation, and their place is the note of their day."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from remem.audit.noise import is_status
from remem.audit.statements import Statement, statements
from remem.core.likeness import sentences
from remem.core.statement import Document
from remem.maintenance.doctor.finding import Finding
from remem.ports import Extractor

MOVE: Final = "`remem doctor --move-chatter`"
MEMORY_MD: Final = "MEMORY.md"
_LONGEST: Final = 100
_REPORT: Final = "status"
_NAMED: Final = 5

_SPEAKER: Final = re.compile(r"(?:user|assistant|human|ai|me|you)\s*[:：]\s*\S.*", re.IGNORECASE)
_TIMED: Final = re.compile(r"[\[(]\d{1,2}[:.]\d{2}(?:[:.]\d{2})?[\])]\s*[-–—:|]?\s+\S.*")
_COURTESY: Final = tuple(
    re.compile(rf"\W*(?:{pattern})\W*", re.IGNORECASE)
    for pattern in (
        r"(?:hi|hello|hey|good (?:morning|evening|night)|thanks?(?: you)?(?: so much| a lot)?|"
        r"thx|bye)(?:[ ,!.]+(?:there|again|all|everyone|\w{2,12}))?",
        r"(?:ok(?:ay)?|great|cool|nice|sure|got it|will do|sounds good|no problem|you['’]?re "
        r"welcome|see you|lol|haha+|thanks?|done|[ ,!.])+",
        r"(?:let me (?:check|see|know)|one (?:moment|sec(?:ond)?)|i(?:['’]ll| will) (?:check|look "
        r"(?:into|at) (?:it|this|that))|brb|checking(?: now)?|looking into it)(?: .{0,30})?",
        r"(?:hallo|guten (?:morgen|abend|tag)|danke(?: schön| dir)?|gerne|alles klar|bis später|"
        r"mache ich|moment)",
        r"(?:hola|buenos días|gracias|de nada|vale|bonjour|merci|d['’]accord|salut)",
        r"(?:привет|здравствуйте|спасибо|хорошо|ладно|понял|сейчас посмотрю)",
        r"(?:你好|早上好|晚安|谢谢|好的|没问题|收到|稍等|我看一下)",
        r"(?:こんにちは|おはよう(?:ございます)?|ありがとう(?:ございます)?|了解(?:です|しました)?|"
        r"お疲れ様(?:です|でした)?|少々お待ちください)",
    )
)


@dataclass(frozen=True, slots=True)
class Chatter:
    """Lines of MEMORY.md that can go without taking another line's meaning with them."""

    statement: Statement
    reason: str

    @property
    def day(self) -> str | None:
        """The day that the line or the heading above it names."""
        return self.statement.day


def chatter(text: str, rules: Extractor, today: str) -> list[Chatter]:
    """What of MEMORY.md was only true, or only meant, at one moment; `rules` know reports."""
    read = rules.extract(Document(MEMORY_MD, text, today))
    reports = {each.lines[0] for each in read.statements if each.noise == _REPORT}
    found = []
    for each in statements(MEMORY_MD, text, always=True):
        reason = _reason(each, report=each.start in reports)
        if reason and _stands_alone(each):
            found.append(Chatter(each, reason))
    return found


def told(found: Sequence[Chatter]) -> Iterator[Finding]:
    if not found:
        return
    places = ", ".join(f"L{each.statement.start} ({each.reason})" for each in found[:_NAMED])
    more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    lines = "1 line" if len(found) == 1 else f"{len(found)} lines"
    yield Finding(
        "main",
        MEMORY_MD,
        "notice",
        f"{lines} of a passing moment: {places}{more}",
        "every conversation pays for them, and what lasts is harder to see",
        f"{MOVE} shows the change, then moves them to the notes of their days",
    )


def _reason(statement: Statement, *, report: bool) -> str | None:
    """Only a single short sentence is judged: a longer text may say something else too."""
    line = statement.said.strip()
    if len(sentences(line)) != 1 or "\n" in line or statement.struck:
        return None
    if _SPEAKER.fullmatch(line):
        return "a line of a conversation"
    if len(line) > _LONGEST:
        return None
    if any(pattern.fullmatch(line) for pattern in _COURTESY):
        return "courtesy"
    if report or is_status(line):
        return "a report"
    return "a moment of a day" if _TIMED.fullmatch(line) else None


def _stands_alone(statement: Statement) -> bool:
    return statement.leaf and (statement.kind == "bullet" or statement.parent is None)
