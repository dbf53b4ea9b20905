"""The pieces of a turn: whose they are, and why that may be in doubt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from remem.core.pasted_lines import CODE, LOG

FOREIGN: Final = "somebody else's words: "
NO_PROSE: Final = frozenset({CODE, LOG})
"""What is nobody's statement in any case."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Words as one line; `doubt` says why they may not be the speaker's own."""

    text: str
    doubt: str | None = None


@dataclass(frozen=True, slots=True)
class Authorship:
    """The pieces of a turn in their order; `foreign` counts what was left out, by its reason."""

    pieces: tuple[Piece, ...] = ()
    foreign: Mapping[str, int] = field(default_factory=dict)

    @property
    def own(self) -> tuple[str, ...]:
        """What is plainly the speaker's."""
        return tuple(each.text for each in self.pieces if each.doubt is None)


def reason(what: str) -> str:
    """How it is counted that such text was left out."""
    return what if what in NO_PROSE else f"{FOREIGN}{what}"
