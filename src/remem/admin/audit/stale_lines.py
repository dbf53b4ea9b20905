"""Find lines of USER.md and MEMORY.md that are out of date.

Such lines are logs of a past day, work that is marked as done, lines with a word such as “tomorrow”
whose day is over, and states of a day long ago. Every conversation loads them, and an agent takes
them for current. Rules, wishes, decisions and descriptions of people are not among them, unless
they are marked as done.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import Final

from remem.admin.audit.noise import Noise
from remem.errors import counted
from remem.extract.judge import judge
from remem.model.host_loading import CURATED_FILES
from remem.model.statement import Place
from remem.text.pattern_file import pattern_file
from remem.text.statements import TextStatement

_PATTERNS: Final = pattern_file("admin/audit/stale_lines")
_TICK: Final = re.compile(r"\W*?(?:[✅☑✔]|\[[xX✓✔]\])")
_DAY: Final = re.compile(
    r"\W*(?:week of )?(20\d\d)\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})(?!\s*月)", re.IGNORECASE
)
_ANY_DAY: Final = re.compile(r"20\d\d\s*[-/.年]\s*\d{1,2}\s*[-/.月]\s*\d")
_LASTING: Final = frozenset({"instruction", "preference", "person", "decision", "insight"})
_LOGGED_DAYS: Final = 60
_RELATIVE_DAYS: Final = 14
_STATE_DAYS: Final = 90


def find_stale_lines(statements: Sequence[TextStatement], today: str) -> list[Noise]:
    """Return the stale statements of USER.md and MEMORY.md; of a day's log, only the first."""
    own = [statement for statement in statements if statement.path in CURATED_FILES]
    logs = list(_logs(own, _days_before(today, _LOGGED_DAYS)))
    in_logs = {id(line) for _, lines in logs for line in lines}
    reasons = {lines[0]: f"the log of {day}, {counted(len(lines), 'line')}" for day, lines in logs}
    for statement in own:
        if id(statement) not in in_logs and (reason := _reason(statement, today)):
            reasons[statement] = reason
    stale = [Noise(line, "stale", reason) for line, reason in reasons.items()]
    return sorted(stale, key=lambda line: (line.statement.path, line.statement.start))


def _logs(
    statements: Sequence[TextStatement], before: str
) -> Iterator[tuple[str, list[TextStatement]]]:
    """Yield the dated sections and list items from before a day, each with its day.

    Those that contain a lasting statement are left out.
    """
    sections: defaultdict[tuple[str, str], list[TextStatement]] = defaultdict(list)
    for statement in statements:
        for title in reversed(statement.headings):
            if day := _leading_day(title):
                sections[title, day].append(statement)
                break
        else:
            day = _leading_day(statement.plain_text)
            if day and statement.parent is None:
                sections[statement.source, day].append(statement)
    for (_, day), lines in sections.items():
        if day < before and not any(map(_lasts, lines)):
            yield day, lines


def _reason(statement: TextStatement, today: str) -> str | None:
    """Return why a statement is stale; None if it may be current."""
    text, day = statement.plain_text, statement.day
    if text.rstrip().endswith((":", "：")):
        return None
    if any(_PATTERNS.regex("record").search(title) for title in statement.headings):
        return None
    if _is_finished(statement):
        return "finished work"
    if _lasts(statement) or _PATTERNS.regex("habitual").search(text):
        return None
    relative = _PATTERNS.regex("relative").search(text)
    if relative and (day is None or day < _days_before(today, _RELATIVE_DAYS)):
        return f"says “{relative[0]}” of a day that is over"
    state = _PATTERNS.regex("state").search(text)
    if state and day is not None and day < _days_before(today, _STATE_DAYS):
        is_value = text[: state.start()].rstrip("*_ ✅⏳").endswith((":", "：", "—", "–"))
        return f"says “{state[0]}” of {day}" if is_value or _ANY_DAY.search(text) else None
    return None


def _is_finished(statement: TextStatement) -> bool:
    """Return whether a line is ticked or struck out and reports what was done."""
    tick = _TICK.match(statement.text.lstrip("-*• "))
    if tick is None:
        return statement.struck
    rest = statement.text.lstrip("-*• ")[tick.end() :].strip("*_ ")
    return _PATTERNS.regex("finished").match(rest) is not None


def _lasts(statement: TextStatement) -> bool:
    place = Place(statement.path, statement.headings)
    judged = judge(statement.plain_text, place)
    lasts = judged.category in _LASTING and not judged.transient
    return lasts or _PATTERNS.regex("from_then_on").search(statement.plain_text) is not None


def _leading_day(text: str) -> str | None:
    if (match := _DAY.match(text)) is None:
        return None
    year, month, day = (int(group) for group in match.groups())
    return f"{year}-{month:02}-{day:02}" if month <= 12 and day <= 31 else None


def _days_before(today: str, days: int) -> str:
    return (date.fromisoformat(today) - timedelta(days=days)).isoformat()
