"""The items of a curation, and what became of the verdicts on them."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class CurationItem:
    """One thing to judge.

    `item` identifies it in a verdict. `where` is its file and heading, and empty if it is in the
    same section as the item before. `now` says what applies without a verdict, `proposed` is the
    verdict that remem suggests, and `why` the reason, unless the suggestion is to leave it as it
    is.
    """

    item: str
    topic: str
    text: str
    where: str
    now: str
    proposed: str
    other: str | None = None
    why: str | None = None


@dataclass(frozen=True, slots=True)
class VerdictView:
    """A verdict, and the text of the entry that it is about."""

    number: int
    at: str
    author: str
    state: str
    topic: str
    answer: str
    entries: tuple[str, ...]
    content: str
    text: str | None = None
    category: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Some verdicts; `notes` say what did not work as expected."""

    verdicts: tuple[VerdictView, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refusal:
    """A verdict that was not accepted, and why."""

    item: str
    reason: str


@dataclass(frozen=True, slots=True)
class Curation:
    """The answer of a curation.

    Without verdicts, `items` are the next items to judge and `left_out` counts those that did not
    fit. With verdicts, `applied` and `proposed` are their numbers and `refused` those that were not
    accepted. `waiting` counts the proposals that the owner has not decided on.
    """

    items: tuple[CurationItem, ...] = ()
    left_out: int = 0
    applied: tuple[int, ...] = ()
    proposed: tuple[int, ...] = ()
    refused: tuple[Refusal, ...] = ()
    waiting: int = 0
    notes: tuple[str, ...] = field(default=())
