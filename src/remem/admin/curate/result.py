"""Result types of curation: items to judge, verdicts, and refusals."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class CurationItem:
    """One thing to judge.

    `item` identifies it in a verdict. `where` is its file and heading; it is empty if the item is
    in the same section as the item before. `now` says what applies without a verdict. `proposed`
    is the verdict that remem suggests, and `why` gives the reason if a change is suggested. `other`
    is the second text of a pair.
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
    """A verdict as results show it; `content` is the text of the entry that it is about."""

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
    """A list of verdicts; `notes` say which of them could not be processed."""

    verdicts: tuple[VerdictView, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refusal:
    """A verdict that was not accepted, and why."""

    item: str
    reason: str


@dataclass(frozen=True, slots=True)
class Curation:
    """The result of curation.

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
