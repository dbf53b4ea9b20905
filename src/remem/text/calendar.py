"""When was it said? Dates in lines, headings and file names; a missing year is worked out.

A year that is not written is that of the nearest date that has one. Nothing was said in the
future: a later date is a plan, not the day of the note.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from typing import Final

_MONTHS: Final = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar enero ene janvier janv января янв",
            "february feb februar febrero février févr февраля фев",
            "march mar märz marzo mars марта мар",
            "april apr abril abr avril avr апреля апр",
            "may mai mayo мая май",
            "june jun juni junio juin июня июн",
            "july jul juli julio juillet juil июля июл",
            "august aug agosto ago août августа авг",
            "september sep sept septiembre septembre сентября сен",
            "october oct oktober okt octubre octobre октября окт",
            "november nov noviembre novembre ноября ноя",
            "december dec dezember dez diciembre dic décembre déc декабря дек",
        ),
        start=1,
    )
    for name in names.split()
}
_NAME: Final = "|".join(sorted(_MONTHS, key=len, reverse=True))
_FORMS: Final = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        r"(?<!\d)(?P<year>20\d\d)[-/._](?P<month>\d{1,2})[-/._](?P<day>\d{1,2})(?!\d)",
        r"(?<!\d)(?P<year>20\d\d)\s*年\s*(?P<month>\d{1,2})\s*月\s*(?P<day>\d{1,2})\s*[日号]",
        r"(?<!\d)(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>20\d\d)(?!\d)",
        rf"\b(?P<name>{_NAME})\.?\s+(?P<day>\d{{1,2}})(?:st|nd|rd|"
        rf"th)?\b(?!:)(?:,?\s+(?P<year>20\d\d)\b)?",
        rf"(?<!\d)(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)?\s+(?:de\s+)?(?P<name>{_NAME})\b\.?"
        r"(?:,?\s+(?:de\s+)?(?P<year>20\d\d)\b)?",
        r"(?<!\d)(?P<month>\d{1,2})\s*月\s*(?P<day>\d{1,2})\s*[日号]",
        r"(?<![\d./-])(?P<month>0?[1-9]|1[0-2])[-/](?P<day>0?[1-9]|[12]\d|3[01])(?![\d./-])",
        r"(?<!\d)(?P<year>20\d\d)(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01])(?!\d)",
        r"(?<![\d-])(?P<year>20\d\d)-(?P<month>0[1-9]|1[0-2])(?![\d-])",
    )
)
_LAST_NUMERIC: Final = 6  # the form that could also be a fraction
_DIGIT: Final = re.compile(r"\d")
_WEEK: Final = re.compile(r"(?<!\d)(20\d\d)-?W(\d\d)(?!\d)", re.IGNORECASE)
_SPOKEN_BEFORE: Final = re.compile(
    r"(?:updated?|as of|observed|added|noted|decided(?: on)?|stand|seit dem update|更新于?|截至|"
    r"обновлено|на|actualizado|mis à jour(?: le)?|au|[(（\[【])\s*:?\s*$",
    re.IGNORECASE,
)
_CLOSING: Final = re.compile(r"[^()（）\[\]【】]*[)）\]】]")


@dataclass(frozen=True, slots=True)
class Mention:
    """A date as it stands in a text; `year` is None where it is not written."""

    year: int | None
    month: int
    day: int
    start: int
    end: int

    def on(self, year: int) -> date | None:
        try:
            return date(year, self.month, self.day)
        except ValueError:
            return None


def mentions(text: str) -> list[Mention]:
    """The dates of a text in their order; of two readings of one place, the fuller one."""
    if _DIGIT.search(text) is None:
        return []
    found: list[Mention] = []
    taken: list[tuple[int, int]] = []
    for number, form in enumerate(_FORMS):
        for match in form.finditer(text):
            if any(match.start() < end and start < match.end() for start, end in taken):
                continue
            if number == _LAST_NUMERIC and not _stands_alone(text, match):
                continue
            if (mention := _mention(match)) is not None:
                found.append(mention)
                taken.append(match.span())
    return sorted(found, key=lambda each: each.start)


def day_of_name(path: str) -> date | None:
    """The day that a file's name gives: `2026-02-05-call.md`, `review-20260205.md`, a week."""
    name = path.rsplit("/", 1)[-1]
    if week := _WEEK.search(name):
        try:
            return date.fromisocalendar(int(week[1]), int(week[2]), 1)
        except ValueError:
            return None
    return next(
        (day for mention in mentions(name) if mention.year and (day := mention.on(mention.year))),
        None,
    )


class Calendar:
    """Knows the days of one document: its name's, those of its headings and lines."""

    def __init__(self, path: str, lines: Sequence[tuple[int, str]], today: date) -> None:
        self._today = today
        self._lines = lines
        self.name_day = self._past(day_of_name(path))

    @cached_property
    def _known(self) -> list[tuple[int, date]]:
        """Looked for when the first date comes that has no year."""
        return list(_full_dates(self._lines, self._today))

    def of_heading(self, title: str, line: int) -> date | None:
        """The last date of a title counts: `Setup (2026-02-01, updated 04-20)`."""
        days = [day for mention in mentions(title) if (day := self._resolved(mention, line))]
        return days[-1] if days else None

    def of_line(self, text: str, line: int) -> date | None:
        """The day a line claims for itself: at its beginning, in brackets, or after "updated".
        A date in the middle of a sentence is what the line is about."""
        offset = len(text) - len(text.lstrip("*_~[(（【 \t"))
        days = [
            day
            for mention in mentions(text)
            if (mention.start <= offset or _claimed(text, mention))
            and (day := self._resolved(mention, line))
        ]
        return days[-1] if days else None

    def _resolved(self, mention: Mention, line: int) -> date | None:
        if mention.year is not None:
            return self._past(mention.on(mention.year))
        near = min(self._known, key=lambda known: abs(known[0] - line), default=None)
        anchor = self.name_day or (near[1] if near else self._today)
        years = (anchor.year - 1, anchor.year, anchor.year + 1)
        possible = [day for year in years if (day := self._past(mention.on(year)))]
        return min(possible, key=lambda day: abs(day - anchor), default=None)

    def _past(self, day: date | None) -> date | None:
        """Time zones differ by a day; what lies further ahead has not happened."""
        if day is None or day > self._today + timedelta(days=1):
            return None
        return min(day, self._today)


def _full_dates(lines: Sequence[tuple[int, str]], today: date) -> Iterator[tuple[int, date]]:
    for line, text in lines:
        for mention in mentions(text):
            if mention.year and (day := mention.on(mention.year)) and day <= today:
                yield line, day


def _mention(match: re.Match[str]) -> Mention | None:
    parts = match.groupdict()
    month = _MONTHS[parts["name"].casefold()] if parts.get("name") else int(parts["month"])
    day = int(parts.get("day") or 1)
    year = int(parts["year"]) if parts.get("year") else None
    mention = Mention(year, month, day, match.start(), match.end())
    return mention if mention.on(year or 2024) else None


def _stands_alone(text: str, match: re.Match[str]) -> bool:
    """`2/5` is a date at the beginning, in brackets or after "updated"; else a fraction."""
    before = text[: match.start()].lstrip("*_~# \t")
    return not before or _SPOKEN_BEFORE.search(before) is not None


def _claimed(text: str, mention: Mention) -> bool:
    before, after = text[: mention.start], text[mention.end :]
    if _SPOKEN_BEFORE.search(before):
        return True
    return bool(re.search(r"[(（\[【][^()（）]*$", before) and _CLOSING.match(after))
