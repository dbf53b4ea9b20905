"""Find lines without lasting content: useless lines that a host has promoted, and status reports.

A host promotes a line when it copies it from a note to MEMORY.md. Lines that are out of date are
found by `stale_lines`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from remem.admin.audit.result import NoiseKind
from remem.extract.judge import judge
from remem.model.statement import Place
from remem.text.statements import TextStatement, promotion_suffix
from remem.text.words import words

_PROMOTION_SUFFIX: Final = re.compile(
    r"\[score=(?P<score>[\d.]+)\s+recalls=(?P<recalls>\d+)[^\]]*?"
    r"source=(?P<path>[^\]]+?):(?P<first>\d+)-(?P<last>\d+)\]"
)
_STATUS_PATTERNS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?:no|0)\s+(?:active|new|pending|open|running|unread)\b.*"
        r"\b(?:found|sessions?|tasks?|messages?|issues?|alerts?|mails?)\W*",
        r".*\bheartbeat[ _]?(?:ok|ack|check(?:ed)?)\b.*",
        r"(?:nothing|no changes?|no updates?)\s+(?:to report|new|since)\b.*",
        r"all\s+(?:systems?|services?|checks?|tests?)\b.*"
        r"\b(?:ok|normal|green|pass(?:ed|ing)?|operational|nominal)\W*",
        r"(?:unit\s+)?(?:tests?|builds?|ci|coverage)\b\W*\d[\d.,%]*\s*(?:→|->|=>)\s*\d.*",
        r"(?:status|state|状态|進捗)\s*[:：]\s*"
        r"(?:ok|done|pending|idle|running|deployed|in progress|wip|✅|完成|进行中)\W*",
        r"\W*(?:done|deployed|completed|finished|pending|fertig|erledigt|已完成|完成|完了|готово)\W*",
    )
)
_MAX_STATUS_WORDS: Final = 12


@dataclass(frozen=True, slots=True)
class Noise:
    """A statement without lasting content.

    `is_report` means that it only reports the state at one moment, and `is_in_note` that its words
    are still in the note from which a host promoted it.
    """

    statement: TextStatement
    kind: NoiseKind
    reason: str
    is_report: bool = False
    is_in_note: bool = False


def find_noise(
    statements: Sequence[TextStatement], read_note: Callable[[str, int, int], str | None]
) -> list[Noise]:
    """Return the noise among statements.

    `read_note` returns the lines of a note, given by its path and two line numbers, or None.
    """
    possible_noise = (
        _promoted_noise(statement, read_note) or _status_noise(statement)
        for statement in statements
    )
    return [noise for noise in possible_noise if noise is not None]


def is_status(text: str) -> bool:
    """Return whether a line only reports the state at one moment."""
    line = text.strip()
    short = "\n" not in line and len(words(line)) <= _MAX_STATUS_WORDS
    return short and any(pattern.fullmatch(line) for pattern in _STATUS_PATTERNS)


def _promoted_noise(
    statement: TextStatement, read_note: Callable[[str, int, int], str | None]
) -> Noise | None:
    """Return a line as noise if a host promoted it and it was never recalled or is a report."""
    match = _PROMOTION_SUFFIX.fullmatch(promotion_suffix(statement.text))
    if match is None:
        return None
    is_report = is_status(statement.plain_text)
    never_recalled = int(match["recalls"]) == 0 and not _is_instruction(statement)
    if not (never_recalled or is_report):
        return None
    note = read_note(match["path"], int(match["first"]), int(match["last"]))
    is_in_note = note is not None and set(words(statement.plain_text)) <= set(words(note))
    reason = "only a status report" if is_report else "never recalled"
    promoted = f"promoted by the host from {match['path']}, {reason}"
    return Noise(statement, "promoted", promoted, is_report, is_in_note)


def _is_instruction(statement: TextStatement) -> bool:
    """Return whether a line is a rule or a wish, which agents need even if they never search."""
    judged = judge(statement.plain_text, Place(statement.path, statement.headings))
    return judged.category in ("instruction", "preference")


def _status_noise(statement: TextStatement) -> Noise | None:
    if not is_status(statement.plain_text) or statement.plain_text.endswith((":", "：")):
        return None  # a colon introduces the lines below
    return Noise(statement, "status", "only a status report", is_report=True)
