"""Which memories are open now? Those that were asked for lately, a few at most.

A memory is lent for one call. It stays open for the next one, until nobody has used it for a
while or another one needs its place.

When is the memory of a session opened? By the first who needs it, and only once.
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


MOST: Final = 8
IDLE: Final = 600.0


@dataclass(slots=True, eq=False)
class _Place:
    """One memory of the pool; `guests` are the calls that use it now."""

    door: Door
    guests: int = 0
    left_at: float = 0.0


class Pool:
    """Opened memories by whose they are; each is bound to its own session."""

    def __init__(
        self, most: int = MOST, idle: float = IDLE, now: Callable[[], float] = monotonic
    ) -> None:
        self._most, self._idle, self._now = most, idle, now
        self._places: dict[Hashable, _Place] = {}
        self._changed = threading.Condition()
        self._timer: threading.Timer | None = None
        self._closed = False

    @contextmanager
    def lent(self, whose: Hashable, open_: Callable[[], Workspace]) -> Iterator[Workspace]:
        """A memory for the length of a call. Where all places are taken, the call waits."""
        place = self._enter(whose, open_)
        try:
            yield place.door.workspace()
        finally:
            self._leave(whose, place)

    def close(self) -> None:
        """Close every memory; nothing is lent afterwards."""
        with self._changed:
            self._closed = True
            places = list(self._places.values())
            self._places.clear()
            if self._timer is not None:
                self._timer.cancel()
            self._changed.notify_all()
        for place in places:
            place.door.close()

    def close_idle(self) -> None:
        """Close what nobody has used for a while."""
        with self._changed:
            self._timer = None
            since = self._now() - self._idle
            idle = [
                whose
                for whose, place in self._places.items()
                if not place.guests and place.left_at <= since
            ]
            places = [self._places.pop(whose) for whose in idle]
            self._look_again_later()
            self._changed.notify_all()
        for each in places:
            each.door.close()

    def _enter(self, whose: Hashable, open_: Callable[[], Workspace]) -> _Place:
        left = None
        with self._changed:
            while True:
                if self._closed:
                    raise StoreClosed("the server is shutting down")
                if place := self._places.get(whose):
                    break
                if len(self._places) >= self._most:
                    left = self._longest_unused()
                    if left is None:
                        self._changed.wait()
                        continue
                place = self._places[whose] = _Place(Door(open_))
                break
            place.guests += 1
        if left is not None:
            left.door.close()  # outside the lock: it finishes what it has to write
        return place

    def _longest_unused(self) -> _Place | None:
        """Gives up the place that was left first; None where all are in use."""
        unused = [whose for whose, place in self._places.items() if not place.guests]
        if not unused:
            return None
        return self._places.pop(min(unused, key=lambda whose: self._places[whose].left_at))

    def _leave(self, whose: Hashable, place: _Place) -> None:
        with self._changed:
            place.guests -= 1
            place.left_at = self._now()
            refused = not place.guests and not place.door.is_open
            if refused and self._places.get(whose) is place:
                del self._places[whose]
            self._look_again_later()
            self._changed.notify_all()

    def _look_again_later(self) -> None:
        if self._timer is None and self._places and not self._closed:
            self._timer = threading.Timer(self._idle, self.close_idle)
            self._timer.daemon = True
            self._timer.start()
