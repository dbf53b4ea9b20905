"""What waits to be written, and what may go wrong with it?"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from remem.errors import RememError, StoreBusy

T = TypeVar("T")


class Job(Generic[T]):
    """One operation under way; `wait` returns when it is durable, or raises."""

    __slots__ = ("_done", "error", "hurried", "late", "operation", "result")

    def __init__(self, operation: Callable[[Any], T], *, late: bool, hurried: bool = False) -> None:
        self.operation = operation
        self.late = late
        self.hurried = hurried
        self.result: T | None = None
        self.error: BaseException | None = None
        self._done = threading.Lock()
        self._done.acquire()

    @property
    def patient(self) -> bool:
        """Whether somebody would rather wait than do without it."""
        return not (self.late or self.hurried)

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
    """What went wrong, and in whose operation; in nobody's where the disk refused."""

    job: Job[Any] | None
    error: BaseException

    @property
    def by_the_words(self) -> bool:
        """Whether what was to be stored is at fault, and not the place where it should be."""
        return not isinstance(self.error, RememError)

    @property
    def for_now(self) -> bool:
        """Whether another program is in the way, which will be gone."""
        return isinstance(self.error, StoreBusy)
