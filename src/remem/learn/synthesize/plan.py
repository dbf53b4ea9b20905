"""What did a synthesis do? Each page, what was kept of a person's hand, and what went wrong.

Which page is to be made, and from which points?
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

from remem.model.page import Point
from remem.search.qmd import Followed
from remem.text.marked_line import marked

SUMMARY = "summary.md"


@dataclass(frozen=True, slots=True)
class Plan:
    """A page at `path`, relative to the workspace.

    `made_from` names the file that it is made from. `titles` are headings that it may have
    had; `known` are folded texts that the record has word for word. `names` are those that a
    sentence about it may use. `facts` says that its points are facts of the entity `about`;
    `only_standing` that it is changed where it stands, and else not made.
    """

    path: str
    title: str
    about: str
    made_from: str
    lead: str
    points: Sequence[Point]
    titles: frozenset[str] = frozenset()
    known: frozenset[str] = frozenset()
    names: tuple[str, ...] = ()
    facts: bool = False
    only_standing: bool = False

    @property
    def state(self) -> str:
        """Equal for pages that tell the same points."""
        told = [
            (point.source, point.text, point.group, point.day, point.state) for point in self.points
        ]
        return blake2b(json.dumps(told).encode(), digest_size=5).hexdigest()

    def lead_line(self, *, prose: bool) -> str:
        """The first line, which says what the page was made from, and in which state."""
        return marked(self.lead, (self.made_from, f"{self.state}{'+prose' if prose else ''}"))


@dataclass(frozen=True, slots=True)
class Proposed:
    """A line of a person that could be a fact; `instead_of` is the fact whose line he changed."""

    entity: str
    text: str
    instead_of: str | None
    command: str


@dataclass(frozen=True, slots=True)
class PageMade:
    """One page. `points` are told on it, `sentences` of a language model tell some of them, and
    `dropped` said what no point says. `rescued` are lines that a person wrote among ours, now
    in a section of his own; `removed` the sources of lines that he took out, which are back
    because what they tell still holds."""

    path: str
    about: str
    changed: bool
    points: int
    sentences: int = 0
    dropped: int = 0
    rescued: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    proposed: tuple[Proposed, ...] = ()
    trouble: str | None = None


@dataclass(frozen=True, slots=True)
class Synthesis:
    """`model` says why no language model had a part in it; None where one had. `qmd` is None
    where no such installation is configured."""

    pages: tuple[PageMade, ...]
    model: str | None = None
    qmd: Followed | None = None
    troubles: tuple[str, ...] = ()
