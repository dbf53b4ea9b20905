"""How long does an answer take? Two are asked in turn, so that noise meets both alike.

Where a machine is busy with other things, the time on the clock says more about those; the
processor time of the answer is told beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median, quantiles
from time import perf_counter, process_time
from typing import Final

Spent = tuple[float, float]
_WARMING_UP: Final = 5


@dataclass(frozen=True, slots=True)
class Asked:
    """Milliseconds of ours and of the bare parts, for the same questions; `cpu` are medians
    of processor time, in all threads."""

    p50: float
    p99: float
    cpu: float
    bare_p50: float
    bare_p99: float
    bare_cpu: float

    @property
    def ratio(self) -> float:
        return self.p50 / self.bare_p50

    @property
    def cpu_ratio(self) -> float:
        return self.cpu / self.bare_cpu


def in_turn(
    ours: Callable[[str], object], theirs: Callable[[str], object], questions: Sequence[str]
) -> Asked:
    spent: tuple[list[Spent], list[Spent]] = ([], [])
    for question in [*questions[:_WARMING_UP], *questions]:
        for ask, kept in zip((ours, theirs), spent, strict=True):
            kept.append(milliseconds(ask, question))
    mine, bare = (each[len(questions[:_WARMING_UP]) :] for each in spent)
    return Asked(*_summary(mine), *_summary(bare))


def milliseconds(ask: Callable[[str], object], question: str) -> Spent:
    """On the clock, and of the processor."""
    clock, cpu = perf_counter(), process_time()
    ask(question)
    return (perf_counter() - clock) * 1000, (process_time() - cpu) * 1000


def _summary(spent: Sequence[Spent]) -> tuple[float, float, float]:
    clock = [each for each, _ in spent]
    return median(clock), quantiles(clock, n=100)[98], median(cpu for _, cpu in spent)
