"""The limits of a query: time, rows and the size of values."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic
from typing import Final

from remem.graph.cypher.failures import LimitReached

_STEPS_PER_LOOK: Final = 200


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a query; `values` limits the items of all lists that it makes."""

    seconds: float = 1.0
    rows: int = 10_000
    values: int = 1_000_000
    hops: int = 30


class Meter:
    """Counts what a query uses and stops it at a limit."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._end = monotonic() + limits.seconds
        self._steps = 0
        self._values = 0

    def step(self) -> None:
        """Count one step; called wherever a query can go on for long."""
        self._steps += 1
        if self._steps % _STEPS_PER_LOOK == 0 and monotonic() > self._end:
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
