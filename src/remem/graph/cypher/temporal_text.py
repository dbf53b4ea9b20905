"""Make times and durations from values: `date('2026-01-31')`, `duration({days: 3})`."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from fractions import Fraction
from typing import Any, Final

from remem.graph.cypher.failures import CypherError, type_error
from remem.graph.cypher.temporal import SECOND, Duration, Kind, Moment, spread
from remem.graph.cypher.temporal_fields import (
    HAS_DAY,
    TIME_FIELDS,
    converted,
    day_of,
    from_map,
    moment_of,
    nanos_of,
    offset_of,
)

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
_NANOS: Final = {
    "hours": 3600 * SECOND,
    "minutes": 60 * SECOND,
    "seconds": SECOND,
    "milliseconds": 10**6,
    "microseconds": 10**3,
    "nanoseconds": 1,
}
_UNITS: Final = ("years", "quarters", "months", "weeks", "days", *_NANOS)


def moment(kind: Kind, value: Any) -> Moment:
    """Return the value of `date()`, `time()`, …; `value` is the time in UTC for the present one."""
    if isinstance(value, datetime):
        since_midnight = value - value.replace(hour=0, minute=0, second=0, microsecond=0)
        nanos = (since_midnight // timedelta(microseconds=1)) * 1000
        return moment_of(kind, value.date(), nanos, 0)
    if isinstance(value, str):
        return _from_text(kind, value.strip())
    if isinstance(value, Moment):
        return converted(kind, value)
    if isinstance(value, Mapping):
        return from_map(kind, value)
    raise type_error(f"{kind}() takes a text, a map or another time")


def _invalid(kind: str, text: str) -> CypherError:
    examples = {"date": "2026-01-31", "time": "09:30:00Z", "localtime": "09:30:00"}
    example = examples.get(kind, "2026-01-31T09:30:00" + ("Z" if kind == "datetime" else ""))
    return type_error(f"{text[:40]!r} is not a {kind} such as {example}")


def _from_text(kind: Kind, text: str) -> Moment:
    """Read an ISO 8601 text; a missing time of day is midnight."""
    before, _, after = text.partition("T") if kind in HAS_DAY else ("", "", text)
    match = _DATE.fullmatch(before) if kind in HAS_DAY else None
    time = _TIME.fullmatch(after) if after else None
    if (kind in HAS_DAY and not match) or (after and not time):
        raise _invalid(kind, text)
    try:
        day = day_of(_date_fields(match.groupdict())) if match else None
        nanos = nanos_of({key: int(time[key] or 0) for key in TIME_FIELDS[:3]}) if time else 0
    except (ValueError, KeyError):
        raise _invalid(kind, text) from None
    if time is None:
        return moment_of(kind, day, nanos, 0)
    nanos += int((time["fraction"] or "").ljust(9, "0") or 0)
    offset = None if time["offset"] is None else offset_of(time["offset"])
    return moment_of(kind, day, nanos, offset)


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
