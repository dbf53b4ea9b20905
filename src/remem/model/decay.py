"""How much of a memory's weight is left after some time? A logarithm of the days it lay idle.

At first it fades fast, later hardly at all, and never below a floor: it changes the order of
neighbours, and never hides the only right answer. Whoever uses or reinforces a memory makes it
fade more slowly from then on.
"""

from __future__ import annotations

from datetime import date, timedelta
from math import ceil, exp2, log2
from typing import Final

from remem.model.entry import Entry
from remem.text.timestamps import day

FLOOR: Final = 0.2
"""What is left of anything, however old."""

STALE: Final = 0.4
"""A low memory that has faded to this is archived."""

FADED: Final = "faded: "
"""How the change begins by which decay archives an entry."""

DECAYED: Final = "last_decay"
"""The store's note of when decay last looked at it."""

_RESTING_DAYS: Final = 30.0
_PACE: Final = 0.2
"""What is lost each time the idle time doubles, once it is longer than the rest."""


def retention(days: float, reinforced: int) -> float:
    """From one down to the floor, after so many idle days; `reinforced` counts from one."""
    rest = _RESTING_DAYS * max(1, reinforced)
    return max(FLOOR, 1.0 - _PACE * log2(1.0 + max(0.0, days) / rest))


def days_until(left: float, reinforced: int) -> int:
    """After how many idle days so much is left: the inverse of `retention`."""
    return ceil(_RESTING_DAYS * max(1, reinforced) * (exp2((1.0 - left) / _PACE) - 1.0))


def keeps(entry: Entry) -> bool:
    """What does not decay: critical memories, and rules, which hold until they are lifted."""
    return entry.priority == "critical" or entry.category == "instruction"


def reinforced(entry: Entry) -> int:
    """How often it was said, confirmed or used."""
    return max(1, entry.strength + entry.uses)


def remembered(entry: Entry, used: str | None, today: date) -> float:
    """What is left of an entry today; `used` is when it was last read by its id or cited."""
    if keeps(entry):
        return 1.0
    return retention((today - last_touched(entry, used)).days, reinforced(entry))


def last_touched(entry: Entry, used: str | None) -> date:
    return day(max(entry.updated_at, used or ""))


def goes_stale(entry: Entry, since: date) -> date | None:
    """The day on which an entry that lies idle from a day on is archived; None for never."""
    if keeps(entry) or entry.priority != "low" or not entry.live:
        return None
    try:
        return since + timedelta(days=days_until(STALE, reinforced(entry)))
    except OverflowError:  # dated at the end of time
        return None
