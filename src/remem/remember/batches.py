"""How much is stored in one durable step? Thousands of memories, as long as they are short.

The larger a step, the fewer times the same page of an index is written; the smaller, the less
is held in memory, and the shorter everybody else waits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeVar

T = TypeVar("T")

MOST: Final = 5_000
_CHARACTERS: Final = 2_000_000


def batches(items: Iterable[T], length: Callable[[T], int]) -> Iterator[list[T]]:
    """The items in their order, together as long as there are not too many, nor too long."""
    batch: list[T] = []
    held = 0
    for item in items:
        batch.append(item)
        held += length(item)
        if len(batch) == MOST or held >= _CHARACTERS:
            yield batch
            batch, held = [], 0
    if batch:
        yield batch
