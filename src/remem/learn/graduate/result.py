"""The result of a graduation: lines proposed for MEMORY.md, and others with the reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from remem.model.entry import Category

STATED_AS: Final[dict[Category, str]] = {
    "instruction": "a rule",
    "preference": "a preference",
    "decision": "a decision",
}
"""The categories of statements that a person makes deliberately, as reasons name them."""


@dataclass(frozen=True, slots=True)
class ProposedLine:
    """A proposed line.

    `evidence` lists where it was said (`path#L4`), `day` is when it was last said, and `section`
    the heading it would go under. `contradicts` names a line of MEMORY.md or USER.md that says the
    opposite and has to be changed by hand first.
    """

    id: str
    text: str
    category: Category
    reasons: tuple[str, ...]
    evidence: tuple[str, ...]
    section: str
    day: str | None = None
    contradicts: str | None = None


@dataclass(frozen=True, slots=True)
class PostponedLine:
    """A statement that is not proposed yet, and what is missing."""

    id: str
    text: str
    category: Category
    why_not: str
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Graduation:
    """The result of a graduation; statements that have to wait are only listed on request.

    `looked_at` counts all statements that were found, `declined` those that the owner declined.
    """

    proposals: tuple[ProposedLine, ...]
    looked_at: int
    declined: int
    waiting: tuple[PostponedLine, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GraduatedLines:
    """The change that was made to MEMORY.md; `kept` is the path of a copy of the earlier file."""

    description: str
    diff: str
    kept: str


@dataclass(frozen=True, slots=True)
class DeclinedProposals:
    """Proposals that will not be made again."""

    declined: tuple[ProposedLine, ...]
