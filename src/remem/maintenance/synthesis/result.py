"""What did a synthesis do? Each page, what was kept of a person's hand, and what went wrong."""

from __future__ import annotations

from dataclasses import dataclass

from remem.maintenance.qmd import Followed


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
