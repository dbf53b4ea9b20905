"""How is what is known told on a page? Point by point, under a heading each group of them.

The same points give the same lines. A point that a sentence tells need not be told again; one
that no sentence tells stands in its own words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from remem.core.marked_line import marked


@dataclass(frozen=True, slots=True)
class Point:
    """One thing to be told: its words, where they stand, and under which heading they go."""

    source: str
    text: str
    group: str
    day: str | None = None
    state: str = ""


@dataclass(frozen=True, slots=True)
class Sentence:
    """Words that somebody else found for some points."""

    text: str
    sources: tuple[str, ...]


def lines_of_page(lead: str, points: Sequence[Point], prose: Sequence[Sentence] = ()) -> list[str]:
    """A page's lines: `lead`, then each group, in the order in which its points come.

    A sentence stands in the group of the first of its points.
    """
    lines = [lead]
    told = {source for each in prose for source in each.sources}
    for group, of_group in groupby(points, lambda point: point.group):
        own = list(of_group)
        sources = {point.source for point in own}
        sentences = [each for each in prose if each.sources[0] in sources]
        rest = [point for point in own if point.source not in told]
        if sentences or rest:
            lines += ["", f"## {group}", "", *_told(sentences, rest)]
    return lines


def _told(sentences: Sequence[Sentence], rest: Sequence[Point]) -> Iterator[str]:
    for each in sentences:
        yield marked(each.text, each.sources)
    if sentences and rest:
        yield ""
    for point in rest:
        yield marked(f"- {point.text}{_when(point)}", (point.source,))


def _when(point: Point) -> str:
    """Its state and its day, unless its own words name the day."""
    day = point.day if point.day and point.day not in point.text else ""
    said = ", ".join(each for each in (point.state, day) if each)
    return f" ({said})" if said else ""
