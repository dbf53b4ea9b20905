"""Days, times and durations as values of a query, with the resolution of a nanosecond.

Days are counted as in Python's calendar, from the year 1 to 9999. Time zones are offsets: named
ones would have to be read from files, which no query can do.
"""

from __future__ import annotations

from calendar import monthrange
from dataclasses import dataclass, replace
from datetime import date, timedelta
from fractions import Fraction
from typing import Any, ClassVar, Final, Literal

from remem.graph.cypher.failures import CypherError, type_error
from remem.graph.cypher.tokens import MAX_INTEGER

SECOND: Final = 10**9
DAY: Final = 86_400 * SECOND
_DAYS_IN_MONTH: Final = Fraction("30.436875")
Kind = Literal["datetime", "localdatetime", "date", "time", "localtime"]
KINDS: Final[tuple[Kind, ...]] = ("datetime", "localdatetime", "date", "time", "localtime")
"""The kinds, in the order in which ORDER BY sorts them."""


@dataclass(frozen=True, slots=True)
class Duration:
    """Months, days and nanoseconds, which have no fixed ratio to one another."""

    kind: ClassVar = "duration"
    months: int = 0
    days: int = 0
    nanos: int = 0

    def __str__(self) -> str:
        years, months = _split(self.months, 12)
        seconds, fraction = _split(self.nanos, SECOND)
        minutes, seconds = _split(seconds, 60)
        hours, minutes = _split(minutes, 60)
        exact = f"{abs(seconds)}.{abs(fraction):09}".rstrip("0").rstrip(".")
        sign = "-" if min(seconds, fraction) < 0 else ""
        day = "".join(
            f"{count}{unit}"
            for count, unit in ((years, "Y"), (months, "M"), (self.days, "D"))
            if count
        )
        time = "".join(f"{count}{unit}" for count, unit in ((hours, "H"), (minutes, "M")) if count)
        if seconds or fraction:
            time += f"{sign}{exact}S"
        return f"P{day}T{time}" if time else f"P{day}" if day else "PT0S"

    @property
    def length(self) -> int:
        """The approximate length in nanoseconds, by which ORDER BY sorts durations."""
        return int((self.months * _DAYS_IN_MONTH + self.days) * DAY) + self.nanos

    def plus(self, other: Duration, sign: int = 1) -> Duration:
        return Duration(
            self.months + sign * other.months,
            self.days + sign * other.days,
            self.nanos + sign * other.nanos,
        )

    def times(self, factor: Fraction) -> Duration:
        return spread(self.months * factor, self.days * factor, self.nanos * factor)


def spread(months: Fraction | int, days: Fraction | int, nanos: Fraction | int) -> Duration:
    """Return a duration of whole months and days.

    The fraction of a month becomes days, and the fraction of a day becomes nanoseconds.
    """
    whole = int(months)
    days += (months - whole) * _DAYS_IN_MONTH
    result = Duration(whole, int(days), int(nanos + (days - int(days)) * DAY))
    if max(abs(result.months), abs(result.days), abs(result.nanos) // SECOND) > MAX_INTEGER:
        raise type_error("the duration is too long", "NumberOutOfRange")
    return result


def _split(number: int, unit: int) -> tuple[int, int]:
    """Return the quotient, rounded towards zero, and the remainder."""
    quotient = abs(number) // unit * (1 if number >= 0 else -1)
    return quotient, number - quotient * unit


@dataclass(frozen=True, slots=True)
class Moment:
    """A day, a time of day, or both; the offset of its time zone is in seconds."""

    kind: Kind
    day: date | None = None
    nanos: int = 0
    offset: int | None = None

    def __str__(self) -> str:
        text = "" if self.day is None else self.day.isoformat()
        if self.kind == "date":
            return text
        text += "T" if text else ""
        seconds, fraction = divmod(self.nanos, SECOND)
        text += f"{seconds // 3600:02}:{seconds // 60 % 60:02}"
        if seconds % 60 or fraction:
            text += f":{seconds % 60:02}"
        if fraction:
            digits = f"{fraction:09}"
            text += "." + (digits.removesuffix("000").removesuffix("000"))
        if self.offset is not None:
            text += offset_text(self.offset)
        return text

    @property
    def key(self) -> tuple[int, int]:
        """The key by which moments of a kind are compared: the instant, then the offset."""
        days = 0 if self.day is None else self.day.toordinal()
        offset = self.offset or 0
        return days * DAY + self.nanos - offset * SECOND, offset

    def plus(self, duration: Duration, sign: int = 1) -> Moment:
        """Return the moment a duration later: months are added first, then days, then the rest."""
        nanos = self.nanos + sign * duration.nanos
        if self.day is None:
            return replace(self, nanos=nanos % DAY)
        day = _months_later(self.day, sign * duration.months)
        days = sign * duration.days
        if self.kind == "date":
            whole, _ = _split(sign * duration.nanos, DAY)
            return replace(self, day=later(day, days + whole))
        return replace(self, day=later(day, days + nanos // DAY), nanos=nanos % DAY)


def offset_text(offset: int) -> str:
    """Return an offset from UTC in seconds as text: `Z`, `+02:00`."""
    if not offset:
        return "Z"
    hours, rest = divmod(abs(offset), 3600)
    seconds = f":{rest % 60:02}" if rest % 60 else ""
    return f"{'-' if offset < 0 else '+'}{hours:02}:{rest // 60:02}{seconds}"


def later(day: date, days: int) -> date:
    """Return the day that is a number of days later."""
    try:
        return day + timedelta(days=days)
    except OverflowError:
        raise _out_of_range() from None


def _months_later(day: date, months: int) -> date:
    """Return the same day of another month, or its last day."""
    number = day.year * 12 + day.month - 1 + months
    year, month = number // 12, number % 12 + 1
    if not 1 <= year <= 9999:
        raise _out_of_range()
    return date(year, month, min(day.day, monthrange(year, month)[1]))


def _out_of_range() -> CypherError:
    return type_error("the day is not between the years 1 and 9999", "NumberOutOfRange")


def between(first: Moment, second: Moment) -> Duration:
    """Return the time from one moment to another, in months, days and nanoseconds."""
    second = _in_zone_of(first, second)
    if first.day is None or second.day is None:
        return Duration(nanos=second.nanos - first.nanos)
    months = (second.day.year - first.day.year) * 12 + second.day.month - first.day.month
    start, end = (first.day, first.nanos), (second.day, second.nanos)
    step = 1 if start <= end else -1
    while months and ((_months_later(first.day, months), first.nanos) > end) == (step > 0):
        if (_months_later(first.day, months), first.nanos) == end:
            break
        months -= step
    reached = _months_later(first.day, months)
    rest = (second.day - reached).days * DAY + second.nanos - first.nanos
    days, nanos = _split(rest, DAY)
    return Duration(months, days, nanos)


def months_between(first: Moment, second: Moment) -> Duration:
    """Return the whole months between two moments."""
    return Duration(months=between(first, second).months)


def days_between(first: Moment, second: Moment) -> Duration:
    """Return the whole days between two moments."""
    if first.day is None or second.day is None:
        return Duration()
    return Duration(days=_split(seconds_between(first, second).nanos, DAY)[0])


def seconds_between(first: Moment, second: Moment) -> Duration:
    """Return the time between two moments, without months and days."""
    second = _in_zone_of(first, second)
    days = 0 if first.day is None or second.day is None else (second.day - first.day).days
    return Duration(nanos=days * DAY + second.nanos - first.nanos)


def _in_zone_of(first: Moment, second: Moment) -> Moment:
    """Return the second moment with the offset of the first; without offsets, it is local."""
    if first.offset is None or second.offset is None:
        return second
    shifted = second.nanos + (first.offset - second.offset) * SECOND
    if first.day is None or second.day is None:
        return replace(second, nanos=shifted)
    return replace(second, day=later(second.day, shifted // DAY), nanos=shifted % DAY)


def component(value: Moment | Duration, key: str) -> Any:
    """Return a part of a day, a time or a duration, such as `year`."""
    parts = _duration_parts(value) if isinstance(value, Duration) else _moment_parts(value)
    if key not in parts:
        raise type_error(f"there is no {key[:40]!r}; there are {', '.join(parts)}")
    return parts[key]


def _duration_parts(value: Duration) -> dict[str, int]:
    seconds, fraction = divmod(value.nanos, SECOND)
    parts = {
        "years": _split(value.months, 12)[0],
        "quarters": _split(value.months, 3)[0],
        "months": value.months,
        "weeks": _split(value.days, 7)[0],
        "days": value.days,
        "hours": _split(value.nanos, 3600 * SECOND)[0],
        "minutes": _split(value.nanos, 60 * SECOND)[0],
        "seconds": seconds,
        "milliseconds": value.nanos // 10**6,
        "microseconds": value.nanos // 10**3,
        "nanoseconds": value.nanos,
    }
    return parts | {
        "quartersOfYear": _split(parts["quarters"], 4)[1],
        "monthsOfQuarter": _split(value.months, 3)[1],
        "monthsOfYear": _split(value.months, 12)[1],
        "daysOfWeek": _split(value.days, 7)[1],
        "minutesOfHour": _split(parts["minutes"], 60)[1],
        "secondsOfMinute": _split(seconds, 60)[1],
        "millisecondsOfSecond": fraction // 10**6,
        "microsecondsOfSecond": fraction // 10**3,
        "nanosecondsOfSecond": fraction,
    }


def _moment_parts(value: Moment) -> dict[str, Any]:
    parts: dict[str, Any] = {}
    if (day := value.day) is not None:
        week_year, week, weekday = day.isocalendar()
        quarter = (day.month + 2) // 3
        parts |= {
            "year": day.year,
            "quarter": quarter,
            "month": day.month,
            "week": week,
            "weekYear": week_year,
            "day": day.day,
            "ordinalDay": day.timetuple().tm_yday,
            "weekDay": weekday,
            "dayOfWeek": weekday,
            "dayOfQuarter": (day - date(day.year, quarter * 3 - 2, 1)).days + 1,
        }
    if value.kind != "date":
        seconds, fraction = divmod(value.nanos, SECOND)
        parts |= {
            "hour": seconds // 3600,
            "minute": seconds // 60 % 60,
            "second": seconds % 60,
            "millisecond": fraction // 10**6,
            "microsecond": fraction // 10**3,
            "nanosecond": fraction,
        }
    if value.offset is not None:
        text = offset_text(value.offset)
        parts |= {
            "timezone": text,
            "offset": text,
            "offsetMinutes": value.offset // 60,
            "offsetSeconds": value.offset,
        }
    if value.kind == "datetime":
        since = value.key[0] - date(1970, 1, 1).toordinal() * DAY
        parts |= {"epochSeconds": since // SECOND, "epochMillis": since // 10**6}
    return parts
