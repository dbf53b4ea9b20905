"""When? ISO texts to moments and back; the present always comes from outside."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Final

from remem.errors import InvalidInput, shown

_STAMP: Final = re.compile(r"\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):\d\d:\d\dZ", re.ASCII)
"""How a moment looks that was stored before."""


def moment(text: str, name: str) -> str:
    """A date or time in the form that is stored: UTC, to the second.

    What names no zone counts as UTC, and a bare date as its first second.
    """
    when = parsed(text, name)
    return text if _STAMP.fullmatch(text) else stamp(when)


def end_of(text: str, name: str) -> str:
    """Like `moment`, but a bare date lasts until its last second."""
    when = parsed(text, name)
    if _is_bare_date(text):
        when = when.replace(hour=23, minute=59, second=59)
    return stamp(when)


def parsed(text: str, name: str = "date") -> datetime:
    try:
        when = datetime.fromisoformat(text.strip())
        return when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)
    except (ValueError, OverflowError, AttributeError):
        raise InvalidInput(
            f"{name} {shown(text)} is not a date", hint="write it as 2026-11-30"
        ) from None


def stamp(when: datetime) -> str:
    return when.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")


@lru_cache(maxsize=10_000)
def day(text: str) -> date:
    return parsed(text).date()


def _is_bare_date(text: str) -> bool:
    try:
        date.fromisoformat(text.strip())
    except ValueError:
        return False
    return True
