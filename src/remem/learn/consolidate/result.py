"""What did a consolidation do? Each statement with its verdict, its reason and its evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["stored", "reinforced", "left"]


@dataclass(frozen=True, slots=True)
class Weighed:
    """A statement and what became of it; `because` says why. `entry` is where it stands, or
    `fact`, if it is one of somebody or something that is known."""

    text: str
    verdict: Verdict
    because: str
    conversations: int
    days: tuple[str, ...]
    said_at: tuple[str, ...]
    entry: str | None = None
    fact: str | None = None


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a contradiction: words, the places where they were said, and the fact that
    they are, where they are one."""

    text: str
    said_at: tuple[str, ...] = ()
    day: str | None = None
    fact: str | None = None


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two statements that cannot both hold. `why` is what decides, or that nothing does; `propose`
    is the command that would settle it. Nothing is done about it."""

    earlier: Side
    later: Side
    rule: str
    why: str
    propose: str | None = None


@dataclass(frozen=True, slots=True)
class Consolidated:
    """What came of looking across conversations.

    `run` is the number of the step that can be taken back; None if nothing was changed.
    `taken` was stored or reinforced. `left` was not, which is told where it was asked for;
    `left_in_all` counts it. `contradictions` are for the owner to decide. `unread` says why
    conversations are not read, where the settings do not allow it.
    """

    at: str
    run: int | None
    conversations: int
    statements: int
    taken: tuple[Weighed, ...] = ()
    left: tuple[Weighed, ...] = ()
    left_in_all: int = 0
    contradictions: tuple[Contradiction, ...] = ()
    troubles: tuple[str, ...] = ()
    unread: str | None = None


@dataclass(frozen=True, slots=True)
class TakenBack:
    """What an undone step left: `kept` has changed since, and was not touched. `retracted` are
    facts that stand no longer; they stay in their files."""

    run: int
    archived: tuple[str, ...] = ()
    weakened: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    retracted: tuple[str, ...] = ()
    troubles: tuple[str, ...] = ()
