"""The result of a validation, and a store that can be queried without leaving a trace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from remem.errors import StoreReadOnly
from remem.ports.entries import Snapshot, Store, Transaction
from remem.ports.records import Shortfall

MAX_REASONS: Final = 8


@dataclass(frozen=True, slots=True)
class ToolResult:
    """One tool of the self-test; `reason` is why it failed, None if it works."""

    tool: str
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """One check: `summary` says what was checked, `reasons` what is wrong."""

    number: int
    name: str
    passed: bool
    summary: str
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Validation:
    passed: bool
    checks: tuple[Check, ...]


def make_check(number: int, name: str, summary: str, reasons: list[str]) -> Check:
    """A check that passes if there are no reasons against it; only the first few are listed."""
    listed = reasons[:MAX_REASONS]
    if len(reasons) > len(listed):
        listed.append(f"and {len(reasons) - len(listed)} more")
    return Check(number, name, not reasons, summary, tuple(listed))


T = TypeVar("T")


class ReadOnlyView:
    """A read-only view of a store: usage is not recorded, and a real write is an error."""

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
        raise StoreReadOnly(f"{operation} would write to a read-only view of the store")

    def write_later(self, operation: Callable[[Transaction], Any]) -> None:
        """Drop the operation: deferred writes only record usage."""

    def without_waiting(self) -> AbstractContextManager[Sequence[str]]:
        return nullcontext(())

    def scrub(self) -> None:
        raise StoreReadOnly("this view of the store is read-only")

    def shortfall(self) -> Shortfall | None:
        return self._store.shortfall()

    def accept_shortfall(self) -> None:
        raise StoreReadOnly("this view of the store is read-only")

    @property
    def displaced(self) -> bool:
        return self._store.displaced

    @property
    def generation(self) -> int:
        return self._store.generation

    def close(self) -> None:
        """Leave the store open; it belongs to the caller."""
