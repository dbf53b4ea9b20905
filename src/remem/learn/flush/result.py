"""What did a flush do? What was written where, what was known, what was refused and why."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kept:
    """A lesson and its one home: a file, or the id of an entry.

    `origin` is where it was said. `because` is why its file does not show it yet, or why it waits
    for review. `contradicts`
    are the facts that stand and cannot hold beside it, each with its id: which one does is for
    the owner to say.
    """

    kind: str
    text: str
    home: str
    origin: str | None = None
    redacted: tuple[str, ...] = ()
    because: str | None = None
    contradicts: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Refused:
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Flushed:
    """What came of a flush.

    `written` stands in its home now. `known` stood there before. `waiting` is kept safely, and
    written as soon as its file lets it. `review` may be somebody else's words: it is kept apart
    until the owner confirms it. `created` names files that were missing.
    """

    last_flush: str
    written: tuple[Kept, ...] = ()
    known: tuple[Kept, ...] = ()
    waiting: tuple[Kept, ...] = ()
    review: tuple[Kept, ...] = ()
    refused: tuple[Refused, ...] = ()
    created: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
