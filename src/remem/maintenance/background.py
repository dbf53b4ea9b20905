"""Who does what nobody waits for? One thread per workspace: files first, then vectors."""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import monotonic
from typing import Final

from remem.errors import RememError

_PAUSE: Final = 0.05
_SHARE: Final = 3.0
"""It rests three times as long as it worked: callers come first."""
_AFTER_FAILURE: Final = 30.0


class Background:
    """Runs `work` after each `poke`, a moment later, so that a burst is one piece of work.

    `work` returns True while there is more to do. What it raises is kept in `trouble`,
    and tried again after a while.
    """

    def __init__(self, work: Callable[[], bool], name: str) -> None:
        self._work = work
        self._name = name
        self._wakes = threading.Condition()
        self._poked = False
        self._closing = False
        self._thread: threading.Thread | None = None
        self.trouble: str | None = None

    def poke(self) -> None:
        with self._wakes:
            if self._closing:
                return
            self._poked = True
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()
            self._wakes.notify()

    def close(self) -> None:
        with self._wakes:
            self._closing = True
            self._wakes.notify()
        if self._thread is not None:
            self._thread.join()

    @property
    def closing(self) -> bool:
        return self._closing

    def _run(self) -> None:
        while self._wait():
            started = monotonic()
            try:
                more = self._work()
                self.trouble = None
            except RememError as error:
                self.trouble = str(error)
                self._sleep(_AFTER_FAILURE)
                more = True
            self._sleep(_SHARE * (monotonic() - started))
            if more:
                self.poke()

    def _wait(self) -> bool:
        with self._wakes:
            while not self._poked and not self._closing:
                self._wakes.wait()
            self._poked = False
        self._sleep(_PAUSE)
        return not self._closing

    def _sleep(self, seconds: float) -> None:
        """Wait, but not longer than until closing."""
        with self._wakes:
            self._wakes.wait_for(lambda: self._closing, timeout=seconds)
