"""Which day does a note tell of? Its file's name says it, or a heading."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Final

_YEARS: Final = range(1990, 2100)  # any other number is an id
_DATE: Final = re.compile(r"(?<!\d)(\d{4})([-_.]?)(\d{2})\2(\d{2})(?!\d)")
_WEEK: Final = re.compile(r"(?<!\d)(\d{4})-?W(\d{2})(?!\d)", re.IGNORECASE)
_MONTH: Final = re.compile(r"(?<!\d)(\d{4})[-_.](\d{2})(?![-_.]?\d)")
_IN_HEADING: Final = re.compile(
    r"(?<!\d)(\d{4})\s*(?:[-/.]|年)\s*(\d{1,2})\s*(?:[-/.]|月)\s*(\d{1,2})(?!\d)"
)
_MONTHS: Final = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_NAMED: Final = "(" + "|".join(_MONTHS) + r")[a-z]*\.?"
_DAY: Final = r"(\d{1,2})(?:st|nd|rd|th)?"
_MONTH_FIRST: Final = re.compile(rf"\b{_NAMED}\s+{_DAY},?\s+(\d{{4}})\b", re.IGNORECASE)
_DAY_FIRST: Final = re.compile(rf"\b{_DAY}\.?\s+{_NAMED},?\s+(\d{{4}})\b", re.IGNORECASE)


def day_of_name(path: str) -> str | None:
    """`YYYY-MM-DD` from a file's name; a week counts as its Monday, a month as its first day."""
    stem = PurePosixPath(path).stem
    for year, _, month, day in _DATE.findall(stem):
        if found := _day(year, month, day):
            return found
    for year, week in _WEEK.findall(stem):
        if found := _monday(year, week):
            return found
    for year, month in _MONTH.findall(stem):
        if found := _day(year, month, 1):
            return found
    return None


def day_of_headings(headings: Iterable[str]) -> str | None:
    """The date in the nearest of the headings above a passage, given the highest first. One
    without a year says nothing."""
    for heading in reversed(tuple(headings)):
        if found := _in_heading(heading):
            return found
    return None


@lru_cache(maxsize=1_000)
def _in_heading(text: str) -> str | None:
    if match := _IN_HEADING.search(text):
        return _day(*match.groups())
    if match := _MONTH_FIRST.search(text):
        month, day, year = match.groups()
        return _day(year, _number(month), day)
    if match := _DAY_FIRST.search(text):
        day, month, year = match.groups()
        return _day(year, _number(month), day)
    return day_of_name(text) if _WEEK.search(text) else None


def _number(month: str) -> int:
    return _MONTHS.index(month.lower()) + 1


def _day(year: str, month: str | int, day: str | int) -> str | None:
    if int(year) not in _YEARS:
        return None
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return None


def _monday(year: str, week: str) -> str | None:
    if int(year) not in _YEARS:
        return None
    try:
        return date.fromisocalendar(int(year), int(week), 1).isoformat()
    except ValueError:
        return None
