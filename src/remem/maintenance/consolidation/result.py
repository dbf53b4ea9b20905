"""What did a consolidation do? Each statement with its verdict, its reason and its evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["stored", "reinforced", "left"]


@dataclass(frozen=True, slots=True)
class Weighed:
    """A statement and what became of it; `because` says why. `entry` is where it stands."""

    text: str
    verdict: Verdict
    because: str
    conversations: int
    days: tuple[str, ...]
    said_at: tuple[str, ...]
    entry: str | None = None


@dataclass(frozen=True, slots=True)
class Consolidated:
    """What came of looking across conversations.

    `run` is the number of the step that can be taken back; None if nothing was changed.
    `taken` was stored or reinforced. `left` was not, which is told where it was asked for;
    `left_in_all` counts it.
    """

    at: str
    run: int | None
    conversations: int
    statements: int
    taken: tuple[Weighed, ...] = ()
    left: tuple[Weighed, ...] = ()
    left_in_all: int = 0
    troubles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TakenBack:
    """What an undone step left: `kept` has changed since, and was not touched."""

    run: int
    archived: tuple[str, ...] = ()
    weakened: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
