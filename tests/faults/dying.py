"""Let a program die at a chosen step: it counts its steps and kills itself as SIGKILL would,
independently of the speed of the machine."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from remem.store.sqlite.writer import Writer
from tests.faults import crowd


def is_killed(act: Callable[[], object]) -> bool:
    """Whether a child that does this is killed; it may not fail in any other way."""
    status = crowd.start(lambda _say: act()).end()
    assert status in (0, -signal.SIGKILL), status
    return status != 0


def _every_call(_frame: FrameType, _function: Any) -> bool:
    return True


def is_killed_at_call(
    number: int,
    act: Callable[[], object],
    counts: Callable[[FrameType, Any], bool] = _every_call,
) -> bool:
    """Whether a child is killed just before the call with this number of a built-in function.

    `counts` gets the caller's frame and the function; it chooses the calls that are numbered.
    """

    def run() -> None:
        left = number

        def count_down(frame: FrameType, event: str, function: Any) -> None:
            nonlocal left
            if event == "c_call" and counts(frame, function):
                left -= 1
                if left == 0:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.setprofile(count_down)
        act()
        sys.setprofile(None)

    return is_killed(run)


class Steps:
    """Steps that are taken; at the last one the process dies. With 0 it lives."""

    def __init__(self, last: int = 0) -> None:
        self.last, self.taken = last, 0

    def take(self) -> None:
        self.taken += 1
        if self.taken == self.last:
            os.kill(os.getpid(), signal.SIGKILL)

    def around(self, owner: object, *names: str) -> None:
        """One step before each call of these functions, and one after it."""
        for name in names:
            setattr(owner, name, self._counted(getattr(owner, name)))

    def around_transactions(self) -> None:
        """One step before each transaction of a store, and one after it."""
        self.around(Writer, "_transact")

    def _counted(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*given: Any, **more: Any) -> Any:
            self.take()
            result = call(*given, **more)
            self.take()
            return result

        return counted
