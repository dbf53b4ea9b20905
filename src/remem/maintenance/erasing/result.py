"""What does the owner hear of an erasure?"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Erased:
    """`also_in` names files of a person, and kept databases, in which the words still stand;
    `also_as` other entries and facts that say, or once said, the same. `together` are entries
    that went with a fact, because they had become it."""

    id: str
    erased: bool
    also_in: tuple[str, ...] = ()
    also_as: tuple[str, ...] = ()
    together: tuple[str, ...] = ()
