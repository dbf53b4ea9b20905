"""Which page is to be made, and from which points?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

from remem.core.marked_line import marked
from remem.core.point import Point

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
        told = [(each.source, each.text, each.group, each.day, each.state) for each in self.points]
        return blake2b(json.dumps(told).encode(), digest_size=5).hexdigest()

    def lead_line(self, *, prose: bool) -> str:
        """The first line, which says what the page was made from, and in which state."""
        return marked(self.lead, (self.made_from, f"{self.state}{'+prose' if prose else ''}"))
