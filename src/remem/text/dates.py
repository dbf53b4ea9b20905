"""Find the spans of days that a question names; relative spans are counted from `now`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from typing import Final


@dataclass(frozen=True, slots=True)
class Window:
    """From the first day to the last, both included."""

    first: date
    last: date


_MONTH_NAMES: Final = """
    january jan januar enero janvier | ene janv января янв
    february feb februar febrero février | févr февраля фев
    march mar märz marzo | mars марта мар
    april apr abril avril | abr avr апреля апр
    may mai mayo | мая май
    june jun juni junio juin | июня июн
    july jul juli julio juillet | juil июля июл
    august aug agosto août | ago августа авг
    september sep sept septiembre septembre | сентября сен
    october oct oktober octubre octobre | okt октября окт
    november nov noviembre novembre | ноября ноя
    december dec dezember diciembre décembre | dez dic déc декабря дек
"""
"""One line for each month; names after the bar are recognised in notes, but not in questions."""


def _months(*, in_notes: bool) -> dict[str, int]:
    lines = _MONTH_NAMES.strip().split("\n")
    return {
        name: number
        for number, line in enumerate(lines, 1)
        for name in (line.replace("|", "") if in_notes else line.partition("|")[0]).split()
    }


MONTHS: Final = _months(in_notes=False)
MONTHS_IN_NOTES: Final = _months(in_notes=True)
_MONTH: Final = "|".join(sorted(MONTHS, key=len, reverse=True))
_WEEKDAYS: Final = {
    name: number
    for number, name in enumerate(
        "monday tuesday wednesday thursday friday saturday sunday".split()
    )
}
_SEASONS: Final = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_NUMBERS: Final = {
    word: number
    for number, words in enumerate(
        "a an one|two couple|three|four|five|six|seven|eight|nine|ten|eleven|twelve".split("|"), 1
    )
    for word in words.split()
}
_DATE_WORDS: Final = frozenset(
    (
        *MONTHS,
        *_WEEKDAYS,
        *_SEASONS,
        *("ago", "last", "past", "this", "today", "heute", "hoy", "yesterday", "gestern", "ayer"),
    )
)
"""A text without a digit, a non-ASCII letter or one of these words names no day."""
_COUNT: Final = rf"(?P<count>\d{{1,3}}|{'|'.join(_NUMBERS)})"


def date_windows(question: str, now: date) -> list[Window]:
    """Return every span of days that a question names, in the most precise reading."""
    spans: list[Window] = []
    text = question.casefold()
    if not _may_name_a_day(text):  # most questions; the patterns below are slow to compile
        return spans
    for pattern, reading in _readings():

        def collect(match: re.Match[str], reading: _Reading = reading) -> str:
            window = _read(reading, match, now)
            if window is None:
                return match.group()
            spans.append(window)
            return " " * len(match.group())

        text = pattern.sub(collect, text)
    return spans


def _may_name_a_day(text: str) -> bool:
    if not text.isascii() or any(character.isdigit() for character in text):
        return True
    return not _DATE_WORDS.isdisjoint(re.findall(r"\w+", text))


_Reading = Callable[[re.Match[str], date], Window]


def _read(reading: _Reading, match: re.Match[str], now: date) -> Window | None:
    """Return None for what looks like a date but is not, such as 2026-02-31."""
    try:
        return reading(match, now)
    except (ValueError, OverflowError):
        return None


def _named_day(match: re.Match[str], now: date) -> Window:
    month = MONTHS[match["name"]]
    year = int(match["year"]) if match["year"] else _latest_year(now, month, int(match["day"]))
    day = date(year, month, int(match["day"]))
    return Window(day, day)


def _numbered_date(match: re.Match[str], now: date) -> Window:
    month = int(match["month"])
    year = int(match["year"]) if match["year"] else _latest_year(now, month, 1)
    if match["day"]:
        day = date(year, month, int(match["day"]))
        return Window(day, day)
    return _month(year, month)


def _named_month(match: re.Match[str], now: date) -> Window:
    month = MONTHS[match["name"]]
    return _month(int(match["year"]) if match["year"] else _latest_year(now, month, 1), month)


def _year(match: re.Match[str], _: date) -> Window:
    return Window(date(int(match["year"]), 1, 1), date(int(match["year"]), 12, 31))


def _season(match: re.Match[str], now: date) -> Window:
    month = _SEASONS[match["season"]]
    year = int(match["year"]) if match["year"] else _latest_year(now, month, 1)
    first = date(year, month, 1)
    return Window(first, _months_later(first, 3) - timedelta(days=1))


def _ago(match: re.Match[str], now: date) -> Window:
    count = int(match["count"]) if match["count"].isdigit() else _NUMBERS[match["count"]]
    return _units_back(now, count, match["unit"])


def _weekday(match: re.Match[str], now: date) -> Window:
    back = (now.weekday() - _WEEKDAYS[match["weekday"]]) % 7 or 7
    day = now - timedelta(days=back)
    return Window(day, day)


def _units_ago(count: int, unit: str | None = None) -> _Reading:
    return lambda match, now: _units_back(now, count, unit or match["unit"])


def _units_back(now: date, count: int, unit: str) -> Window:
    """Return the calendar unit (day, week, month, year) that is `count` units ago."""
    if unit.startswith("day"):
        day = now - timedelta(days=count)
        return Window(day, day)
    if unit.startswith("week"):
        monday = now - timedelta(days=now.weekday(), weeks=count)
        return Window(monday, monday + timedelta(days=6))
    if unit.startswith("month"):
        first = _months_later(now.replace(day=1), -count)
        return _month(first.year, first.month)
    return Window(date(now.year - count, 1, 1), date(now.year - count, 12, 31))


def _month(year: int, month: int) -> Window:
    first = date(year, month, 1)
    return Window(first, _months_later(first, 1) - timedelta(days=1))


def _months_later(first: date, count: int) -> date:
    months = first.year * 12 + first.month - 1 + count
    return date(months // 12, months % 12 + 1, 1)


def _latest_year(now: date, month: int, day: int) -> int:
    """Return the year of a date without one: the latest that is not in the future."""
    return now.year if (month, day) <= (now.month, now.day) else now.year - 1


_READINGS: Final[tuple[tuple[str, _Reading], ...]] = (
    (r"\b(?P<year>(?:19|20)\d\d)-(?P<month>\d\d?)-(?P<day>\d\d?)\b", _numbered_date),
    (
        r"(?:(?P<year>(?:19|20)\d\d)\s*年\s*)?(?P<month>1?\d)\s*月(?:\s*(?P<day>\d\d?)\s*[日号])?",
        _numbered_date,
    ),
    (
        rf"\b(?P<name>{_MONTH})\.?\s+(?P<day>\d\d?)(?:st|nd|rd|th)?\b(?!\d)(?:,?\s+(?P<year>(?:19|20)\d\d))?",
        _named_day,
    ),
    (
        rf"\b(?P<day>\d\d?)(?:st|nd|rd|th)?\.?\s+(?:of\s+)?(?P<name>{_MONTH})\b(?:,?\s+(?P<year>(?:19|20)\d\d))?",
        _named_day,
    ),
    (rf"\b{_COUNT}\s+(?P<unit>days?|weeks?|months?|years?)\s+ago\b", _ago),
    (rf"\b(?:last|past|on|this\s+past)\s+(?P<weekday>{'|'.join(_WEEKDAYS)})\b", _weekday),
    (
        rf"\b(?:last|this|in|the)\s+(?P<season>{'|'.join(_SEASONS)})(?:\s+(?:of\s+)?(?P<year>(?:19|20)\d\d))?\b",
        _season,
    ),
    (r"\blast\s+(?P<unit>week|month|year)\b", _units_ago(1)),
    (r"\bthis\s+(?P<unit>week|month|year)\b", _units_ago(0)),
    (
        rf"\b(?:in|of|since|during|last|im|en|au)\s+(?P<name>{_MONTH})\b(?:,?\s+(?P<year>(?:19|20)\d\d))?",
        _named_month,
    ),
    (rf"\b(?P<name>{_MONTH})\s+(?P<year>(?:19|20)\d\d)\b", _named_month),
    (r"(?P<year>(?:19|20)\d\d)\s*年", _year),
    (r"\b(?:in|of|since|during)\s+(?P<year>(?:19|20)\d\d)\b", _year),
    (r"\btoday\b|\bheute\b|\bhoy\b|今天|今日|오늘", _units_ago(0, "day")),
    (r"\byesterday\b|\bgestern\b|\bayer\b|昨天|昨日|어제", _units_ago(1, "day")),
    (r"前天|おととい|그저께", _units_ago(2, "day")),
    (r"上周|上星期|上个星期|先週|지난주", _units_ago(1, "week")),
    (r"上个月|上月|先月|지난달", _units_ago(1, "month")),
    (r"去年|昨年|작년", _units_ago(1, "year")),
)


@cache
def _readings() -> tuple[tuple[re.Pattern[str], _Reading], ...]:
    return tuple((re.compile(pattern), reading) for pattern, reading in _READINGS)
