"""A refresh that does what it must not: without a lock, or marking files before they are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from remem.model.passage import FileMark
from remem.search.refresh.reading import ReadFile
from remem.search.refresh.refresh import Refresh
from tests.faults.dying import Steps


def without_a_lock(before_reading: Callable[[], object]) -> None:
    """Each process makes its plan, calls the function, and reads without waiting for the others."""
    read = Refresh._read

    @contextmanager
    def no_lock(_self: Refresh, _seconds: float | None) -> Iterator[bool]:
        yield True

    def together(self: Refresh, *given: Any) -> Any:
        before_reading()
        return read(self, *given)

    Refresh._locked = no_lock  # type: ignore[method-assign]
    Refresh._read = together  # type: ignore[method-assign]


def marking_first(steps: Steps) -> None:
    """A file counts as read before its passages are stored."""

    def marks_first(self: Refresh, batch: Sequence[ReadFile | FileMark | str]) -> None:
        taken = [file for file in batch if isinstance(file, ReadFile)]
        self._store.write(lambda tx: tx.update_marks([file.mark for file in taken]))
        steps.take()
        self._store.write(lambda tx: tx.replace([(file.mark, file.passages) for file in taken]))

    Refresh._store_batch = marks_first  # type: ignore[method-assign]


def dying_around_batches(steps: Steps) -> None:
    steps.around(Refresh, "_store_batch")


def refresh_under_a_held_lock(refresh: Refresh) -> None:
    """What a refresh does once it has the lock, for a caller that holds it already."""
    refresh._read(refresh._plan(), None, lambda _done, _of: None)
