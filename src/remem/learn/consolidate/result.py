"""The result of a consolidation: each statement with its verdict, reason and evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["stored", "reinforced", "left"]


@dataclass(frozen=True, slots=True)
class WeighedStatement:
    """A statement, its verdict and, in `because`, the reason.

    `entry` is the id of its entry, or `fact` that of its fact if it is about a known entity.
    """

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
    """One side of a contradiction: its text, where it was said, and its fact id if it is a fact."""

    text: str
    said_at: tuple[str, ...] = ()
    day: str | None = None
    fact: str | None = None


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two statements that cannot both hold; nothing is changed.

    `why` explains what decides between them, if anything does; `propose` is the command that
    would resolve it.
    """

    earlier: Side
    later: Side
    rule: str
    why: str
    propose: str | None = None


@dataclass(frozen=True, slots=True)
class Consolidation:
    """The result of looking across conversations.

    `run` is the number of the run that can be undone; None if nothing was changed. `taken` was
    stored or reinforced. `left` was not, and is filled on request; `left_in_all` counts it.
    `contradictions` are for the owner to decide. `unread` is set if the settings do not allow
    reading conversations.
    """

    at: str
    run: int | None
    conversations: int
    statements: int
    taken: tuple[WeighedStatement, ...] = ()
    left: tuple[WeighedStatement, ...] = ()
    left_in_all: int = 0
    contradictions: tuple[Contradiction, ...] = ()
    troubles: tuple[str, ...] = ()
    unread: str | None = None


@dataclass(frozen=True, slots=True)
class UndoResult:
    """The result of undoing a run.

    `kept` has changed since and was not touched. `retracted` are facts that no longer hold; they
    stay in their files.
    """

    run: int
    archived: tuple[str, ...] = ()
    weakened: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    retracted: tuple[str, ...] = ()
    troubles: tuple[str, ...] = ()
