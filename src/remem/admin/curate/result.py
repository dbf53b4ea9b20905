"""Result types of curation: items to judge, verdicts, and refusals."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CurationGroup:
    """Lines under one heading.

    `where` is their file and heading. Each of `lines` consists of the name of a line, which a
    verdict uses, its cost in tokens, and its text. `proposed` maps a change that remem suggests,
    with the reason, to the names of the lines that it is for.
    """

    where: str
    lines: tuple[str, ...]
    proposed: dict[str, tuple[str, ...]] | None = None


@dataclass(frozen=True, slots=True)
class CurationPage:
    """The index with all proposals applied.

    `tokens` is its size, which is at most `limit`, as the host counts that counts most. `no_room`
    are lines that should be on it but do not fit; they cost `needed` tokens. After verdicts,
    `left_page` are the lines that have left it without being dropped by a verdict, each with its
    name and the reason: no room, or covered by, merged into or replaced by another line.
    """

    tokens: int
    limit: int
    groups: tuple[CurationGroup, ...] = ()
    no_room: tuple[str, ...] = ()
    left_page: tuple[str, ...] = ()
    needed: int = 0


@dataclass(frozen=True, slots=True)
class CurationItem:
    """A memory in review, or a pair of memories.

    `item` is its name in a verdict. `where` is where it comes from, `proposed` the verdict that
    remem suggests, and `why` the reason. For a pair, the proposal is to keep `text` and drop
    `other`.
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
    """A verdict that was refused: the item that it was about, and the reason."""

    item: str
    reason: str


@dataclass(frozen=True, slots=True)
class Curation:
    """The result of curation.

    `page` is the index as it will be with all proposals applied. If no verdicts were given,
    `left_out` and `items` are the other lines and memories to judge, `task` explains how, and
    `remaining` counts those that did not fit into this batch. Otherwise, `applied` and `proposed`
    are the numbers of the verdicts, and `refused` are those that were not accepted. `waiting`
    counts the proposals that the owner has not decided on.
    """

    task: str | None = None
    page: CurationPage | None = None
    left_out: tuple[CurationGroup, ...] = ()
    items: tuple[CurationItem, ...] = ()
    applied: tuple[int, ...] = ()
    proposed: tuple[int, ...] = ()
    refused: tuple[Refusal, ...] = ()
    remaining: int = 0
    waiting: int = 0
    notes: tuple[str, ...] = ()

    @property
    def page_lines(self) -> dict[str, str]:
        """The lines of the page: the text of each by its name."""
        return _texts_by_name(self.page.groups if self.page else ())

    @property
    def left_out_lines(self) -> dict[str, str]:
        """The lines that the page leaves out: the text of each by its name."""
        return _texts_by_name(self.left_out)

    @property
    def lines(self) -> dict[str, str]:
        """All lines: the text of each by its name."""
        return self.page_lines | self.left_out_lines


def _texts_by_name(groups: Iterable[CurationGroup]) -> dict[str, str]:
    parts = (line.split(" ", 2) for group in groups for line in group.lines)
    return {name: text for name, _cost, text in parts}
