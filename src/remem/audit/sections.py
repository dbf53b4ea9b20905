"""Which sections has a memory file? Its lines, each in exactly one."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final

from remem.core.outline import Block, outline

TOP: Final = "(top)"


@dataclass(frozen=True, slots=True)
class Section:
    """Lines `start` to `end`, counted from 1; the first is the heading, but for the top."""

    title: str
    start: int
    end: int


def sections(text: str) -> list[Section]:
    """The text cut at the headings of the level that divides it: usually the second."""
    lines = text.count("\n") + 1
    headings = [block for block in outline(text) if block.kind == "heading"]
    level = _dividing(headings)
    starts = [
        (TOP, 1),
        *((each.text or TOP, each.start) for each in headings if each.level <= level),
    ]
    ends = [start - 1 for _, start in starts[1:]] + [lines]
    return [
        Section(title, start, end)
        for (title, start), end in zip(starts, ends, strict=True)
        if end >= start
    ]


def _dividing(headings: list[Block]) -> int:
    """The highest level that has more than one heading; a single title divides nothing."""
    levels = Counter(each.level for each in headings)
    several = [level for level, number in levels.items() if number > 1]
    return min(several or levels, default=1)
