"""Convert between ISO texts and times; the current time always comes from the caller."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, date, datetime, time, tzinfo
from functools import lru_cache
from typing import Final

from remem.errors import InvalidInput, quoted

_STORED_FORM: Final = re.compile(r"\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):\d\d:\d\dZ", re.ASCII)
"""The form in which times are stored: UTC, to the second."""
_MIDNIGHT: Final = "T00:00:00Z"
_LAST_SECOND: Final = time.max.replace(microsecond=0)


def normalize_time(text: str, name: str) -> str:
    """Return a date or time in its stored form: UTC, to the second.

    A time without a time zone counts as UTC; a bare date means its first second.
    """
    moment = parse_time(text, name)
    return text if _STORED_FORM.fullmatch(text) else format_time(moment)


def normalize_end_time(text: str, name: str) -> str:
    """Normalise a time like `normalize_time`, except that a bare date means its last second."""
    moment = parse_time(text, name)
    if _is_bare_date(text):
        moment = moment.replace(hour=23, minute=59, second=59)
    return format_time(moment)


def parse_time(text: str, name: str = "date") -> datetime:
    """Return an ISO date or time in UTC; without a time zone, it counts as UTC.

    Raise InvalidInput with the `name` of the value if it is neither.
    """
    if not isinstance(text, str):
        raise InvalidInput(f"{name} must be text, not {quoted(text)}", hint="write '2026-11-30'")
    try:
        moment = datetime.fromisoformat(text.strip())
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise InvalidInput(
            f"{name} {quoted(text)} is not a date", hint="write it as 2026-11-30"
        ) from None


def day_as_written(text: str) -> str:
    """Return the ISO date of a valid date or time, in the time zone that it is written in."""
    return datetime.fromisoformat(text.strip()).date().isoformat()


def format_time(moment: datetime) -> str:
    """Return a time in the form in which times are stored."""
    text = moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return text.rjust(20, "0")  # some platforms write years before 1000 without zeros


@lru_cache(maxsize=10_000)
def date_of(text: str) -> date:
    """Return the day of a date or time in UTC."""
    return parse_time(text).date()


@lru_cache(maxsize=10_000)
def local_day(text: str, zone: tzinfo | None) -> date:
    """Return the day of a stored time in a time zone; None is the machine's.

    Midnight in UTC stands for a day that was given without a time, and is that day everywhere.
    """
    moment = parse_time(text)
    return moment.date() if text.endswith(_MIDNIGHT) else moment.astimezone(zone).date()


def day_span(first: date, last: date, zone: tzinfo | None) -> tuple[str, str]:
    """Return the first and the last stored time whose `local_day` is from `first` to `last`.

    The span may also contain times of the day before `first` or the day after `last`.
    """
    start, end = f"{first}{_MIDNIGHT}", f"{last}T23:59:59Z"
    with suppress(OverflowError):  # the first and the last day of the calendar
        start = min(start, format_time(datetime.combine(first, time.min, zone)))
        end = max(f"{last}{_MIDNIGHT}", format_time(datetime.combine(last, _LAST_SECOND, zone)))
    return start, end


def _is_bare_date(text: str) -> bool:
    try:
        date.fromisoformat(text.strip())
    except ValueError:
        return False
    return True
