"""Which vectors lie near? The sign bits of every vector, in memory, scanned as a whole.

The bits follow the database by stamps: every change of a vector's bits gets a higher one,
so that whoever knows the last stamp knows what to read.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

import apsw

from remem.model.entry import CATEGORIES, PRIORITIES, Filter
from remem.ports.models import Floats, ModelIdentity
from remem.store.sqlite.bit_segments import Fresh, load
from remem.store.sqlite.rows import (
    FACET_ARCHIVED,
    FACET_CATEGORY_SHIFT,
    FACET_NO_VECTOR,
    FACET_PRIORITY_SHIFT,
    FACET_UNTRUSTED,
)

if TYPE_CHECKING:
    import numpy as np  # loaded where the first vector is: most commands need none
    from numpy.typing import NDArray

_FAR: Final = 2**16 - 1
# A vector that comes or goes leaves a new stamp, an erased entry a tombstone.
_STATE: Final = """SELECT max(stamp), (SELECT max(model) FROM models),
    (SELECT count(*) FROM erased) FROM memory_bits"""
Number = TypeVar("Number", bound="np.generic")


@dataclass(frozen=True, slots=True)
class Scan:
    """The bits at one moment; `facets` tell what an entry is, and whether it still counts.

    `bits` holds the first words of all vectors, then the second ones, and so on: a word of
    the query is compared with a whole array at once.
    """

    rows: NDArray[np.int64]
    facets: NDArray[np.uint16]
    bits: NDArray[np.uint64]

    def nearest(self, query: Floats, admitted: NDArray[np.bool_], count: int) -> list[int]:
        """The admitted rows whose bits differ least from the query's, in order of row."""
        import numpy as np

        count = min(count, int(np.count_nonzero(admitted)))
        if not count:
            return []
        distance = np.zeros(len(self.rows), np.uint16)
        for words, word in zip(self.bits, signs(query), strict=True):
            distance += np.bitwise_count(words ^ word)
        distance[~admitted] = _FAR
        best = np.argpartition(distance, count - 1)[:count]
        return sorted(self.rows[best].tolist())

    def admitted(self, where: Filter, connection: apsw.Connection) -> NDArray[np.bool_]:
        """Which places a filter lets through; decided before any nearest is chosen."""
        import numpy as np

        shut = FACET_NO_VECTOR
        if not where.include_archived:
            shut |= FACET_ARCHIVED
        if not where.include_untrusted:
            shut |= FACET_UNTRUSTED
        allowed: NDArray[np.bool_] = (self.facets & shut) == 0
        if where.categories:
            wanted = [CATEGORIES.index(category) for category in where.categories]
            allowed &= np.isin((self.facets >> FACET_CATEGORY_SHIFT) & 7, wanted)
        if where.priorities:
            wanted = [PRIORITIES.index(priority) for priority in where.priorities]
            allowed &= np.isin((self.facets >> FACET_PRIORITY_SHIFT) & 3, wanted)
        for tag in where.folded_tags:
            tagged = connection.execute("SELECT row FROM memory_tags WHERE tag = ?", [tag])
            allowed &= np.isin(self.rows, [row for (row,) in tagged])
        return allowed


class Bits:
    """The sign bits of all vectors of one model, kept in step with the database."""

    def __init__(self, model: int, dimension: int) -> None:
        import numpy as np

        self.model = model
        self._words = (dimension + 63) // 64
        self._lock = threading.Lock()
        self._stamp = 0
        self._count = 0
        self._rows = np.zeros(0, np.int64)
        self._facets = np.zeros(0, np.uint16)
        self._bits = np.zeros((self._words, 0), np.uint64)

    def refresh(self, connection: apsw.Connection) -> Scan:
        """Take in what was written since the last time.

        Rows and bits of a place never change once written, so scans share them; facets do.
        """
        with self._lock:
            if fresh := load(connection, self.model, self._stamp, self._words):
                self._append(fresh)
            upto = slice(self._count)
            return Scan(self._rows[upto], self._facets[upto].copy(), self._bits[:, upto])

    def _append(self, fresh: Fresh) -> None:
        import numpy as np

        known = self._rows[: self._count]
        self._facets[: self._count][np.isin(known, fresh.rows)] |= FACET_NO_VECTOR
        self._grow(self._count + len(fresh.rows))
        new = slice(self._count, self._count + len(fresh.rows))
        self._rows[new] = fresh.rows
        self._facets[new] = fresh.facets
        self._facets[new][fresh.outdated()] |= FACET_NO_VECTOR
        for piece in fresh.bits:
            self._bits[:, self._count : self._count + len(piece)] = piece.T
            self._count += len(piece)
        self._stamp = fresh.upto
        self._compact()

    def _compact(self) -> None:
        """Where a fifth of the places no longer count, drop those: every scan passes over them."""
        import numpy as np

        living = np.flatnonzero((self._facets[: self._count] & FACET_NO_VECTOR) == 0)
        if 5 * len(living) < 4 * self._count:
            self._rows, self._facets = self._rows[living], self._facets[living]
            self._bits = self._bits[:, living]
            self._count = len(living)

    def _grow(self, needed: int) -> None:
        """Make room in new arrays; scans that are under way keep the old ones."""
        if needed <= len(self._rows):
            return
        size = max(needed, 2 * len(self._rows), 256)
        self._rows = _longer(self._rows, size)
        self._facets = _longer(self._facets, size)
        self._bits = _longer(self._bits, size)


class BitCache:
    """The sign bits of each model in use, shared by all connections of a store."""

    def __init__(self) -> None:
        self._bits: dict[int, Bits] = {}
        self._counted: tuple[tuple[object, ...], dict[ModelIdentity, int]] | None = None
        self._lock = threading.Lock()

    def covered(self, connection: apsw.Connection) -> dict[ModelIdentity, int]:
        """How many vectors of each model there are; counted again only if that has changed,
        because every recall asks."""
        state = next(iter(connection.execute(_STATE)))
        with self._lock:
            if self._counted is None or self._counted[0] != state:
                self._counted = state, counted(connection)
            return dict(self._counted[1])

    def of(self, model: int, dimension: int) -> Bits:
        with self._lock:
            return self._bits.setdefault(model, Bits(model, dimension))


def counted(connection: apsw.Connection) -> dict[ModelIdentity, int]:
    """How many vectors of each model there are, one by one."""
    rows = connection.execute(
        "SELECT name, dimension, quantisation, "
        "(SELECT count(*) FROM memory_vectors v WHERE v.model = m.model) FROM models m"
    )
    return {ModelIdentity(*identity): count for *identity, count in rows}


def signs(vector: Floats) -> NDArray[np.uint64]:
    """One bit for each number of the vector, in whole words."""
    import numpy as np

    packed = np.packbits(vector > 0)
    padded = np.zeros(-(-len(packed) // 8) * 8, np.uint8)
    padded[: len(packed)] = packed
    return padded.view(np.uint64)


def _longer(array: NDArray[Number], size: int) -> NDArray[Number]:
    import numpy as np

    longer = np.zeros((*array.shape[:-1], size), array.dtype)
    longer[..., : array.shape[-1]] = array
    return longer
