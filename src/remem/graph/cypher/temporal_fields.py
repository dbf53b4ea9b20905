"""Days and times from the fields of maps: `{year: 2026, month: 3}`, `{date: day, hour: 9}`.

Fields may replace parts of another time, or of a time that was truncated to a unit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from typing import Any, Final

from remem.graph.cypher.failures import type_error
from remem.graph.cypher.temporal import DAY, SECOND, Kind, Moment, later

TIME_FIELDS: Final = ("hour", "minute", "second", "millisecond", "microsecond", "nanosecond")
HAS_DAY: Final = ("date", "localdatetime", "datetime")
HAS_ZONE: Final = ("time", "datetime")
_WAYS_TO_NAME_A_DAY: Final = (
    ("year", "month", "day"),
    ("year", "week", "dayOfWeek"),
    ("year", "quarter", "dayOfQuarter"),
    ("year", "ordinalDay"),
)
_DAY_FIELDS: Final = tuple(dict.fromkeys(field for way in _WAYS_TO_NAME_A_DAY for field in way))
_SOURCES: Final[Mapping[Kind, tuple[str, ...]]] = {
    "date": ("date",),
    "time": ("time",),
    "localtime": ("time",),
    "datetime": ("date", "time", "datetime"),
    "localdatetime": ("date", "time", "datetime"),
}
"""The fields of a map that are other times, by the kind that is made from it."""
_OFFSET: Final = re.compile(r"Z|[+-]\d\d(?::?\d\d(?::?\d\d)?)?", re.ASCII)
_MAX_OFFSET: Final = 18 * 3600
_UNITS: Final = (
    *("millennium", "century", "decade", "year", "weekYear", "quarter", "month", "week", "day"),
    *("hour", "minute", "second", "millisecond", "microsecond"),
)
_SIZES: Final = {
    "hour": 3600 * SECOND,
    "minute": 60 * SECOND,
    "second": SECOND,
    "millisecond": 10**6,
    "microsecond": 10**3,
}
_YEARS: Final = {"millennium": 1000, "century": 100, "decade": 10, "year": 1}


def moment_of(kind: Kind, day: date | None, nanos: int, offset: int | None) -> Moment:
    """Return a moment of a kind, without the parts that this kind does not have."""
    has_day, has_zone = kind in HAS_DAY, kind in HAS_ZONE
    if has_day and day is None:
        raise type_error(f"{kind}() needs a day")
    return Moment(
        kind,
        day if has_day else None,
        0 if kind == "date" else nanos,
        (offset or 0) if has_zone else None,
    )


def converted(kind: Kind, value: Moment) -> Moment:
    """Return a time as one of another kind."""
    if kind in ("time", "localtime") and value.kind == "date":
        raise type_error("a date has no time of day")
    return moment_of(kind, value.day, value.nanos, value.offset)


def from_map(kind: Kind, fields: Mapping[str, Any]) -> Moment:
    """Return the moment that a map describes; it raises CypherError if there is none."""
    sources = _sources_in(kind, fields)
    numbers = _numbers_in(kind, fields)
    clock = sources.get("datetime") or sources.get("time")
    calendar = sources.get("datetime") or sources.get("date")
    day = calendar.day if calendar else None
    nanos, offset = (clock.nanos, clock.offset) if clock else (0, None)
    zone = offset_of(fields["timezone"]) if fields.get("timezone") is not None else None
    if zone is not None and offset is not None:  # the same instant in another zone
        nanos += (zone - offset) * SECOND
        day, nanos = later(day, nanos // DAY) if day else None, nanos % DAY
    try:
        day = day_of(numbers, day) if kind in HAS_DAY else None
        nanos = nanos_of(numbers, nanos if clock else None)
    except (ValueError, KeyError, OverflowError):
        shown = {key: value for key, value in fields.items() if key not in sources}
        raise type_error(f"there is no {kind} with these fields: {str(shown)[:80]}") from None
    return moment_of(kind, day, nanos, offset if zone is None else zone)


def from_epoch(seconds: Any, rest: Any, unit: int = 1) -> Moment:
    """Return the moment that is `seconds`, and `rest` times `unit` nanoseconds, after 1970."""
    if type(seconds) is not int or type(rest) is not int:
        raise type_error("the time since 1970 is an integer")
    days, nanos = divmod(seconds * SECOND + rest * unit, DAY)
    return Moment("datetime", later(date(1970, 1, 1), days), nanos, 0)


def _sources_in(kind: Kind, fields: Mapping[str, Any]) -> dict[str, Moment]:
    """Return the other times in a map, as the kinds by which they are named."""
    sources: dict[str, Moment] = {}
    for name in ("date", "time", "datetime"):
        if name in fields and name in _SOURCES[kind]:
            value = fields[name]
            needs_time, needs_day = name != "date", name != "time"
            if (
                not isinstance(value, Moment)
                or (needs_day and value.day is None)
                or (needs_time and value.kind == "date")
            ):
                raise type_error(f"the field {name} of {kind}() is not a {name}")
            sources[name] = value
    if "datetime" in sources and len(sources) > 1:
        raise type_error(f"{kind}() takes either datetime, or date and time")
    return sources


def _numbers_in(kind: Kind, fields: Mapping[str, Any]) -> dict[str, int]:
    """Return the integers in a map; raise CypherError if a field is unknown or not an integer."""
    numbers = [*(_DAY_FIELDS if kind in HAS_DAY else ())]
    numbers += TIME_FIELDS if kind != "date" else ()
    others = (*_SOURCES[kind], *(("timezone",) if kind in HAS_ZONE else ()))
    for key, value in fields.items():
        if key not in (*numbers, *others):
            names = ", ".join(sorted((*numbers, *others)))
            raise type_error(f"{kind}() does not support {key[:40]!r}; it takes {names}")
        if key in numbers and type(value) is not int:
            raise type_error(f"{key} of {kind}() is an integer")
    return {key: fields[key] for key in numbers if key in fields}


def day_of(numbers: Mapping[str, int], base: date | None = None) -> date:
    """Return the day that fields name, completed from `base`; raise ValueError if there is none."""
    given = {key: value for key, value in numbers.items() if key in _DAY_FIELDS}
    way = next((way for way in _WAYS_TO_NAME_A_DAY if given.keys() <= set(way)), None)
    if way is None:
        raise ValueError(given)
    if base is not None:
        given = {**_parts_of(base, way, given), **given}
    elif missing := [key for key in way[: len(given)] if key not in given]:
        raise KeyError(missing[0])
    year = given["year"]
    if "week" in way:
        return date.fromisocalendar(year, given.get("week", 1), given.get("dayOfWeek", 1))
    if "quarter" in way:
        start = date(year, given["quarter"] * 3 - 2, 1)
        return _within(start, given.get("dayOfQuarter", 1), 92)
    if "ordinalDay" in way:
        return _within(date(year, 1, 1), given["ordinalDay"], 366)
    return date(year, given.get("month", 1), given.get("day", 1))


def _parts_of(day: date, way: Iterable[str], given: Mapping[str, int]) -> dict[str, int]:
    """Return the parts of a day that fields do not replace."""
    week = day.isocalendar()
    quarter = (day.month + 2) // 3
    parts = {
        "year": week.year if "week" in way else day.year,
        "month": day.month,
        "day": day.day,
        "week": week.week,
        "dayOfWeek": week.weekday,
        "quarter": quarter,
        "dayOfQuarter": (day - date(day.year, quarter * 3 - 2, 1)).days + 1,
    }
    return {key: value for key, value in parts.items() if key in way and key not in given}


def _within(start: date, number: int, highest: int) -> date:
    """Return the day with this number from `start`; it must be in the same year."""
    result = start + timedelta(days=number - 1)
    if not 1 <= number <= highest or result.year != start.year:
        raise ValueError(number)
    return result


def nanos_of(numbers: Mapping[str, int], base: int | None = None) -> int:
    """Return the time of day that fields name, in nanoseconds, completed from `base`.

    Raise ValueError if a field is out of range, or if a larger one is missing.
    """
    seconds, fraction = divmod(base or 0, SECOND)
    parts = {"hour": seconds // 3600, "minute": seconds // 60 % 60, "second": seconds % 60}
    names = ("hour", "minute", "second")
    given = [name for name in names if name in numbers]
    if base is None and given != list(names[: len(given)]):
        raise ValueError(given)
    for name, limit in zip(names, (24, 60, 60), strict=True):
        parts[name] = _checked(numbers.get(name, parts[name]), limit)
    if any(name in numbers for name in TIME_FIELDS[3:]):
        fraction = _fraction(numbers)
    return (parts["hour"] * 3600 + parts["minute"] * 60 + parts["second"]) * SECOND + fraction


def _fraction(numbers: Mapping[str, int]) -> int:
    """Return the nanoseconds of a second; a field has no room for what a larger one counts."""
    result, room = 0, SECOND
    for name, size in zip(TIME_FIELDS[3:], (10**6, 10**3, 1), strict=True):
        if name in numbers:
            result += _checked(numbers[name], room // size) * size
            room = size
    return result


def _checked(value: int, limit: int) -> int:
    if not 0 <= value < limit:
        raise ValueError(value)
    return value


def offset_of(text: Any) -> int:
    """Return an offset in seconds, such as `+01:00`."""
    if not isinstance(text, str) or not _OFFSET.fullmatch(text):
        raise type_error(f"{str(text)[:40]!r} is not an offset such as +01:00 or Z")
    digits = re.sub(r"\D", "", text).ljust(6, "0")
    seconds = int(digits[:2]) * 3600 + int(digits[2:4]) * 60 + int(digits[4:])
    if seconds > _MAX_OFFSET:
        raise type_error(f"{text!r} is not an offset of at most 18 hours")
    return -seconds if text.startswith("-") else seconds


def truncated(kind: Kind, unit: Any, value: Any, fields: Any = None) -> Moment | None:
    """Return a time at the beginning of a unit; `fields` are set in what the unit leaves free."""
    if value is None:
        return None
    if unit not in _UNITS:
        raise type_error(f"{str(unit)[:40]!r} is not one of {', '.join(_UNITS)}")
    level, of_day = _UNITS.index(unit), _UNITS.index("day")
    fits = isinstance(value, Moment) and (
        (level >= of_day if value.day is None or kind not in HAS_DAY else True)
        and (level <= of_day if value.kind == "date" or kind == "date" else True)
    )
    if not fits or (kind not in HAS_DAY and value.kind == "date"):
        raise type_error(f"{kind}.truncate({unit!r}, …) does not take this value")
    if not isinstance(fields, Mapping | None):
        raise type_error(f"{kind}.truncate() takes a map of fields")
    nanos = 0 if level <= of_day else value.nanos - value.nanos % _SIZES[unit]
    day = value.day if value.day is None else _first_day(value.day, unit)
    start = moment_of(kind, day, nanos, value.offset)
    return _with_fields(start, unit, fields) if fields else start


def _first_day(day: date, unit: str) -> date:
    """Return the first day of the unit that a day is in, or the day itself."""
    week = day.isocalendar()
    if unit in _YEARS:
        first_year = day.year - day.year % _YEARS[unit]
        if not first_year:
            raise type_error("the day is not between the years 1 and 9999", "NumberOutOfRange")
        return date(first_year, 1, 1)
    if unit in ("weekYear", "week"):
        return date.fromisocalendar(week.year, 1 if unit == "weekYear" else week.week, 1)
    if unit in ("quarter", "month"):
        month = day.month if unit == "month" else (day.month + 2) // 3 * 3 - 2
        return date(day.year, month, 1)
    return day


def _with_fields(start: Moment, unit: str, fields: Mapping[str, Any]) -> Moment:
    """Return the start of a unit with fields that are smaller than the unit."""
    numbers = _numbers_in(start.kind, fields)
    levels = {"nanosecond": len(_UNITS)} | {name: _UNITS.index("day") for name in _DAY_FIELDS}
    levels |= {name: level for level, name in enumerate(_UNITS)}
    for name in fields:
        if name in _SOURCES[start.kind] or levels.get(name, len(_UNITS)) <= _UNITS.index(unit):
            raise type_error(f"{name} is not smaller than {unit}")
    fraction = start.nanos % SECOND
    try:
        day = day_of(numbers, start.day) if start.day else None
        nanos = nanos_of(numbers, start.nanos - fraction)
        _checked(nanos % SECOND, min(_SIZES.get(unit, SECOND), SECOND))
    except (ValueError, KeyError, OverflowError):
        raise type_error(f"there is no {start.kind} with these fields: {fields}") from None
    offset = offset_of(fields["timezone"]) if "timezone" in fields else start.offset
    return moment_of(start.kind, day, nanos + fraction, offset)
