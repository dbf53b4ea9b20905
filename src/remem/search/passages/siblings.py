"""Show a line of a curated file with the lines around it.

In MEMORY.md each line is ranked by itself, but a short line of a list often answers a question only
together with its neighbours, which rank much lower. So a result is extended by the lines before and
after it, as long as they are below the same headings, at most one blank line apart, and cost few
tokens together. Lines that are shown in this way are not shown again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from remem.model.passage import Passage
from remem.search.passages.places import PassagesOfFile
from remem.search.passages.selection import ScoredResult
from remem.text.tokens import estimate

_MAX_TOKENS: Final = 100
"""Up to this size, a passage is extended."""
_MAX_DISTANCE: Final = 2
"""The distance of the next line if one blank line is between them."""


def with_siblings(
    results: Sequence[ScoredResult], of_file: PassagesOfFile, count: int
) -> Iterator[ScoredResult]:
    """Yield the results, of which the first `count` are extended by the lines around them.

    A line that is outdated by a newer one is shown alone, so that the mark applies to it only.
    """
    earlier = {result.ranked.candidate.number for result in results if result.ranked.earlier}
    files: dict[str, _File] = {}
    for i, result in enumerate(results):
        passage = result.ranked.passage
        if i >= count or not passage.curated or result.ranked.earlier:
            yield result
            continue
        if passage.path not in files:
            files[passage.path] = _File(of_file(passage.path), earlier)
        extended = files[passage.path].extended(passage, result.ranked.candidate.number)
        if extended is not None:
            candidate = result.ranked.candidate._replace(item=extended)
            yield replace(result, ranked=result.ranked._replace(candidate=candidate))


class _File:
    """The passages of a file, and which of them are already shown."""

    def __init__(
        self, passages: Sequence[tuple[int, Passage]], excluded: Collection[int | None]
    ) -> None:
        numbered = sorted(passages, key=lambda pair: (pair[1].start, pair[1].end))
        self._position = {number: i for i, (number, _) in enumerate(numbered)}
        self._passages = [passage for _, passage in numbered]
        self._is_excluded = [number in excluded for number, _ in numbered]
        self._is_shown = [False] * len(numbered)

    def extended(self, passage: Passage, number: int | None) -> Passage | None:
        """Return a passage with the lines around it; None if it is part of an earlier result."""
        at = self._position.get(number or 0)
        if at is None:
            return passage  # the file has changed since it was found
        if self._is_shown[at]:
            return None
        first = last = at
        tokens = estimate(passage.text)
        directions = [1, -1]  # what follows explains a line more often than what precedes it
        while directions:
            for step in tuple(directions):
                i = last + 1 if step > 0 else first - 1
                neighbour = last if step > 0 else first
                cost = self._cost(i, neighbour)
                if cost is None or tokens + cost > _MAX_TOKENS:
                    directions.remove(step)
                    continue
                tokens += cost
                first, last = min(first, i), max(last, i)
        for i in range(first, last + 1):
            self._is_shown[i] = True
        return passage if first == last else self._joined(first, last, passage)

    def _cost(self, i: int, neighbour: int) -> int | None:
        """Return the tokens of a passage; None if it does not belong to its neighbour."""
        if not 0 <= i < len(self._passages) or self._is_excluded[i] or self._is_shown[i]:
            return None
        passage, other = self._passages[i], self._passages[neighbour]
        distance = max(passage.start - other.end, other.start - passage.end)
        if _properties(passage) != _properties(other) or not 1 <= distance <= _MAX_DISTANCE:
            return None
        return estimate(passage.text)

    def _joined(self, first: int, last: int, passage: Passage) -> Passage:
        """Return a passage with the text of all lines from the first to the last."""
        parts = self._passages[first : last + 1]
        text = parts[0].text
        for before, part in pairwise(parts):
            text += "\n" * (part.start - before.end) + part.text
        within = parts[0].within
        return replace(passage, start=parts[0].start, end=parts[-1].end, text=text, within=within)


def _properties(passage: Passage) -> tuple[object, ...]:
    """Return what passages must have in common to be shown as one: headings, and a host's notes."""
    return passage.headings, passage.importance, passage.triggers, passage.project
