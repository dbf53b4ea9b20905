"""What says nothing lasting? Lines that a host promoted by itself, and reports of a moment."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from remem.admin.audit.result import NoiseKind
from remem.text.statements import Statement, promotion
from remem.text.words import words

_TAIL: Final = re.compile(
    r"\[score=(?P<score>[\d.]+)\s+recalls=(?P<recalls>\d+)[^\]]*?"
    r"source=(?P<path>[^\]]+?):(?P<first>\d+)-(?P<last>\d+)\]"
)
_STATUS: Final = tuple(
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
_SHORT: Final = 12


@dataclass(frozen=True, slots=True)
class Noise:
    """A statement that is noise. `report`: it only tells how something stood at one moment;
    `safe`: its words still stand in the note that it was promoted from."""

    statement: Statement
    kind: NoiseKind
    reason: str
    report: bool
    safe: bool


def noise(said: Sequence[Statement], line_of: Callable[[str, int, int], str | None]) -> list[Noise]:
    """`line_of` gives lines of another memory file, to see whether a promoted line still
    stands in its note."""
    found = (_promoted(statement, line_of) or _status(statement) for statement in said)
    return [each for each in found if each is not None]


def is_status(text: str) -> bool:
    """Whether a line only reports how something stood at one moment."""
    line = text.strip()
    short = "\n" not in line and len(words(line)) <= _SHORT
    return short and any(pattern.fullmatch(line) for pattern in _STATUS)


def _promoted(statement: Statement, line_of: Callable[[str, int, int], str | None]) -> Noise | None:
    """A host's own promotion is noise if nobody ever recalled it, or if it was a report."""
    match = _TAIL.fullmatch(promotion(statement.text))
    if match is None:
        return None
    never = int(match["recalls"]) == 0
    report = is_status(statement.said)
    if not (never or report):
        return None
    origin = line_of(match["path"], int(match["first"]), int(match["last"]))
    safe = origin is not None and set(words(statement.said)) <= set(words(origin))
    reason = "reports a moment" if report else "never recalled"
    return Noise(
        statement, "promoted", f"promoted by the host from {match['path']}, {reason}", report, safe
    )


def _status(statement: Statement) -> Noise | None:
    if not is_status(statement.said):
        return None
    return Noise(statement, "status", "reports how something stood at one moment", True, False)
