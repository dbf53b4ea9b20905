"""Who notices that nobody speaks any more? A thread of a server that looks now and then."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

from remem.errors import RememError

_EVERY: Final = 60.0


class Alarm:
    """Calls `look` every minute until it is closed; what it raises is kept in `trouble`."""

    def __init__(self, look: Callable[[], object], every: float = _EVERY) -> None:
        self._look = look
        self._every = every
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="remem idle", daemon=True)
        self.trouble: str | None = None
        self._thread.start()

    def close(self) -> None:
        self._closing.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._closing.wait(self._every):
            try:
                self._look()
                self.trouble = None
            except RememError as error:
                self.trouble = str(error)
