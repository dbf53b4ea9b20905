"""The result of a validation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MAX_REASONS: Final = 8


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a tool in the self-test.

    `reason` says why it failed, and is None if it works.
    """

    tool: str
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class ValidationCheck:
    """The result of a check: `summary` says what was checked, `reasons` what is wrong."""

    number: int
    name: str
    passed: bool
    summary: str
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Validation:
    """The results of the six checks.

    `no_longer_loaded` are the statements of MEMORY.md that the start text, which replaces it, does
    not contain.
    """

    passed: bool
    checks: tuple[ValidationCheck, ...]
    no_longer_loaded: tuple[str, ...] = ()


def make_check(number: int, name: str, summary: str, reasons: list[str]) -> ValidationCheck:
    """Return a check that passes if there are no reasons against it.

    Only the first few are listed.
    """
    shown_reasons = reasons[:MAX_REASONS]
    if len(reasons) > len(shown_reasons):
        shown_reasons.append(f"and {len(reasons) - len(shown_reasons)} more")
    return ValidationCheck(number, name, not reasons, summary, tuple(shown_reasons))
