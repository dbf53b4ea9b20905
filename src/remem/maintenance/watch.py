"""Who notices that a file was saved? A look at all of them now and then, while a server runs.

A look costs some milliseconds for a thousand files, works on every file system and needs no
watches of the kernel; the pause grows with what it costs, so that it stays under one percent.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import monotonic
from typing import Final

from remem.errors import RememError

_FIRST: Final = 0.05  # whoever opens a memory only for a moment is not kept waiting
_PAUSE: Final = 2.0
_SHARE: Final = 100.0
_LONGEST: Final = 60.0


class Watch:
    """Calls `look` again and again in a thread; what it raises is kept in `trouble`."""

    def __init__(self, look: Callable[[], None], name: str) -> None:
        self._look = look
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self.trouble: str | None = None

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._closing.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _run(self) -> None:
        pause = _FIRST
        while not self._closing.wait(pause):
            started = monotonic()
            try:
                self._look()
                self.trouble = None
            except RememError as error:
                self.trouble = str(error)
            pause = min(_LONGEST, max(_PAUSE, _SHARE * (monotonic() - started)))
