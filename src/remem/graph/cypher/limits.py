"""The limits of a query: time, rows and the size of values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from time import monotonic
from typing import Any, Final

from remem.graph.cypher.failures import LimitReached

_STEPS_PER_CHECK: Final = 200
_CHARACTERS_PER_ITEM: Final = 100


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a query; `values` limits the items that it keeps in memory."""

    seconds: float = 1.0
    rows: int = 10_000
    values: int = 1_000_000
    hops: int = 30


class Meter:
    """Counts what a query uses and stops it at a limit.

    `start` is the time at which the query began; every `datetime()` of it returns this time.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.start = datetime.now(UTC)
        self._end = monotonic() + limits.seconds
        self._steps_to_check = _STEPS_PER_CHECK
        self._values = 0

    def step(self, count: int = 1) -> None:
        """Count steps and check the time, now and then; called wherever a query may take long."""
        self._steps_to_check -= count
        if self._steps_to_check > 0:
            return
        self._steps_to_check = _STEPS_PER_CHECK
        if monotonic() > self._end:
            raise LimitReached(
                f"the query ran longer than {self.limits.seconds:g} seconds and was stopped",
                hint="start from a node with a name, or bound the length of paths",
            )

    def keep(self, count: int) -> None:
        """Count values that are kept in memory."""
        self.step()
        self._values += count
        if self._values > self.limits.values:
            raise LimitReached(
                f"the query made more than {self.limits.values:,} values and was stopped",
                hint="add a WHERE or a LIMIT",
            )

    def read(self, value: Any) -> None:
        """Count the items of a value before all of them are read."""
        for size in _sizes(value):
            self.step(size)

    def copy(self, value: Any) -> None:
        """Count the items of a value before all of them are copied."""
        for size in _sizes(value):
            self.step(size)
            self.keep(size)


def size_of(value: Any) -> int:
    """Return the number of items of a list or map; a text has one for each hundred characters."""
    if isinstance(value, list | dict):
        return len(value)
    return len(value) // _CHARACTERS_PER_ITEM if isinstance(value, str) else 0


def _sizes(value: Any) -> Iterator[int]:
    """Yield the size of a value and of the lists and maps in it.

    They are yielded one by one, because a list that contains another one many times may have more
    items than can be read.
    """
    if not isinstance(value, list | dict):
        yield size_of(value)
        return
    pending = [value]
    while pending:
        part = pending.pop()
        yield len(part)
        items = part.values() if isinstance(part, dict) else part
        pending += [item for item in items if isinstance(item, list | dict)]
