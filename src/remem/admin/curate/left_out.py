"""Order the lines that the index leaves out for a reader."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from remem.model.entry import Entry
from remem.model.verdict import Topic

_MAX_LINES: Final = 300
_GROUP_SIZE: Final = 60
_REPEATED_SECTION_PENALTY: Final = 0.25


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
    """Yield the best lines first, in groups that fit a batch; each group is sorted by section."""
    ranked = _ranked(lines)
    for at in range(0, len(ranked), _GROUP_SIZE):
        yield from _by_section(ranked[at : at + _GROUP_SIZE])


def _ranked(lines: Iterable[LeftOut]) -> list[LeftOut]:
    """The best lines first; later lines of a section count a little less, so that every section
    is represented."""
    counts: Counter[str] = Counter()
    weighed = []
    for line in sorted(lines, key=lambda line: -line.worth):
        weighed.append((line.worth - _REPEATED_SECTION_PENALTY * counts[line.section], line))
        counts[line.section] += 1
    weighed.sort(key=lambda pair: -pair[0])
    return [line for _, line in weighed[:_MAX_LINES]]


def _by_section(lines: Sequence[LeftOut]) -> list[LeftOut]:
    return sorted(lines, key=lambda line: (line.order[0], line.section, line.order))
