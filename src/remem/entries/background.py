"""Run work in a background thread, and make missing vectors, there or at once."""

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
_NICENESS: Final = 10
_RETRY_SECONDS: Final = 30.0
_PAUSE_FACTOR: Final = 100.0
_MAX_PAUSE_SECONDS: Final = 60.0
MAX_URGENT_TEXTS: Final = 24
"""While many vectors are missing, up to this many texts of a keyword search and as many of a search
by quick vectors are embedded before a question is answered."""
MAX_URGENT_SECONDS: Final = 0.4
"""How long an answer may wait for these vectors."""


def alternating(*hits: Iterable[tuple[Key, float]]) -> list[Key]:
    """Return the ids of several lists of hits, one from each list in turn, without repetitions."""
    ranks = zip_longest(*([id_ for id_, _ in matches] for matches in hits))
    return list(dict.fromkeys(id_ for rank in ranks for id_ in rank if id_ is not None))


class BackgroundTask:
    """Runs `work` in a daemon thread, shortly after each `wake` and, with `every`, periodically.

    A burst of calls to `wake` is handled by one run. If `work` raises an exception, its message is
    kept in `problem` until a run succeeds.

    Without `every`, the work is repeated while it returns True, and 30 seconds after an error.
    After each run the thread rests `rest_factor` times as long as it worked, to leave the CPU to
    callers.
    With `every`, its result is ignored: the first pause takes `first_pause` seconds, and each
    later one 100 times as long as the last run, but at least `every` seconds and at most a minute.
    """

    def __init__(
        self,
        work: Callable[[], object],
        name: str,
        *,
        every: float | None = None,
        first_pause: float | None = None,
        rest_factor: float = 1.0,
        low_priority: bool = False,
    ) -> None:
        self._work = work
        self._name = name
        self._every = every
        self._first_pause = every if first_pause is None else first_pause
        self._rest_factor = rest_factor
        self._low_priority = low_priority
        self._requested = threading.Event()
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
        if self._requested.is_set() or self._closing.is_set():
            return
        self._requested.set()
        if self._thread is None:
            self.start()

    def close(self) -> None:
        self._closing.set()
        self._requested.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        if self._low_priority:
            _lower_priority()
        pause = self._first_pause
        while self._wait(pause):
            started = monotonic()
            more = self._try()
            duration = monotonic() - started
            if self._every is not None:
                pause = min(_MAX_PAUSE_SECONDS, max(self._every, _PAUSE_FACTOR * duration))
                continue
            if self.problem is not None:
                self._closing.wait(_RETRY_SECONDS)
            self._closing.wait(self._rest_factor * duration)
            if more:
                self.wake()

    def _try(self) -> bool:
        """Work once; return True if there is more to do, or if it failed."""
        try:
            more = self._work() is True
        except RememError as error:
            self.problem = str(error)
            return True
        except Exception as error:  # noqa: BLE001 - shown by `status`; tried again later
            self.problem = f"unexpected error in the background: {type(error).__name__}: {error}"
            return True
        self.problem = None
        return more

    def _wait(self, seconds: float | None) -> bool:
        """Wait until a run is requested, or for some seconds; return False when closing."""
        if self._requested.wait(seconds):
            self._closing.wait(_DELAY_SECONDS)
        self._requested.clear()
        return not self._closing.is_set()


def _lower_priority() -> None:
    """Let other programs go first; only on Linux does a thread have its own priority."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)


@dataclass
class VectorMaker(Generic[Key]):
    """Makes the missing vectors of one store, immediately or in the background."""

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

    def reset_quick(self) -> None:
        """Let quick vectors be made from the beginning of the queue, as texts were added to it."""
        self._quick = QuickVectors()

    @property
    def model_problem(self) -> str | None:
        """Why the model made no vectors the last time it was used; None if it made them."""
        return self._task.problem

    @model_problem.setter
    def model_problem(self, reason: str | None) -> None:
        self._task.problem = reason

    @property
    def problems(self) -> list[str | None]:
        """Why there are no vectors of the model, and no quick vectors; None where there are."""
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
            count = embed_pending(self.store, *self.embedders, limit=limit, progress=progress)
        self._task.problem = None
        return count
