"""Which entries have a part in common with the texts that are about to be stored?

All parts are looked up in their order, once. What is stored meanwhile is added as far as one of
the texts to come could look for it: nearly every part is nobody else's.
"""

from __future__ import annotations

import json
from array import array
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import apsw

from remem.core.likeness import Fingerprint

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NEWEST: Final = 200
"""Of a part that very many entries have, only so many are looked at."""

_MANY: Final = 5_000
_HOLDERS: Final = f"""SELECT value, (
        SELECT json_group_array(json_array(row, size, sketch)) FROM (
            SELECT row, size, sketch FROM memory_likeness WHERE part = value
            ORDER BY row DESC LIMIT {NEWEST}))
    FROM carray(?) WHERE EXISTS (SELECT 1 FROM memory_likeness WHERE part = value)"""


class Holders:
    """Who has the parts that coming texts look for: row, size and sketch, the newest last."""

    def __init__(self, connection: apsw.Connection, prints: Sequence[Fingerprint]) -> None:
        parts, self._shared = _in_order([part for each in prints for part in each.sought])
        self._of: dict[int, list[tuple[int, int, int]]] = {}
        if len(parts):
            for part, holders in connection.execute(_HOLDERS, [apsw.carray(parts)]):
                self._of[part] = json.loads(holders)[::-1]

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


def _in_order(sought: list[int]) -> tuple[array[int] | NDArray[np.int64], frozenset[int]]:
    """All parts that are looked for, each once; and those that several texts look for. Arrays sort
    tens of thousands in no time; who stores a few does not wait until arrays are loaded."""
    if len(sought) < _MANY:
        times = Counter(sought)
        several = frozenset(part for part, count in times.items() if count > 1)
        return array("q", sorted(times)), several
    import numpy as np

    parts, counts = np.unique(np.array(sought, np.int64), return_counts=True)
    return parts, frozenset(parts[counts > 1].tolist())
