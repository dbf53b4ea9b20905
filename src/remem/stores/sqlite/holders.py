"""Which entries have a part in common with the texts that are about to be stored?

All parts are looked up in their order, once. What is stored meanwhile is added as far as one of
the texts to come could look for it: nearly every part is nobody else's.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import chain
from typing import Final

import apsw

from remem.core.likeness import Fingerprint
from remem.stores.sqlite.rows import compact

NEWEST: Final = 200
"""Of a part that very many entries have, only so many are looked at."""

_MANY: Final = 5_000
_HOLDERS: Final = f"""SELECT value, (
        SELECT json_group_array(json_array(row, size, sketch)) FROM (
            SELECT row, size, sketch FROM memory_likeness WHERE part = value
            ORDER BY row DESC LIMIT {NEWEST}))
    FROM json_each(?) WHERE EXISTS (SELECT 1 FROM memory_likeness WHERE part = value)"""


class Holders:
    """Who has the parts that coming texts look for: row, size and sketch, the newest last."""

    def __init__(self, connection: apsw.Connection, prints: Sequence[Fingerprint]) -> None:
        sought = Counter(chain.from_iterable(each.sought for each in prints))
        self._shared = frozenset(part for part, times in sought.items() if times > 1)
        found = connection.execute(_HOLDERS, [compact(_in_order(sought))])
        self._of: dict[int, list[tuple[int, int, int]]] = {
            part: json.loads(holders)[::-1] for part, holders in found
        }

    def similar_to(self, print_: Fingerprint) -> set[int]:
        """The rows of those that could be similar."""
        rows = set[int]()
        for part in self._of.keys() & print_.sought:
            rows.update(print_.perhaps_similar(self._of[part][-NEWEST:]))
        return rows

    def add(self, row: int, print_: Fingerprint, *, foreseen: bool) -> None:
        """A foreseen text looked for its own parts; only what another looked for too matters."""
        holder = (row, print_.size, print_.sketch)
        for part in self._shared.intersection(print_.parts) if foreseen else print_.parts:
            self._of.setdefault(part, []).append(holder)


def _in_order(numbers: Collection[int]) -> list[int]:
    """Arrays sort tens of thousands in no time; who stores a few does not wait until arrays are
    loaded."""
    if len(numbers) < _MANY:
        return sorted(numbers)
    import numpy as np

    ordered: list[int] = np.sort(np.fromiter(numbers, np.int64, len(numbers))).tolist()
    return ordered
