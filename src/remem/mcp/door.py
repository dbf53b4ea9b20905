"""When is the memory of a session opened? By the first who needs it, and only once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from remem.errors import StoreClosed

if TYPE_CHECKING:
    from remem.workspace import Workspace


class Door:
    """A session's workspace. One that is refused now (an unmapped room) may be let in later."""

    def __init__(self, open_: Callable[[], Workspace]) -> None:
        self._open = open_
        self._lock = threading.Lock()
        self._workspace: Workspace | None = None
        self._closed = False

    def workspace(self) -> Workspace:
        with self._lock:
            if self._closed:
                raise StoreClosed("the server is shutting down")
            if self._workspace is None:
                self._workspace = self._open()
            return self._workspace

    def close(self) -> None:
        """Finish what is under way; nothing can be opened afterwards."""
        with self._lock:
            self._closed = True
            if self._workspace is not None:
                self._workspace.close()
