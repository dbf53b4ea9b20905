"""Make times and durations from texts and maps: `date('2026-01-31')`, `duration({days: 3})`."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from fractions import Fraction
from typing import Any, Final

from remem.graph.cypher.failures import CypherError, type_error
from remem.graph.cypher.temporal import DAY, SECOND, Duration, Kind, Moment, spread

_DATE: Final = re.compile(
    r"(?P<year>\d{4})(?:"
    r"-?W(?P<week>\d\d)(?:-?(?P<weekday>\d))?|"
    r"-?Q(?P<quarter>\d)(?:-?(?P<in_quarter>\d\d))?|"
    r"-(?P<ordinal>\d{3})|(?P<ordinal_only>\d{3})|"
    r"-(?P<month>\d\d)(?:-(?P<day>\d\d))?|(?P<month_only>\d\d)(?P<day_only>\d\d)?)?",
    re.ASCII,
)
_TIME: Final = re.compile(
    r"(?P<hour>\d\d)(?::?(?P<minute>\d\d)(?::?(?P<second>\d\d)(?:[.,](?P<fraction>\d{1,9}))?)?)?"
    r"(?P<offset>Z|[+-]\d\d(?::?\d\d(?::?\d\d)?)?)?",
    re.ASCII,
)
_DURATION: Final = re.compile(
    r"(?P<sign>-)?P(?:(?P<years>-?[\d.]+)Y)?(?:(?P<months>-?[\d.]+)M)?(?:(?P<weeks>-?[\d.]+)W)?"
    r"(?:(?P<days>-?[\d.]+)D)?(?:T(?:(?P<hours>-?[\d.]+)H)?(?:(?P<minutes>-?[\d.]+)M)?"
    r"(?:(?P<seconds>-?[\d.]+)S)?)?",
    re.ASCII,
)
_DAY_FIELDS: Final = (
    "year",
    "month",
    "day",
    "week",
    "dayOfWeek",
    "quarter",
    "dayOfQuarter",
    "ordinalDay",
)
_TIME_FIELDS: Final = ("hour", "minute", "second", "millisecond", "microsecond", "nanosecond")
_NANOS: Final = {
    "hours": 3600 * SECOND,
    "minutes": 60 * SECOND,
    "seconds": SECOND,
    "milliseconds": 10**6,
    "microseconds": 10**3,
    "nanoseconds": 1,
}
_UNITS: Final = ("years", "quarters", "months", "weeks", "days", *_NANOS)
_MAX_OFFSET: Final = 18 * 3600
_HAS_DAY: Final = ("date", "localdatetime", "datetime")
_HAS_ZONE: Final = ("time", "datetime")


def moment(kind: Kind, value: Any) -> Moment:
    """Return the value of `date()`, `time()`, …; `value` is the time in UTC for the present one."""
    if isinstance(value, datetime):
        since_midnight = value - value.replace(hour=0, minute=0, second=0, microsecond=0)
        nanos = (since_midnight // timedelta(microseconds=1)) * 1000
        return _moment_of(kind, value.date(), nanos, 0)
    if isinstance(value, str):
        return _from_text(kind, value.strip())
    if isinstance(value, Moment):
        return _converted(kind, value)
    if isinstance(value, Mapping):
        return _from_map(kind, value)
    raise type_error(f"{kind}() takes a text, a map or another time")


def _moment_of(kind: Kind, day: date | None, nanos: int, offset: int | None) -> Moment:
    """Return a moment of a kind, without the parts that this kind does not have."""
    has_day, has_zone = kind in _HAS_DAY, kind in _HAS_ZONE
    if has_day and day is None:
        raise type_error(f"{kind}() needs a day")
    return Moment(
        kind,
        day if has_day else None,
        0 if kind == "date" else nanos,
        (offset or 0) if has_zone else None,
    )


def _converted(kind: Kind, value: Moment) -> Moment:
    if kind in ("time", "localtime") and value.kind == "date":
        raise type_error("a date has no time of day")
    return _moment_of(kind, value.day, value.nanos, value.offset)


def _invalid(kind: str, text: str) -> CypherError:
    examples = {"date": "2026-01-31", "time": "09:30:00Z", "localtime": "09:30:00"}
    example = examples.get(kind, "2026-01-31T09:30:00" + ("Z" if kind == "datetime" else ""))
    return type_error(f"{text[:40]!r} is not a {kind} such as {example}")


def _from_text(kind: Kind, text: str) -> Moment:
    """Read an ISO 8601 text; a missing time of day is midnight."""
    before, _, after = text.partition("T") if kind in _HAS_DAY else ("", "", text)
    match = _DATE.fullmatch(before) if kind in _HAS_DAY else None
    time = _TIME.fullmatch(after) if after else None
    if (kind in _HAS_DAY and not match) or (after and not time):
        raise _invalid(kind, text)
    try:
        day = _day(_date_fields(match.groupdict())) if match else None
        nanos = _nanos({key: int(time[key] or 0) for key in _TIME_FIELDS[:3]}) if time else 0
    except ValueError:
        raise _invalid(kind, text) from None
    if time is None:
        return _moment_of(kind, day, nanos, 0)
    nanos += int((time["fraction"] or "").ljust(9, "0") or 0)
    return _moment_of(kind, day, nanos, _offset(time["offset"]))


def _date_fields(groups: Mapping[str, str | None]) -> dict[str, int]:
    """Return the matched parts of a date, under the names that maps use."""
    names = {
        "weekday": "dayOfWeek",
        "in_quarter": "dayOfQuarter",
        "ordinal": "ordinalDay",
        "ordinal_only": "ordinalDay",
        "month_only": "month",
        "day_only": "day",
    }
    return {names.get(key, key): int(value) for key, value in groups.items() if value is not None}


def _day(parts: Mapping[str, int]) -> date:
    """Return the day that the fields name; raise ValueError if there is no such day."""
    year = parts["year"]
    if "week" in parts:
        return date.fromisocalendar(year, parts["week"], parts.get("dayOfWeek", 1))
    if "quarter" in parts:
        start = date(year, parts["quarter"] * 3 - 2, 1)
        return _within(start, parts.get("dayOfQuarter", 1), 92)
    if "ordinalDay" in parts:
        return _within(date(year, 1, 1), parts["ordinalDay"], 366)
    return date(year, parts.get("month", 1), parts.get("day", 1))


def _within(start: date, number: int, highest: int) -> date:
    """Return the day with this number from `start`; it must be in the same year."""
    result = start + timedelta(days=number - 1)
    if not 1 <= number <= highest or result.year != start.year:
        raise ValueError(number)
    return result


def _nanos(parts: Mapping[str, int]) -> int:
    """Return the time of day in nanoseconds; raise ValueError if a field is out of range."""
    limits = (24, 60, 60, 1000, 10**6, 10**9)
    for key, limit in zip(_TIME_FIELDS, limits, strict=True):
        if not 0 <= parts.get(key, 0) < limit:
            raise ValueError(key)
    seconds = parts.get("hour", 0) * 3600 + parts.get("minute", 0) * 60 + parts.get("second", 0)
    fraction = parts.get("millisecond", 0) * 10**6 + parts.get("microsecond", 0) * 10**3
    return seconds * SECOND + fraction + parts.get("nanosecond", 0)


def _offset(text: str | None) -> int | None:
    if text in (None, "Z"):
        return None if text is None else 0
    digits = re.sub(r"\D", "", text or "").ljust(6, "0")
    seconds = int(digits[:2]) * 3600 + int(digits[2:4]) * 60 + int(digits[4:])
    if seconds > _MAX_OFFSET:
        raise type_error(f"{text!r} is not an offset of at most 18 hours")
    return -seconds if (text or "").startswith("-") else seconds


def _from_map(kind: Kind, fields: Mapping[str, Any]) -> Moment:
    allowed = {
        *(_DAY_FIELDS if kind in _HAS_DAY else ()),
        *(_TIME_FIELDS if kind != "date" else ()),
    }
    allowed |= {"timezone"} if kind in _HAS_ZONE else set()
    for key, value in fields.items():
        if key not in allowed:
            names = ", ".join(sorted(allowed))
            raise type_error(f"{kind}() does not support {key[:40]!r}; it takes {names}")
        if key != "timezone" and (not isinstance(value, int) or isinstance(value, bool)):
            raise type_error(f"{key} of {kind}() is an integer")
    zone = fields.get("timezone")
    offset = _TIME.fullmatch(f"00{zone}") if isinstance(zone, str) else None
    numbers = {key: value for key, value in fields.items() if key != "timezone"}
    try:
        day = _day(numbers) if kind in _HAS_DAY else None
        nanos = _nanos(numbers)
    except (ValueError, KeyError, OverflowError):
        raise _invalid(kind, str(dict(fields))) from None
    if zone is not None and offset is None:
        raise type_error(f"{str(zone)[:40]!r} is not an offset such as +01:00 or Z")
    return _moment_of(kind, day, nanos, _offset(offset["offset"]) if offset else None)


def duration(value: Any) -> Duration:
    """Return the value of `duration()`."""
    if isinstance(value, Duration):
        return value
    if isinstance(value, Mapping):
        for key, number in value.items():
            if key not in _UNITS:
                raise type_error(f"duration() does not support {key[:40]!r}")
            is_number = isinstance(number, int | float) and not isinstance(number, bool)
            if not is_number or not math.isfinite(number):
                raise type_error(f"{key} of duration() is a number")
        return _duration({key: Fraction(str(number)) for key, number in value.items()})
    if not isinstance(value, str):
        raise type_error("duration() takes a text or a map")
    match = _DURATION.fullmatch(value.strip())
    try:
        parts = {
            key: Fraction(text)
            for key, text in (match.groupdict() if match else {}).items()
            if text is not None and key != "sign"
        }
    except ValueError:
        parts = {}
    if match is None or not parts or value.strip().endswith("T"):
        raise type_error(f"{value[:40]!r} is not a duration such as P1M3DT2H")
    result = _duration(parts)
    return result.times(Fraction(-1)) if match["sign"] else result


def _duration(parts: Mapping[str, Fraction]) -> Duration:
    zero = Fraction(0)
    months = parts.get("years", zero) * 12 + parts.get("quarters", zero) * 3
    days = parts.get("weeks", zero) * 7 + parts.get("days", zero)
    nanos = sum((parts.get(key, zero) * unit for key, unit in _NANOS.items()), zero)
    return spread(months + parts.get("months", zero), days, nanos)


def in_days(value: Duration, first: Moment, second: Moment) -> Duration:
    """Return the time between two moments in whole days; `value` is its exact length."""
    if first.day is None or second.day is None:
        return Duration()
    nanos = (second.key[0] - first.key[0]) if value != Duration() else 0
    return Duration(days=abs(nanos) // DAY * (1 if nanos >= 0 else -1))
