"""Run work in the background of a server, and make vectors there."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import zip_longest
from time import monotonic
from typing import Final, Generic

from remem.entries.vectors import BATCH_SIZE, QuickVectors, embed_first, embed_pending
from remem.errors import RememError
from remem.ports.entries import VectorStore
from remem.ports.models import Embedder
from remem.ports.records import Key

_DELAY_SECONDS: Final = 0.05
_REST_FACTOR: Final = 1.0
"""The thread rests as long as it worked, to leave the CPU to callers."""
_NICENESS: Final = 10
_RETRY_SECONDS: Final = 30.0
_PERIOD_FACTOR: Final = 100.0
_MAX_PERIOD: Final = 60.0
CANDIDATES: Final = 24
"""While many vectors are missing, this many texts of a keyword search and of a search by quick
vectors are embedded before a question is answered."""
CANDIDATE_SECONDS: Final = 0.4
"""How long an answer may wait for these vectors."""


def alternating(*hits: Iterable[tuple[Key, float]]) -> list[Key]:
    """Return the ids of several lists of hits in turn, each once."""
    turns = zip_longest(*([id_ for id_, _ in found] for found in hits))
    return list(dict.fromkeys(id_ for turn in turns for id_ in turn if id_ is not None))


class BackgroundTask:
    """Runs `work` in a daemon thread, shortly after each `wake` and, with `every`, periodically.

    A burst of calls to `wake` is handled by one run.

    `work` returns True while there is more to do. If it raises, the error is kept in `problem` and
    the work is repeated after a while. Periods are proportional to the duration of the work, from
    `every` seconds up to a minute, so that it uses about one percent of the time.
    """

    def __init__(
        self,
        work: Callable[[], object],
        name: str,
        *,
        every: float | None = None,
        first: float | None = None,
        low_priority: bool = False,
    ) -> None:
        self._work = work
        self._name = name
        self._every = every
        self._first = every if first is None else first
        self._low_priority = low_priority
        self._wanted = threading.Event()
        self._closing = threading.Event()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None
        self.problem: str | None = None

    def start(self) -> None:
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()

    def wake(self) -> None:
        """Request a run; this is cheap if one is pending, because every store calls it."""
        if self._wanted.is_set() or self._closing.is_set():
            return
        self._wanted.set()
        if self._thread is None:
            self.start()

    def close(self) -> None:
        self._closing.set()
        self._wanted.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        if self._low_priority:
            _lower_priority()
        pause = self._first
        while self._wait(pause):
            started = monotonic()
            more = self._try()
            duration = monotonic() - started
            if self._every is not None:
                pause = min(_MAX_PERIOD, max(self._every, _PERIOD_FACTOR * duration))
                continue
            if self.problem is not None:
                self._closing.wait(_RETRY_SECONDS)
            self._closing.wait(_REST_FACTOR * duration)
            if more:
                self.wake()

    def _try(self) -> bool:
        """Work once; return True if there is more to do, or if it failed."""
        try:
            more = self._work() is True
            self.problem = None
        except RememError as error:
            self.problem = str(error)
            return True
        return more

    def _wait(self, seconds: float | None) -> bool:
        """Wait until a run is requested, or for some seconds; return False when closing."""
        if self._wanted.wait(seconds):
            self._closing.wait(_DELAY_SECONDS)
        self._wanted.clear()
        return not self._closing.is_set()


def _lower_priority() -> None:
    """Let other programs go first; Linux has a priority for each thread, other systems do not."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)


@dataclass
class VectorMaker(Generic[Key]):
    """Makes the missing vectors of one store, at once or in the background."""

    store: VectorStore[Key]
    embedders: Sequence[Embedder]
    name: str
    _task: BackgroundTask = field(init=False)
    _quick: QuickVectors[Key] = field(default_factory=QuickVectors, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def __post_init__(self) -> None:
        self._task = BackgroundTask(self._make_batch, self.name, low_priority=True)

    def make_all(self, progress: Callable[[int], None] = lambda _done: None) -> int:
        """Make every missing vector now, and return how many were made."""
        return self._make(None, progress)

    def make_quick(self) -> None:
        self._quick(self.store, self.embedders)

    def make_first(self, ids: Sequence[Key], seconds: float) -> int:
        """Make the vectors of some texts before all others, within a time limit."""
        return embed_first(self.store, self.embedders, ids, seconds) if self.embedders else 0

    def make_in_background(self) -> None:
        self._task.wake()

    def restart(self) -> None:
        """Start again from the beginning of the queue, because texts were added to it."""
        self._quick = QuickVectors()

    @property
    def problem(self) -> str | None:
        """Why the last vectors could not be made."""
        return self._task.problem

    @problem.setter
    def problem(self, reason: str | None) -> None:
        self._task.problem = reason

    @property
    def problems(self) -> list[str | None]:
        return [self._task.problem, self._quick.problem]

    def close(self) -> None:
        self._task.close()

    def _make_batch(self) -> bool:
        return self._make(BATCH_SIZE, lambda _done: None) >= BATCH_SIZE

    def _make(self, limit: int | None, progress: Callable[[int], None]) -> int:
        if not self.embedders:
            return 0
        with self._lock:
            self.make_quick()
            made = embed_pending(self.store, *self.embedders, limit=limit, progress=progress)
        self._task.problem = None
        return made
