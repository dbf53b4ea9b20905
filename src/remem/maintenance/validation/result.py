"""What does a validation say? One line for each check, and why one fails."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

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
