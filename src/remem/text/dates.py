"""Find the spans of days that a text names; relative spans are counted from a given day.

Dates, months, parts of months, weekdays, seasons and spans such as "three days ago" are understood
in English, German, French, Spanish, Portuguese, Russian, Chinese and Japanese, and a few in Korean.
The words are in `date_words.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from functools import cache
from typing import Final

from remem.fast_dataclass import dataclass
from remem.text.date_words import (
    CHINESE_NUMERAL,
    DAYS_BACK,
    MONTHS,
    MONTHS_IN_NOTES,
    NUMBERS,
    SEASONS,
    UNITS,
    WEEKDAYS,
    WEEKDAYS_WITH_LAST,
    any_of,
    number_of,
    pattern,
    vocabulary,
)
from remem.text.language import language_of

_CHINESE_WEEKDAYS: Final = {name: i for i, name in enumerate("一二三四五六日")} | {"天": 6}
_JAPANESE_WEEKDAYS: Final = {name: i for i, name in enumerate("月火水木金土日")}
_YEAR: Final = r"(?P<year>(?:19|20)\d\d)"
_DAYS_OF_PART: Final = {"early": (1, 10), "middle": (11, 20), "late": (21, 31)}
_CJK_PARTS_OF_MONTH: Final = (
    "(?P<early>上旬|初め|初头|初|头)|(?P<middle>中旬|半ば|中)|(?P<late>下旬|底|末)"
)


@dataclass(frozen=True, slots=True)
class DateRange:
    """A span of days, including the first and the last."""

    first: date
    last: date

    def overlaps(self, other: DateRange) -> bool:
        return self.first <= other.last and other.first <= self.last


def date_ranges(text: str, now: date) -> list[DateRange]:
    """Return every span of days that a text names, each in its most precise reading."""
    spans: list[DateRange] = []
    text = text.casefold()
    if not _may_name_a_day(text):  # most questions; the patterns below are slow to compile
        return spans
    for regex, reading in _readings():

        def collect(match: re.Match[str], reading: _Reading = reading) -> str:
            span = _read(reading, match, now)
            if span is None:
                return match.group()
            spans.append(span)
            return " " * len(match.group())

        text = regex.sub(collect, text)
    return spans


def _may_name_a_day(text: str) -> bool:
    if not text.isascii() or any(character.isdigit() for character in text):
        return True
    return not vocabulary().isdisjoint(re.findall(r"\w+", text))


_Reading = Callable[[re.Match[str], date], DateRange | None]


def _read(reading: _Reading, match: re.Match[str], now: date) -> DateRange | None:
    """Return the span of a match, or None if it is not a valid date, such as 2026-02-31."""
    try:
        return reading(match, now)
    except (ValueError, OverflowError):
        return None


def _day_or_month(match: re.Match[str], now: date) -> DateRange:
    """Return a day, or a whole month or a part of it if no day is given."""
    parts = match.groupdict()
    month = MONTHS_IN_NOTES[parts["name"]] if parts.get("name") else number_of(parts["month"])
    number = number_of(parts["day"]) if parts.get("day") else None
    if parts.get("year"):
        year = int(parts["year"])
    elif parts.get("this_or_last_year"):
        year = now.year - (parts["this_or_last_year"] != "今年")
    else:
        year = _latest_year(now, month, number or 1)
    if number is not None:
        day = date(year, month, number)
        return DateRange(day, day)
    return _part_of_month(_month(year, month), match)


def _part_of_month(whole: DateRange, match: re.Match[str]) -> DateRange:
    """Return the part of a month that a match names, or the whole month."""
    parts = match.groupdict()
    for name, (first, last) in _DAYS_OF_PART.items():
        if parts.get(name):
            return DateRange(
                whole.first.replace(day=first),
                min(whole.last, whole.first.replace(day=min(last, whole.last.day))),
            )
    return whole


def _year(match: re.Match[str], _: date) -> DateRange:
    return DateRange(date(int(match["year"]), 1, 1), date(int(match["year"]), 12, 31))


def _quarter(match: re.Match[str], _: date) -> DateRange:
    return _months(int(match["year"]), 3 * int(match["quarter"]) - 2, 3)


def _season(match: re.Match[str], now: date) -> DateRange:
    month = SEASONS[match["season"]]
    year = int(match["year"]) if match["year"] else _latest_year(now, month, 1)
    return _months(year, month, 3)


def _ago(match: re.Match[str], now: date) -> DateRange:
    parts = match.groupdict()
    count = number_of(parts["count"]) if parts.get("count") else 1
    return _units_back(now, count, _unit(parts["unit"]))


def _recent(match: re.Match[str], now: date) -> DateRange:
    """Return a number of days, weeks, months or years before now, and today."""
    first = _units_back(now, number_of(match["count"]), _unit(match["unit"])).first
    return DateRange(first, now)


def _unit(word: str) -> str:
    """Return the unit (day, week, month, year) that a word stands for."""
    unit: str | None = UNITS.get(word)
    if unit is not None:
        return unit
    if word[-1] in "天日":
        return "day"
    if word[-1] in "月":
        return "month"
    return "year" if word[-1] == "年" else "week"


def _weekday(match: re.Match[str], now: date) -> DateRange:
    return _last_weekday(WEEKDAYS_WITH_LAST[match["weekday"]], now)


def _weekday_in_characters(match: re.Match[str], now: date) -> DateRange:
    parts = match.groupdict()
    chinese = parts.get("chinese")
    number = _CHINESE_WEEKDAYS[chinese] if chinese else _JAPANESE_WEEKDAYS[parts["japanese"]]
    if parts.get("last_week") or parts.get("this_week"):
        monday = now - timedelta(days=now.weekday(), weeks=1 if parts["last_week"] else 0)
        day = monday + timedelta(days=number)
        return DateRange(day, day)
    return _last_weekday(number, now)


def _last_weekday(number: int, now: date) -> DateRange:
    day = now - timedelta(days=(now.weekday() - number) % 7 or 7)
    return DateRange(day, day)


def _named_day(match: re.Match[str], now: date) -> DateRange | None:
    word = match["word"]
    if word == "hier" and language_of(match.string) != "fr":
        return None  # "yesterday" in French, but "here" in German
    return _units_back(now, DAYS_BACK[word], "day")


def _units_ago(count: int, unit: str | None = None) -> _Reading:
    def reading(match: re.Match[str], now: date) -> DateRange:
        unit_name = unit or _unit(match["unit"])
        span = _units_back(now, count, unit_name)
        return _part_of_month(span, match) if unit_name == "month" else span

    return reading


def _units_back(now: date, count: int, unit: str) -> DateRange:
    """Return the calendar unit (day, week, month, year) that is `count` units ago."""
    if unit == "day":
        day = now - timedelta(days=count)
        return DateRange(day, day)
    if unit == "week":
        monday = now - timedelta(days=now.weekday(), weeks=count)
        return DateRange(monday, monday + timedelta(days=6))
    if unit == "month":
        first = _months_later(now.replace(day=1), -count)
        return _month(first.year, first.month)
    return DateRange(date(now.year - count, 1, 1), date(now.year - count, 12, 31))


def _month(year: int, month: int) -> DateRange:
    return _months(year, month, 1)


def _months(year: int, month: int, count: int) -> DateRange:
    first = date(year, month, 1)
    return DateRange(first, _months_later(first, count) - timedelta(days=1))


def _months_later(first: date, count: int) -> date:
    months = first.year * 12 + first.month - 1 + count
    return date(months // 12, months % 12 + 1, 1)


def _latest_year(now: date, month: int, day: int) -> int:
    """Return the year of a date without one: the latest that is not in the future."""
    return now.year if (month, day) <= (now.month, now.day) else now.year - 1


@cache
def _readings() -> tuple[tuple[re.Pattern[str], _Reading], ...]:
    return tuple((re.compile(source), reading) for source, reading in _patterns())


def _patterns() -> tuple[tuple[str, _Reading], ...]:
    """Return the patterns, the most precise first; what one has matched is hidden from the next."""
    full, short = any_of(MONTHS), any_of(MONTHS_IN_NOTES)
    of_year = rf"(?:{pattern('joined_to_year')}{_YEAR}\b)?"
    count = rf"(?P<count>\d{{1,3}}|{any_of(NUMBERS)})"
    unit = rf"(?P<unit>{any_of(UNITS)})"
    part = "|".join(rf"(?P<{name}>{pattern(name)})" for name in _DAYS_OF_PART)
    part = rf"\b(?:{part})(?:\s+(?:de|of|do|du|des|d['’])?\s*|-)"
    last, this, after = pattern("last"), pattern("this"), pattern("last_after")
    number = rf"(?:\d{{1,2}}|{CHINESE_NUMERAL})"
    characters = (
        rf"(?P<count>\d{{1,3}}|{CHINESE_NUMERAL})\s*"
        "(?P<unit>天|日|周間?|週間?|个?星期|个月|か月|ヶ月|カ月|年)"
    )
    seasons, weekdays = any_of(SEASONS), any_of(WEEKDAYS)
    ambiguous_weekdays = any_of(WEEKDAYS_WITH_LAST)
    return (
        (rf"(?<!\d){_YEAR}[-/.](?P<month>\d\d?)[-/.](?P<day>\d\d?)(?!\d)", _day_or_month),
        (rf"(?<!\d)(?P<day>\d\d?)\.\s?(?P<month>\d\d?)\.\s?{_YEAR}(?!\d)", _day_or_month),
        (
            rf"\b{pattern('on')}\s+(?P<day>\d\d?)\.(?P<month>\d\d?)\.(?!\d)",
            _day_or_month,
        ),
        (rf"(?<![\d-]){_YEAR}-(?P<month>\d\d)(?![\d-])", _day_or_month),
        (
            rf"(?:{_YEAR}\s*年\s*|(?P<this_or_last_year>今年|去年|昨年)の?)?"
            r"(?<![\d一二三四五六七八九十个])"
            rf"(?P<month>{number})\s*月(?!曜)"
            rf"(?:份|の)?(?:\s*(?P<day>{number})\s*[日号]|{_CJK_PARTS_OF_MONTH})?",
            _day_or_month,
        ),
        (rf"{part}(?P<name>{short})\b\.?{of_year}", _day_or_month),
        (
            rf"\b(?P<name>{short})\.?\s+(?P<day>\d\d?)(?:st|nd|rd|th)?\b(?!\d)(?:,?\s+{_YEAR})?",
            _day_or_month,
        ),
        (
            rf"\b(?P<day>\d\d?)(?:st|nd|rd|th|er|º)?\.?\s+(?:of\s+|de\s+)?(?P<name>{short})\b{of_year}",
            _day_or_month,
        ),
        (rf"\b{count}\s+{unit}\s+{pattern('ago_after')}\b", _ago),
        (rf"\b{pattern('ago_before')}\s+{count}\s+{unit}\b", _ago),
        (rf"\b{unit}\s+назад\b", _ago),
        (rf"{characters}(?:之|以)?前", _ago),
        (rf"\b{pattern('recent')}\s+{count}\s+{unit}\b", _recent),
        (rf"\b{count}\s+{pattern('recent')}\s+{unit}\b", _recent),
        (rf"(?:过去|最近|近|過去|ここ)(?:の)?{characters}", _recent),
        (rf"\b(?:{last}|{pattern('on')})\s+(?P<weekday>{weekdays})\b", _weekday),
        (rf"\b{last}\s+(?P<weekday>{ambiguous_weekdays})\b", _weekday),
        (rf"\b(?P<weekday>{ambiguous_weekdays})\s+{after}\b", _weekday),
        (
            r"(?:(?P<last_week>上个?|上一)|(?P<this_week>本|这个?))?(?<![每一两二三四五六七八九十\d半])"
            r"(?:星期|礼拜|周|週)(?P<chinese>[一二三四五六日天])(?![次个天年回])",
            _weekday_in_characters,
        ),
        (
            r"(?:(?P<last_week>先週)|(?P<this_week>今週))?の?(?<!毎週)(?P<japanese>[月火水木金土日])曜日?",
            _weekday_in_characters,
        ),
        (
            rf"\b(?:{last}|{this}|in|im|the|en|au|no|na|l')\s*(?P<season>{seasons})\b{of_year}",
            _season,
        ),
        (
            rf"\b(?P<season>{seasons})(?:\s+{after}|{pattern('joined_to_year')}{_YEAR})\b",
            _season,
        ),
        (rf"(?:{part})?\b{last}\s+{unit}\b", _units_ago(1)),
        (rf"(?:{part}(?:la\s+|le\s+)?)?\b{unit}\s+{after}\b", _units_ago(1)),
        (rf"(?:{part})?\b{this}\s+{unit}\b", _units_ago(0)),
        (rf"\b(?:{pattern('in')}|{last})\s+(?P<name>{full})\b{of_year}", _day_or_month),
        (rf"\b(?P<name>{short})\b\.?{pattern('joined_to_year')}{_YEAR}\b", _day_or_month),
        (rf"\bq(?P<quarter>[1-4])\s+(?:of\s+)?{_YEAR}\b", _quarter),
        (rf"{_YEAR}\s*年", _year),
        (rf"\b{pattern('in')}\s+(?:jahre?\s+|the year\s+)?{_YEAR}\b(?!-)", _year),
        (r"\bthe day before yesterday\b", _units_ago(2, "day")),
        (rf"\b(?P<word>{any_of(DAYS_BACK)})\b", _named_day),
        (r"\blast night\b", _units_ago(1, "day")),
        (r"今天|今日|오늘", _units_ago(0, "day")),
        (r"昨天|昨日|昨晚|어제", _units_ago(1, "day")),
        (r"前天|一昨日|おととい|그저께", _units_ago(2, "day")),
        (r"上个?周|上个?星期|先週|지난주", _units_ago(1, "week")),
        (r"本周|这个?周|这个?星期|今週|이번 주", _units_ago(0, "week")),
        (rf"(?:上个月|上月|先月|지난달)の?(?:{_CJK_PARTS_OF_MONTH})?", _units_ago(1, "month")),
        (
            rf"(?:本月|这个月|今月|이번 달)(?:の)?(?:{_CJK_PARTS_OF_MONTH})?",
            _units_ago(0, "month"),
        ),
        (r"去年|昨年|작년", _units_ago(1, "year")),
        (r"今年|올해", _units_ago(0, "year")),
    )
