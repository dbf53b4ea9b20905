"""Decay: the weight of a memory falls with the logarithm of its idle days.

The weight falls fast at first, then hardly at all, and never below a floor, so that decay only
changes the order of similar results. A memory of low priority is archived when its weight reaches
`ARCHIVE_WEIGHT`. Using or reinforcing a memory makes it decay more slowly from then on.
"""

from __future__ import annotations

from datetime import date, timedelta
from math import ceil, exp2, log2
from typing import Final

from remem.model.entry import Entry
from remem.text.timestamps import date_of

FLOOR: Final = 0.2
"""The lowest weight, no matter how old a memory is."""

ARCHIVE_WEIGHT: Final = 0.4
"""The weight at which a memory of low priority is archived."""

_SCALE_DAYS: Final = 30.0
"""A memory that was stated once has lost `_LOSS_PER_DOUBLING` after this many idle days, twice that
after three times as many, three times that after seven times as many, and so on."""
_LOSS_PER_DOUBLING: Final = 0.2


def retention(days: float, count: int) -> float:
    """Return the weight of a memory after some idle days, from 1 down to FLOOR.

    `count` is how often it was stated, confirmed or used; less than 1 counts as 1.
    """
    scale = _SCALE_DAYS * max(1, count)
    return max(FLOOR, 1.0 - _LOSS_PER_DOUBLING * log2(1.0 + max(0.0, days) / scale))


def days_until(weight: float, count: int) -> int:
    """Return the number of idle days that lead to a weight; the inverse of `retention`."""
    scale = _SCALE_DAYS * max(1, count)
    return ceil(scale * (exp2((1.0 - weight) / _LOSS_PER_DOUBLING) - 1.0))


def never_decays(entry: Entry) -> bool:
    """Return whether an entry never decays, because it is critical or an instruction."""
    return entry.priority == "critical" or entry.category == "instruction"


def reinforcement(entry: Entry) -> int:
    """Return how often an entry was stated, confirmed or used; at least 1."""
    return max(1, entry.strength + entry.uses)


def current_weight(entry: Entry, last_used: str | None, today: date) -> float:
    """Return the weight of an entry today; `last_used` is the time of its last use, if any."""
    if never_decays(entry):
        return 1.0
    return retention((today - last_touched(entry, last_used)).days, reinforcement(entry))


def last_touched(entry: Entry, last_used: str | None) -> date:
    """Return the day on which an entry was last changed or used."""
    return date_of(max(entry.updated_at, last_used or ""))


def archive_day(entry: Entry, since: date) -> date | None:
    """Return the day on which an entry that is idle since `since` is archived; None for never."""
    if never_decays(entry) or entry.priority != "low" or not entry.live:
        return None
    try:
        return since + timedelta(days=days_until(ARCHIVE_WEIGHT, reinforcement(entry)))
    except OverflowError:  # dated close to the year 9999
        return None
