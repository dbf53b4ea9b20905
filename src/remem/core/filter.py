"""Which entries may an answer draw from? The conditions that come before any ranking."""

from __future__ import annotations

from dataclasses import dataclass

from remem.core.entry import PRIORITIES, Category, Entry, Priority, at_least
from remem.core.words import fold


@dataclass(frozen=True, slots=True)
class Filter:
    """All conditions hold at once; an empty one admits every live entry."""

    categories: tuple[Category, ...] = ()
    priority_min: Priority | None = None
    tags: tuple[str, ...] = ()
    include_archived: bool = False
    include_untrusted: bool = False

    @property
    def only_live(self) -> bool:
        return not (self.include_archived or self.include_untrusted)

    @property
    def narrow(self) -> bool:
        """Whether it asks for more than the live entries."""
        return bool(self.categories or self.priorities or self.tags)

    @property
    def priorities(self) -> tuple[Priority, ...]:
        """The admitted priorities; empty when all are."""
        if self.priority_min is None or self.priority_min == PRIORITIES[-1]:
            return ()
        return tuple(each for each in PRIORITIES if at_least(each, self.priority_min))

    @property
    def folded_tags(self) -> tuple[str, ...]:
        return tuple(fold(tag) for tag in self.tags)

    def admits(self, entry: Entry) -> bool:
        """The rule itself, which every store must agree with."""
        if (entry.archived or entry.superseded_by) and not self.include_archived:
            return False
        if entry.trust == "untrusted" and not self.include_untrusted:
            return False
        if self.categories and entry.category not in self.categories:
            return False
        if self.priorities and entry.priority not in self.priorities:
            return False
        return not self.tags or set(self.folded_tags) <= {fold(tag) for tag in entry.tags}
