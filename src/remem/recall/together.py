"""In which order are entries and passages told? Each kind keeps its own; between the two
decides how much of the question each of them says. A passage of which lines were left out is no
longer what was ranked: it stands where the rest of it belongs.

The scores of the two rankings cannot be compared: each is relative to its own candidates. How
many of the question's words a text holds, and how near it lies in meaning, can.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import merge
from typing import Final

from remem.core.passage import Passage
from remem.recall.beside import Extract
from remem.recall.ranking import Ranked
from remem.recall.terms import coverage_among

_VERY_NEAR: Final = 0.7
_LOOKED_AT: Final = 60
"""What stands behind so many entries finds no room in any budget that is asked for."""


def together(
    entries: Sequence[Ranked], passages: Sequence[Extract], terms: Sequence[str]
) -> Iterator[Ranked | Extract]:
    """Best first; of equals, the entry."""
    if not passages:
        yield from entries
        return
    first, behind = entries[:_LOOKED_AT], entries[_LOOKED_AT:]
    texts = [*map(_as_passage, first), *(each.passage for each in passages)]
    items: list[Ranked | Extract] = [*first, *passages]
    said = zip(coverage_among(terms, texts), items, strict=True)
    near = [(_nearness(share, item.cosine), item) for share, item in said]
    of_files = near[len(first) :]
    legs = (
        _falling(near[: len(first)]),
        _falling([each for each in of_files if not _is_cut(each[1])]),
        sorted((each for each in of_files if _is_cut(each[1])), key=_order),
    )
    for _, item in merge(*legs, key=_order):
        yield item
    yield from behind


def _is_cut(item: Ranked | Extract) -> bool:
    return isinstance(item, Extract) and item.cut


def _falling(
    near: Sequence[tuple[float, Ranked | Extract]],
) -> Iterator[tuple[float, Ranked | Extract]]:
    """Each item with the least nearness so far, so that the order of its kind is kept."""
    least = 1.0
    for nearness, item in near:
        least = min(least, nearness)
        yield least, item


def _order(item: tuple[float, Ranked | Extract]) -> float:
    return -item[0]


def _nearness(share: float, cosine: float | None) -> float:
    """From 0 to 1; comparable between any two texts that were asked the same."""
    if cosine is None:
        return share
    return (share + min(1.0, max(0.0, cosine) / _VERY_NEAR)) / 2


def _as_passage(ranked: Ranked) -> Passage:
    entry = ranked.entry
    return Passage("", 1, 1, " ".join((entry.content, entry.context or "", *entry.tags)))
