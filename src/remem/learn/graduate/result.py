"""What is proposed for MEMORY.md, and what is not, and why?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from remem.model.entry import Category

STATED: Final[dict[Category, str]] = {
    "instruction": "a rule",
    "preference": "a preference",
    "decision": "a decision",
}
"""What a person states on purpose, so that it is kept to."""


@dataclass(frozen=True, slots=True)
class Graduate:
    """A line that is proposed. `evidence` names where it was said (`path#L4`), `day` when it was
    said last, `section` the heading under which it would stand; `contradicts` a line of
    MEMORY.md that says otherwise, which has to be settled by hand first."""

    id: str
    text: str
    category: Category
    reasons: tuple[str, ...]
    evidence: tuple[str, ...]
    section: str
    day: str | None = None
    contradicts: str | None = None


@dataclass(frozen=True, slots=True)
class Waiting:
    """A statement that is not proposed (yet), and what it lacks."""

    id: str
    text: str
    category: Category
    why_not: str
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Graduation:
    """What is proposed. `waiting` is told when asked for; `looked_at` counts the statements
    that were judged, `declined` those which the owner did not want."""

    proposals: tuple[Graduate, ...]
    looked_at: int
    declined: int
    waiting: tuple[Waiting, ...] = ()
    troubles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Applied:
    """What was written into MEMORY.md; its earlier bytes lie at `kept`."""

    description: str
    diff: str
    kept: str


@dataclass(frozen=True, slots=True)
class Declined:
    """What will not be proposed again."""

    declined: tuple[Graduate, ...]
