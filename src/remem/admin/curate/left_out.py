"""The lines that the index leaves out, in the order in which a reader should see them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from remem.model.entry import Entry
from remem.model.verdict import Topic

_MAX_LINES: Final = 300
_GROUP: Final = 60
_LATER: Final = 0.25


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A line that the index does not show; `section` is its file and its nearest heading."""

    item: str
    topic: Topic
    text: str
    section: str
    order: tuple[str, int]
    worth: float
    reasons: tuple[str, ...]
    entry: Entry | None = None


def in_batches(lines: Iterable[LeftOut]) -> Iterator[LeftOut]:
    """The best lines first, in groups that fit a batch; within a group, section by section."""
    ranked = _ranked(lines)
    for at in range(0, len(ranked), _GROUP):
        yield from _by_section(ranked[at : at + _GROUP])


def _ranked(lines: Iterable[LeftOut]) -> list[LeftOut]:
    """The best lines first; later lines of a section count a little less, so that every section
    is represented."""
    above: Counter[str] = Counter()
    weighed = []
    for line in sorted(lines, key=lambda line: -line.worth):
        weighed.append((line.worth - _LATER * above[line.section], line))
        above[line.section] += 1
    weighed.sort(key=lambda pair: -pair[0])
    return [line for _, line in weighed[:_MAX_LINES]]


def _by_section(lines: Sequence[LeftOut]) -> list[LeftOut]:
    return sorted(lines, key=lambda line: (line.order[0], line.section, line.order))
