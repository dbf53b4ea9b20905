"""Result types of curation: items to judge, verdicts, and refusals."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class CurationGroup:
    """Lines under one heading, all in the index or all left out, as `now` says.

    `where` is their file and heading. `lines` maps the name of each, which identifies it in a
    verdict, to its text. `proposed` maps names to what remem suggests and why, unless it is to
    leave the line as it is.
    """

    where: str
    now: str
    lines: dict[str, str]
    proposed: dict[str, str] | None = None


@dataclass(frozen=True, slots=True)
class CurationItem:
    """A memory in review, or a pair of memories.

    `item` identifies it in a verdict. `where` is where it comes from, `proposed` the verdict that
    remem suggests, and `why` the reason.
    """

    item: str
    topic: str
    text: str
    where: str
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

    Without verdicts, `groups` and `items` are what to judge next, `task` says how, and `remaining`
    counts what did not fit and comes in the next batch. With verdicts, `applied` and `proposed` are
    their numbers and `refused` those that were not accepted. `page` says how full the index is,
    with all proposals applied. `waiting` counts the proposals that the owner has not decided on.
    """

    task: str | None = None
    page: str | None = None
    groups: tuple[CurationGroup, ...] = ()
    items: tuple[CurationItem, ...] = ()
    remaining: int = 0
    applied: tuple[int, ...] = ()
    proposed: tuple[int, ...] = ()
    refused: tuple[Refusal, ...] = ()
    waiting: int = 0
    notes: tuple[str, ...] = field(default=())

    @property
    def lines(self) -> dict[str, str]:
        """The lines of all groups: the text of each by its name."""
        return {name: text for group in self.groups for name, text in group.lines.items()}
