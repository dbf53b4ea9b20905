"""How is a store asked without leaving a trace? Through this: what would be noted is not.

What does a validation say? One line for each check, and why one fails.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from remem.errors import StoreReadOnly
from remem.ports.entries import Snapshot, Store, Transaction
from remem.ports.records import Shortfall

MOST_REASONS: Final = 8


@dataclass(frozen=True, slots=True)
class Tried:
    """One tool of the self-test; `reason` says why it does not work, None that it does."""

    tool: str
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """`summary` says what was looked at, `reasons` what is wrong with it."""

    number: int
    name: str
    passed: bool
    summary: str
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Validation:
    passed: bool
    checks: tuple[Check, ...]


def judged(number: int, name: str, summary: str, reasons: list[str]) -> Check:
    """A check that passes if nothing is wrong; of many reasons the first few are told."""
    told = reasons[:MOST_REASONS]
    if len(reasons) > len(told):
        told.append(f"and {len(reasons) - len(told)} more")
    return Check(number, name, not reasons, summary, tuple(told))


T = TypeVar("T")


class Unseen:
    """A store that is only read. That somebody asked is not kept; a real write is an error."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @property
    def writable(self) -> bool:
        return self._store.writable

    @property
    def trouble(self) -> str | None:
        return self._store.trouble

    def read(self) -> AbstractContextManager[Snapshot]:
        return self._store.read()

    def write(self, operation: Callable[[Transaction], T]) -> T:
        raise StoreReadOnly(f"{operation} would write, and this is only to be read")

    def write_later(self, operation: Callable[[Transaction], Any]) -> None:
        """Nothing that nobody waits for is worth a trace."""

    def hurried(self) -> AbstractContextManager[Sequence[str]]:
        return nullcontext(())

    def scrub(self) -> None:
        raise StoreReadOnly("this is only to be read")

    def shortfall(self) -> Shortfall | None:
        return self._store.shortfall()

    def settle(self) -> None:
        raise StoreReadOnly("this is only to be read")

    @property
    def displaced(self) -> bool:
        return self._store.displaced

    @property
    def generation(self) -> int:
        return self._store.generation

    def close(self) -> None:
        """The store belongs to somebody else."""
