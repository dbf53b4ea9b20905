"""When is the memory of a session opened? By the first who needs it, and only once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from remem.errors import StoreClosed
from remem.tools import Parameter

if TYPE_CHECKING:
    from remem.workspace import Workspace

Entered = tuple["Workspace", Mapping[str, Any]]


class Entrance(Protocol):
    """How a call comes to a memory: through the one session of a server, or by its token."""

    @property
    def asks(self) -> tuple[Parameter, ...]:
        """What every tool needs besides its own parameters."""

    @property
    def has_index(self) -> bool:
        """Whether an index can be read without saying whose."""

    def entered(self, given: Mapping[str, Any]) -> AbstractContextManager[Entered]:
        """The memory that a call is for, and the arguments that are the tool's own."""

    def prepare(self) -> None:
        """Open what will be needed."""

    def close(self) -> None:
        """Finish what is under way; nothing can be opened afterwards."""


class Door:
    """A session's workspace. One that is refused now (an unmapped room) may be let in later."""

    asks: tuple[Parameter, ...] = ()
    has_index = True

    def __init__(self, open_: Callable[[], Workspace]) -> None:
        self._open = open_
        self._lock = threading.Lock()
        self._workspace: Workspace | None = None
        self._closed = False

    @property
    def is_open(self) -> bool:
        return self._workspace is not None

    @contextmanager
    def entered(self, given: Mapping[str, Any]) -> Iterator[Entered]:
        yield self.workspace(), given

    def prepare(self) -> None:
        self.workspace()

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
