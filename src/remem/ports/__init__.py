"""Interfaces to the outside: entry and passage stores, models, the clock.

The package itself also lets a caller write without waiting for a locked store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final

from remem.fast_dataclass import dataclass

if TYPE_CHECKING:
    from remem.ports.models import TokenCounter

Clock = Callable[[], str]
"""Returns the current time in UTC, `YYYY-MM-DDTHH:MM:SSZ`."""
_REFUSALS: Final[ContextVar[list[str] | None]] = ContextVar("refusals", default=None)


@dataclass(frozen=True, slots=True)
class StoreDependencies:
    """The dependencies of storing a memory."""

    counter: TokenCounter
    topics: tuple[str, ...]
    random_bytes: Callable[[int], bytes]


@contextmanager
def without_waiting() -> Iterator[list[str]]:
    """Make writes in this block wait only briefly for a store that another process has locked.

    The first write that finds the store locked fails with StoreBusy, and so does every later write
    in the block, at once. The block gets the list of the error messages, which is empty as long as
    no write has failed. A block inside another one shares its list.
    """
    outer = _REFUSALS.get()
    refused: list[str] = [] if outer is None else outer
    token = _REFUSALS.set(refused)
    try:
        yield refused
    finally:
        _REFUSALS.reset(token)


def refusals() -> list[str] | None:
    """Return the list of the enclosing `without_waiting` blocks, or None outside of them."""
    return _REFUSALS.get()
