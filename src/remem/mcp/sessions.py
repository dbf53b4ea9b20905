"""Open the workspaces of sessions on first use, reuse them, and close them when they are idle.

A `SessionHandle` has the workspace of one session. A `WorkspacePool` lends a workspace for each
call, and keeps a few workspaces open for later calls.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Protocol

from remem.app.tools.declare import Parameter
from remem.errors import StoreClosed

if TYPE_CHECKING:
    from remem.app.workspace import Workspace


WorkspaceCall = tuple["Workspace", Mapping[str, Any]]
"""The workspace that a call is for, and the arguments of the tool."""
MAX_OPEN: Final = 8
IDLE_SECONDS: Final = 600.0


class WorkspaceProvider(Protocol):
    """Provides the workspace for a call, according to the server's session or the call's token."""

    @property
    def extra_parameters(self) -> tuple[Parameter, ...]:
        """Parameters that every tool takes in addition to its own."""

    @property
    def has_index(self) -> bool:
        """Whether the index resource can be read without a token."""

    def workspace_for(self, arguments: Mapping[str, Any]) -> AbstractContextManager[WorkspaceCall]:
        """Return the workspace that a call is for, and the arguments without the extra ones."""

    def prepare(self) -> None:
        """Open the workspace before the first call, if it is known without one."""

    def close(self) -> None:
        """Finish pending work; nothing can be opened afterwards."""


class SessionHandle:
    """A session's workspace, opened on first use.

    If opening fails, for example because a room is not mapped yet, the next call tries again.
    """

    extra_parameters: tuple[Parameter, ...] = ()
    has_index = True

    def __init__(
        self,
        open_: Callable[[], Workspace],
        is_outdated: Callable[[Workspace], bool] = lambda _workspace: False,
    ) -> None:
        """Set the functions that open the workspace and that return whether to open it again.

        A workspace is outdated, for example, if its room has got a name since.
        """
        self._open = open_
        self._is_outdated = is_outdated
        self._outdated: list[Workspace] = []
        self._lock = threading.Lock()
        self._workspace: Workspace | None = None
        self._closed = False

    @property
    def is_open(self) -> bool:
        return self._workspace is not None

    @contextmanager
    def workspace_for(self, arguments: Mapping[str, Any]) -> Iterator[WorkspaceCall]:
        yield self.workspace(), arguments

    def prepare(self) -> None:
        self.workspace().services.start()

    def workspace(self) -> Workspace:
        """Return the open workspace; open it again if it is outdated."""
        with self._lock:
            if self._closed:
                raise StoreClosed("the server is shutting down")
            if self._workspace is not None and self._is_outdated(self._workspace):
                self._outdated.append(self._workspace)  # another call may still be using it
                self._workspace = None
            if self._workspace is None:
                self._workspace = self._open()
            return self._workspace

    def close(self) -> None:
        """Finish pending work; nothing can be opened afterwards."""
        with self._lock:
            self._closed = True
            workspaces = [*self._outdated, *([self._workspace] if self._workspace else [])]
        for workspace in workspaces:
            workspace.close()


@dataclass(slots=True, eq=False)
class _Slot:
    """One workspace of the pool; `users` is the number of calls that are using it."""

    handle: SessionHandle
    users: int = 0
    released_at: float = 0.0


class WorkspacePool:
    """Keeps a few workspaces open, by key; each belongs to one session."""

    def __init__(
        self,
        max_open: int = MAX_OPEN,
        idle: float = IDLE_SECONDS,
        now: Callable[[], float] = monotonic,
    ) -> None:
        self._max_open, self._idle, self._now = max_open, idle, now
        self._slots: dict[Hashable, _Slot] = {}
        self._changed = threading.Condition()
        self._timer: threading.Timer | None = None
        self._closed = False

    @contextmanager
    def borrow(self, key: Hashable, open_: Callable[[], Workspace]) -> Iterator[Workspace]:
        """Lend a workspace for one call; wait while all slots are in use."""
        slot = self._acquire(key, open_)
        try:
            yield slot.handle.workspace()
        finally:
            self._release(key, slot)

    def close(self) -> None:
        """Close every workspace; nothing is lent afterwards."""
        with self._changed:
            self._closed = True
            slots = list(self._slots.values())
            self._slots.clear()
            if self._timer is not None:
                self._timer.cancel()
            self._changed.notify_all()
        for slot in slots:
            slot.handle.close()

    def close_idle(self) -> None:
        """Close workspaces that have not been used for a while."""
        with self._changed:
            self._timer = None
            since = self._now() - self._idle
            idle = [
                key
                for key, slot in self._slots.items()
                if not slot.users and slot.released_at <= since
            ]
            slots = [self._slots.pop(key) for key in idle]
            self._schedule_closing()
            self._changed.notify_all()
        for slot in slots:
            slot.handle.close()

    def _acquire(self, key: Hashable, open_: Callable[[], Workspace]) -> _Slot:
        evicted = None
        with self._changed:
            while True:
                if self._closed:
                    raise StoreClosed("the server is shutting down")
                if slot := self._slots.get(key):
                    break
                if len(self._slots) >= self._max_open:
                    evicted = self._evict()
                    if evicted is None:
                        self._changed.wait()
                        continue
                slot = self._slots[key] = _Slot(SessionHandle(open_))
                break
            slot.users += 1
        if evicted is not None:
            evicted.handle.close()  # outside the lock, because it finishes pending writes
        return slot

    def _evict(self) -> _Slot | None:
        """Remove the slot that has been unused the longest; None if all are in use."""
        unused = [key for key, slot in self._slots.items() if not slot.users]
        if not unused:
            return None
        return self._slots.pop(min(unused, key=lambda key: self._slots[key].released_at))

    def _release(self, key: Hashable, slot: _Slot) -> None:
        with self._changed:
            slot.users -= 1
            slot.released_at = self._now()
            failed_to_open = not slot.users and not slot.handle.is_open
            if failed_to_open and self._slots.get(key) is slot:
                del self._slots[key]
            self._schedule_closing()
            self._changed.notify_all()

    def _schedule_closing(self) -> None:
        if self._timer is None and self._slots and not self._closed:
            self._timer = threading.Timer(self._idle, self.close_idle)
            self._timer.daemon = True
            self._timer.start()
