"""Write operations in the writer's queue, and their failures."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from remem.errors import StoreBusy

T = TypeVar("T")


class Job(Generic[T]):
    """A queued operation; `wait` returns when it is durable, or raises."""

    __slots__ = ("_done", "error", "late", "operation", "result", "without_waiting")

    def __init__(
        self, operation: Callable[[Any], T], *, late: bool, without_waiting: bool = False
    ) -> None:
        self.operation = operation
        self.late = late
        self.without_waiting = without_waiting
        self.result: T | None = None
        self.error: BaseException | None = None
        self._done = threading.Lock()
        self._done.acquire()

    @property
    def patient(self) -> bool:
        """Whether a caller is willing to wait for other programs."""
        return not (self.late or self.without_waiting)

    def finish(self, error: BaseException | None = None) -> None:
        self.error = error
        self._done.release()

    def wait(self) -> T:
        self._done.acquire()
        self._done.release()
        if self.error is not None:
            raise self.error
        return cast(T, self.result)


@dataclass(frozen=True, slots=True)
class Failure:
    """An error and the job that caused it; None if no single job did."""

    job: Job[Any] | None
    error: BaseException

    @property
    def is_temporary(self) -> bool:
        """Whether another program is using the database."""
        return isinstance(self.error, StoreBusy)
