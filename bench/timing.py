"""Time two ways of answering in turn, so that noise affects both alike.

On a busy machine the wall clock says more about the other work; so processor time is measured too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median, quantiles
from time import perf_counter, process_time
from typing import Final

Times = tuple[float, float]
_WARM_UP_QUESTIONS: Final = 5


@dataclass(frozen=True, slots=True)
class Timing:
    """Milliseconds of remem and of the bare parts, for the same questions.

    `cpu` and `bare_cpu` are medians of processor time, in all threads.
    """

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


def time_in_turn(
    ours: Callable[[str], object], bare: Callable[[str], object], questions: Sequence[str]
) -> Timing:
    warm_up = questions[:_WARM_UP_QUESTIONS]
    ours_times: list[Times] = []
    bare_times: list[Times] = []
    for question in [*warm_up, *questions]:
        ours_times.append(milliseconds(ours, question))
        bare_times.append(milliseconds(bare, question))
    return Timing(*_summary(ours_times[len(warm_up) :]), *_summary(bare_times[len(warm_up) :]))


def milliseconds(ask: Callable[[str], object], question: str) -> Times:
    """Return the wall-clock time and the processor time of one answer."""
    clock, cpu = perf_counter(), process_time()
    ask(question)
    return (perf_counter() - clock) * 1000, (process_time() - cpu) * 1000


def _summary(times: Sequence[Times]) -> tuple[float, float, float]:
    clock = [wall for wall, _ in times]
    return median(clock), quantiles(clock, n=100)[98], median(cpu for _, cpu in times)
