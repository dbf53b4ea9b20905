"""What did a heartbeat learn? What was read, what it gave, and what was left and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from remem.maintenance.flush.conversation import Heard
from remem.maintenance.flush.result import Flushed, Kept, Refused


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """What came of reading what is new.

    `conversations` and `notes` count the sources that held something new. `known` counts what
    memory had already; `passed` what was left, by its reason. `review` waits for the owner: it may
    be somebody else's words. `troubles` are sources that could
    not be read, and models that gave no answer. `unread` says why conversations are not read,
    where that is a setting.
    """

    at: str
    conversations: int = 0
    notes: int = 0
    written: tuple[Kept, ...] = ()
    known: int = 0
    waiting: tuple[Kept, ...] = ()
    review: tuple[Kept, ...] = ()
    refused: tuple[Refused, ...] = ()
    passed: Mapping[str, int] = field(default_factory=dict)
    troubles: tuple[str, ...] = ()
    unread: str | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """A source that was read, and what became of what it said."""

    heard: Heard
    done: Flushed


def told(
    at: str, conversations: Sequence[Source], notes: Sequence[Source], troubles: Sequence[str]
) -> Heartbeat:
    every = [*conversations, *notes]
    passed: Counter[str] = Counter()
    for each in every:
        passed.update(each.heard.passed)
    asides = [each.heard.trouble or each.heard.why_not for each in every]
    return Heartbeat(
        at=at,
        conversations=len(conversations),
        notes=len(notes),
        written=tuple(kept for each in every for kept in each.done.written),
        known=sum(len(each.done.known) for each in every),
        waiting=tuple(kept for each in every for kept in each.done.waiting),
        review=tuple(kept for each in every for kept in each.done.review),
        refused=tuple(one for each in every for one in each.done.refused),
        passed=dict(passed),
        troubles=(*troubles, *dict.fromkeys(each for each in asides if each)),
    )
