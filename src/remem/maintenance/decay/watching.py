"""Since when has decay known an entry? An imported one may be dated long before it came here,
and must not be archived on the day it comes: its idle time counts from when it was first seen.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date
from typing import Final

from remem.core.moments import day
from remem.ports import Reading, Transaction

_NOTE: Final = "decay_watch"
_MOST: Final = 64


@dataclass(frozen=True, slots=True)
class Watch:
    """Pairs of a day and the last row that there was then, the oldest first."""

    seen: tuple[tuple[str, int], ...] = ()

    def since(self, row: int, today: date) -> date:
        """The first day on which the row is known to have been there; today for a new one."""
        return next((day(at) for at, last in self.seen if row <= last), today)

    def later(self, at: date, last: int) -> Watch:
        """With what is there now. Days of long ago are thinned out: an entry may only seem
        younger by that, and is kept longer."""
        if self.seen and self.seen[-1][1] >= last:
            return self
        seen = (*self.seen, (at.isoformat(), last))
        return Watch(seen if len(seen) <= _MOST else (*seen[: _MOST // 2 : 2], *seen[_MOST // 2 :]))


def watched(reading: Reading) -> Watch:
    note = reading.note(_NOTE)
    return Watch(tuple((str(at), int(row)) for at, row in json.loads(note))) if note else Watch()


def keep_watch(tx: Transaction, watch: Watch) -> None:
    tx.keep_note(_NOTE, json.dumps(watch.seen))
