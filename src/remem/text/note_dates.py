"""Find the dates of notes, in lines, headings and file names.

If a date has no year, the year of the nearest date that has one is used. A date in the future is a
plan, not the day of the note.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from functools import cache, cached_property, lru_cache
from typing import Final

from remem.fast_dataclass import dataclass
from remem.text.date_words import CHINESE_NUMERAL, MONTHS_IN_NOTES, number_of

_NAME: Final = "|".join(sorted(MONTHS_IN_NOTES, key=len, reverse=True))
_NUMBER: Final = rf"(?:\d{{1,2}}|{CHINESE_NUMERAL})"
_FORMS: Final = (
    r"(?<!\d)(?P<year>20\d\d)[-/._](?P<month>\d{1,2})[-/._](?P<day>\d{1,2})(?!\d)",
    rf"(?<!\d)(?P<year>20\d\d)\s*年\s*(?P<month>{_NUMBER})\s*月\s*(?P<day>{_NUMBER})\s*[日号]",
    r"(?<!\d)(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>20\d\d)(?!\d)",
    rf"\b(?P<name>{_NAME})\.?\s+(?P<day>\d{{1,2}})(?:st|nd|rd|"
    rf"th)?\b(?!:)(?:,?\s+(?P<year>20\d\d)\b)?",
    rf"(?<!\d)(?P<day>\d{{1,2}})(?:st|nd|rd|th|er|º|\.)?\s+(?:de\s+)?(?P<name>{_NAME})\b\.?"
    r"(?:,?\s+(?:de\s+)?(?P<year>20\d\d)\b)?",
    rf"(?<!\d)(?P<month>{_NUMBER})\s*月\s*(?P<day>{_NUMBER})\s*[日号]",
    r"(?<![\d./-])(?P<month>0?[1-9]|1[0-2])[-/](?P<day>0?[1-9]|[12]\d|3[01])(?![\d./-])",
    r"(?<!\d)(?P<year>20\d\d)(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01])(?!\d)",
    r"(?<![\d-])(?P<year>20\d\d)-(?P<month>0[1-9]|1[0-2])(?![\d-])",
)
_FRACTION_LIKE_FORM: Final = 6  # this form could also be a fraction
_DIGIT: Final = re.compile(r"\d|月")
_WEEK: Final = re.compile(r"(?<!\d)(20\d\d)-?W(\d\d)(?!\d)", re.IGNORECASE)
_DATE_INTRODUCTION: Final = re.compile(
    r"(?:updated?|as of|observed|added|noted|decided(?: on)?|stand|seit dem update|更新于?|截至|"
    r"обновлено|на|actualizado|mis à jour(?: le)?|au|[(（\[【])\s*:?\s*$",
    re.IGNORECASE,
)
_COUNTING: Final = re.compile(r"(?<!\d)1/(\d{1,2})\W{1,3}2/\1(?!\d)")
"""A text that counts has fractions, not dates: `1/10, 2/10`."""
_DEADLINE: Final = re.compile(
    r"\b(?:expir\w*|until|till|due|by|deadline|valid|ends?|starts?|planned|bis|gültig|fällig|ab|"
    r"geplant|jusqu\w*|échéance|prévue?|hasta|vence|válid\w*|previst\w*|até|до|срок)\b"
    r"|到期|截止|有效|期限|まで|予定",
    re.IGNORECASE,
)
"""Words in brackets around a date that is a limit or a plan, not the day of the line."""
_FIRST_WORD: Final = re.compile(r"\W*[^\W\d_]+\W{1,3}")
_COLON: Final = re.compile(r"\W{0,3}[:：]")
_OPENING: Final = re.compile(r"[(（\[【]([^()（）]*)$")
_MAX_CONTEXT: Final = 200
"""Characters that are read before and after a date, so that a line full of dates stays cheap."""
_CLOSING: Final = re.compile(r"[^()（）\[\]【】]*[)）\]】]")


@dataclass(frozen=True, slots=True)
class DateMention:
    """A date at `start` to `end` of a text; `year` is None if the text does not name one."""

    year: int | None
    month: int
    day: int
    start: int
    end: int

    def on(self, year: int) -> date | None:
        """Return the date in a year, or None if the year has no such day."""
        try:
            return date(year, self.month, self.day)
        except ValueError:
            return None


@cache
def _forms() -> tuple[re.Pattern[str], ...]:
    """Return the compiled forms; the names of months in all languages make them slow to compile."""
    return tuple(re.compile(form, re.IGNORECASE) for form in _FORMS)


@lru_cache(maxsize=4096)
def mentions(text: str) -> tuple[DateMention, ...]:
    """Return the dates in a text, in order; of overlapping readings, the more complete one."""
    if _DIGIT.search(text) is None:
        return ()
    mentions_found: list[DateMention] = []
    taken = bytearray(len(text))
    for index, form in enumerate(_forms()):
        if index == _FRACTION_LIKE_FORM and _COUNTING.search(text):
            continue
        for match in form.finditer(text):
            if any(taken[match.start() : match.end()]):
                continue
            if index == _FRACTION_LIKE_FORM and not _is_date(text, match):
                continue
            if (mention := _mention(match)) is not None:
                mentions_found.append(mention)
                taken[match.start() : match.end()] = b"\1" * len(match[0])
    return tuple(sorted(mentions_found, key=lambda mention: mention.start))


def date_in_name(path: str) -> date | None:
    """Return the date in a file's name, such as `2026-02-05-call.md` or `review-20260205.md`.

    A week counts as its Monday, a month as its first day.
    """
    return _date_in(path.rsplit("/", 1)[-1], min_length=len("2026-02"))


def iso_date_in_name(path: str) -> str | None:
    """Return `date_in_name` in ISO format."""
    day = date_in_name(path)
    return day.isoformat() if day else None


def day_of_headings(headings: Sequence[str]) -> str | None:
    """Return the day in the nearest heading above a text; `headings` are outermost first.

    Dates without a year or a day are ignored.
    """
    days = (_date_in(heading, min_length=len("2026-2-5")) for heading in reversed(headings))
    return next((day.isoformat() for day in days if day), None)


@lru_cache(maxsize=1_000)
def _date_in(text: str, min_length: int) -> date | None:
    """Return the Monday of the week that a text names, or else its first date with a year."""
    if week := _WEEK.search(text):
        try:
            return date.fromisocalendar(int(week[1]), int(week[2]), 1)
        except ValueError:
            return None
    complete = (m for m in mentions(text) if m.year and m.end - m.start >= min_length)
    return next((day for m in complete if m.year and (day := m.on(m.year))), None)


class Calendar:
    """Tells the dates of a document's headings and lines, with the help of its other dates.

    `lines` are the numbers and texts of the lines that may have dates.
    """

    def __init__(self, path: str, lines: Sequence[tuple[int, str]], today: date) -> None:
        self._today = today
        self._lines = lines
        self.name_day = self._past(date_in_name(path))

    @cached_property
    def _dates_with_year(self) -> list[tuple[int, date]]:
        """The dates in the document that have a year, with their lines."""
        return list(_full_dates(self._lines, self._today))

    def of_heading(self, title: str, line: int) -> date | None:
        """Return the last date of a title, as in `Setup (2026-02-01, updated 04-20)`."""
        days = [day for mention in mentions(title) if (day := self._resolve(mention, line))]
        return days[-1] if days else None

    def of_line(self, text: str, line: int) -> date | None:
        """Return the date of a line, which is at its start, in brackets, or after "updated".

        A date in the middle of a sentence belongs to its content and is not the date of the line.
        """
        offset = len(text) - len(text.lstrip("*_~[(（【 \t"))
        days = [
            day
            for mention in mentions(text)
            if (mention.start <= offset or _dates_the_line(text, mention))
            and (day := self._resolve(mention, line))
        ]
        return days[-1] if days else None

    def _resolve(self, mention: DateMention, line: int) -> date | None:
        if mention.year is not None:
            return self._past(mention.on(mention.year))
        anchor = self.name_day or self._nearest(line) or self._today
        years = (anchor.year - 1, anchor.year, anchor.year + 1)
        candidates = [day for year in years if (day := self._past(mention.on(year)))]
        return min(candidates, key=lambda day: abs(day - anchor), default=None)

    def _nearest(self, line: int) -> date | None:
        """Return the date with a year that is nearest to a line; of two equally near, the upper."""

        def first_from(number: int) -> int:
            return bisect_left(self._dates_with_year, number, key=lambda dated: dated[0])

        below = first_from(line)
        nearest = self._dates_with_year[below : below + 1]
        if below:
            line_above = self._dates_with_year[below - 1][0]
            nearest.insert(0, self._dates_with_year[first_from(line_above)])
        return min(nearest, key=lambda dated: abs(dated[0] - line))[1] if nearest else None

    def _past(self, day: date | None) -> date | None:
        """Return a day, or None if it is in the future; tomorrow counts as today (time zones)."""
        if day is None or day > self._today + timedelta(days=1):
            return None
        return min(day, self._today)


def _full_dates(lines: Sequence[tuple[int, str]], today: date) -> Iterator[tuple[int, date]]:
    for line, text in lines:
        for mention in mentions(text):
            if mention.year and (day := mention.on(mention.year)) and day <= today:
                yield line, day


def _mention(match: re.Match[str]) -> DateMention | None:
    parts = match.groupdict()
    month = (
        MONTHS_IN_NOTES[parts["name"].casefold()]
        if parts.get("name")
        else number_of(parts["month"])
    )
    day = number_of(parts.get("day") or "1")
    year = int(parts["year"]) if parts.get("year") else None
    mention = DateMention(year, month, day, match.start(), match.end())
    return mention if mention.on(year or 2024) else None


def _is_date(text: str, match: re.Match[str]) -> bool:
    """Return whether a match such as `2/5` is a date and not a fraction.

    It is a date at the start of a line, in brackets or after "updated".
    """
    before = text[max(0, match.start() - _MAX_CONTEXT) : match.start()]
    if match.start() <= _MAX_CONTEXT and not before.lstrip("*_~# \t"):
        return True
    return _DATE_INTRODUCTION.search(before) is not None


def _dates_the_line(text: str, mention: DateMention) -> bool:
    """Return whether a date is in brackets, and no deadline or plan, or after "updated".

    A date between the first word and a colon dates the line, too: `Decision 2026-01-12: …`.
    """
    before = text[max(0, mention.start - _MAX_CONTEXT) : mention.start]
    after = text[mention.end : mention.end + _MAX_CONTEXT]
    inside, closing = _OPENING.search(before), _CLOSING.match(after)
    if inside and closing:
        return not _DEADLINE.search(f"{inside[1]} {closing[0]}")
    is_in_label = _FIRST_WORD.fullmatch(text[: mention.start]) and _COLON.match(after)
    if is_in_label and not _DEADLINE.search(before):
        return True
    return _DATE_INTRODUCTION.search(before) is not None
