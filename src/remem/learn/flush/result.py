"""The result of a flush: what was written, known, pending or refused."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FlushedItem:
    """A lesson and its `home`, the file or the id of the entry that it was written to.

    `origin` is where it was said. `reason` is why it has not been written yet, or why it waits
    for review. `contradicts` are active facts that contradict it, with their ids; the owner
    decides which one is right.
    """

    kind: str
    text: str
    home: str
    origin: str | None = None
    redacted: tuple[str, ...] = ()
    reason: str | None = None
    contradicts: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class RefusedItem:
    """The text of an item that was refused, and the reason."""

    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class FlushResult:
    """The result of a flush.

    `written` lessons are in their files now; `known` lessons were already there. `waiting` lessons
    are saved, and are written as soon as their files can be written. `review` lessons may be
    somebody else's words and wait until the owner confirms them. `created` names files that were
    missing.
    """

    last_flush: str
    written: tuple[FlushedItem, ...] = ()
    known: tuple[FlushedItem, ...] = ()
    waiting: tuple[FlushedItem, ...] = ()
    review: tuple[FlushedItem, ...] = ()
    refused: tuple[RefusedItem, ...] = ()
    created: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
