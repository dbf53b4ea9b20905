"""Interfaces to the outside: entry and passage stores, models, the clock."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

Clock = Callable[[], str]
"""Returns the current time in UTC, `YYYY-MM-DDTHH:MM:SSZ`."""

_REASONS: Final[ContextVar[list[str] | None]] = ContextVar("refusals", default=None)


@contextmanager
def without_waiting() -> Iterator[list[str]]:
    """Make this thread's writes wait only once, and briefly, for a locked store.

    After that, writes fail with StoreBusy. The block gets a list of the reasons.
    """
    outer = _REASONS.get()
    refused: list[str] = [] if outer is None else outer
    token = _REASONS.set(refused)
    try:
        yield refused
    finally:
        _REASONS.reset(token)


def refusals() -> list[str] | None:
    """Return the reasons collected by the innermost `without_waiting`; None outside of such a
    block."""
    return _REASONS.get()
