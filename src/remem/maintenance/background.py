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
        self._poked = threading.Event()
        self._closing = threading.Event()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None
        self.trouble: str | None = None

    def poke(self) -> None:
        """Cheap when it is poked already: every store does this."""
        if self._poked.is_set() or self._closing.is_set():
            return
        self._poked.set()
        if self._thread is None:
            with self._starting:
                if self._thread is None:
                    self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                    self._thread.start()

    def close(self) -> None:
        self._closing.set()
        self._poked.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while self._wait():
            started = monotonic()
            try:
                more = self._work()
                self.trouble = None
            except RememError as error:
                self.trouble = str(error)
                self._closing.wait(_AFTER_FAILURE)
                more = True
            self._closing.wait(_SHARE * (monotonic() - started))
            if more:
                self.poke()

    def _wait(self) -> bool:
        self._poked.wait()
        self._closing.wait(_PAUSE)
        self._poked.clear()
        return not self._closing.is_set()
