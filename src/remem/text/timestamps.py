"""Convert between ISO texts and times; the current time always comes from the caller."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Final

from remem.errors import InvalidInput, quoted

_STORED_FORM: Final = re.compile(r"\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):\d\d:\d\dZ", re.ASCII)
"""A time as it is stored."""


def normalize_time(text: str, name: str) -> str:
    """Return a date or time in its stored form: UTC, to the second.

    A time without a time zone counts as UTC; a bare date means its first second.
    """
    time = parse_time(text, name)
    return text if _STORED_FORM.fullmatch(text) else format_time(time)


def normalize_end_time(text: str, name: str) -> str:
    """Normalise a time like `normalize_time`, except that a bare date means its last second."""
    time = parse_time(text, name)
    if _is_bare_date(text):
        time = time.replace(hour=23, minute=59, second=59)
    return format_time(time)


def parse_time(text: str, name: str = "date") -> datetime:
    try:
        time = datetime.fromisoformat(text.strip())
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except (ValueError, OverflowError, AttributeError):
        raise InvalidInput(
            f"{name} {quoted(text)} is not a date", hint="write it as 2026-11-30"
        ) from None


def day_as_written(text: str) -> str:
    """Return the day of a valid date or time in its own time zone, in any form of ISO 8601."""
    return datetime.fromisoformat(text.strip()).date().isoformat()


def format_time(time: datetime) -> str:
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")


@lru_cache(maxsize=10_000)
def date_of(text: str) -> date:
    return parse_time(text).date()


def _is_bare_date(text: str) -> bool:
    try:
        date.fromisoformat(text.strip())
    except ValueError:
        return False
    return True
