"""Let a program die at a chosen step: it counts its steps and kills itself as SIGKILL would,
independently of the speed of the machine."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from typing import Any

from remem.store.sqlite.writer import Writer


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
