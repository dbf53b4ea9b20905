"""Search for the nearest vectors: a scan of their sign bits in memory, then exact comparisons.

The bits are cached. Every change to a vector's bits gets a higher stamp in the database, so that a
cache reads only the changes after its last stamp.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

from remem.fast_dataclass import dataclass
from remem.model.entry import CATEGORIES, PRIORITIES, Filter
from remem.ports.models import Bytes, Embedding, Floats
from remem.store.rows import (
    FACET_ARCHIVED,
    FACET_CATEGORY_SHIFT,
    FACET_NO_VECTOR,
    FACET_PRIORITY_SHIFT,
    FACET_UNTRUSTED,
)
from remem.text.words import fold

if TYPE_CHECKING:
    import numpy as np  # imported on first use: most commands need no vectors
    from numpy.typing import NDArray

RERANK_FACTOR: Final = 5
"""Exact comparisons per wanted result; enough to find 19 of the 20 nearest rows, and nearly always
the first ones."""
MIN_RERANKED: Final = 256
_MAX_DISTANCE: Final = 2**16 - 1
Number = TypeVar("Number", bound="np.generic")
RowQuery = Callable[[str], Sequence[int]]
"""Returns the rows of the entries that a tag selects."""


@dataclass(frozen=True, slots=True)
class NewBits:
    """Bits that were written since the last read, in the order of their stamps.

    If a row occurs more than once, the last one counts. `bits` stays in the chunks in which it was
    read, because copying a few thousand rows at a time is faster.
    """

    last_stamp: int
    rows: NDArray[np.int64]
    facets: NDArray[np.uint16]
    bits: tuple[NDArray[np.uint64], ...]

    def outdated(self) -> NDArray[np.bool_]:
        """Return a mask of the positions whose row occurs again later."""
        import numpy as np

        if bool((self.rows[1:] > self.rows[:-1]).all()):  # the common case: no row occurs twice
            return np.zeros(len(self.rows), np.bool_)
        last = np.unique(self.rows[::-1], return_index=True)[1]
        outdated = np.ones(len(self.rows), np.bool_)
        outdated[len(self.rows) - 1 - last] = False
        return outdated


@dataclass(frozen=True, slots=True)
class VectorScan:
    """The rows, facets and sign bits of all vectors of one model at one moment.

    `bits` holds the first 64-bit words of all vectors, then the second ones, and so on, so that
    a word of the query is compared with a whole array at once. `samples` is the cache of `sample`;
    all scans of the same vectors share it.
    """

    rows: NDArray[np.int64]
    facets: NDArray[np.uint16]
    bits: NDArray[np.uint64]
    samples: dict[int, list[Embedding]]

    def nearest(self, query: Floats, admitted: NDArray[np.bool_], count: int) -> list[int]:
        """Return the admitted rows whose bits differ least from the query's, in row order."""
        import numpy as np

        count = min(count, int(np.count_nonzero(admitted)))
        if not count:
            return []
        distance = np.zeros(len(self.rows), np.uint16)
        for words, word in zip(self.bits, signs(query), strict=True):
            distance += np.bitwise_count(words ^ word)
        distance[~admitted] = _MAX_DISTANCE
        best = np.argpartition(distance, count - 1)[:count]
        return sorted(self.rows[best].tolist())

    def sample(
        self, count: int, load: Callable[[Sequence[int]], Iterable[Embedding]]
    ) -> list[Embedding]:
        """Return up to `count` vectors, spread evenly over the store.

        `load` reads the vectors of some rows. The sample is cached, because every question is
        compared with it.
        """
        import numpy as np

        if count not in self.samples:
            rows = self.rows[(self.facets & FACET_NO_VECTOR) == 0]
            if len(rows) > count:
                rows = rows[np.linspace(0, len(rows) - 1, count).astype(np.intp)]
            self.samples[count] = list(load(rows.tolist()))
        return self.samples[count]

    def admitted(
        self, where: Filter, with_tag: RowQuery, of_other_projects: RowQuery
    ) -> NDArray[np.bool_]:
        """Return a mask of the positions that match a filter.

        `with_tag` returns the rows with a tag, `of_other_projects` those that belong only to other
        projects than the one with this tag.
        """
        import numpy as np

        excluded = FACET_NO_VECTOR
        if not where.include_archived:
            excluded |= FACET_ARCHIVED
        if not where.include_untrusted:
            excluded |= FACET_UNTRUSTED
        allowed: NDArray[np.bool_] = (self.facets & excluded) == 0
        if where.categories:
            wanted = [CATEGORIES.index(category) for category in where.categories]
            allowed &= np.isin((self.facets >> FACET_CATEGORY_SHIFT) & 7, wanted)
        if where.priorities:
            wanted = [PRIORITIES.index(priority) for priority in where.priorities]
            allowed &= np.isin((self.facets >> FACET_PRIORITY_SHIFT) & 3, wanted)
        if where.project is not None:
            allowed &= ~np.isin(self.rows, of_other_projects(fold(where.project)))
        for tag in where.folded_tags:
            allowed &= np.isin(self.rows, with_tag(tag))
        return allowed


class CachedBits:
    """The sign bits of all vectors of one model, brought up to date by `update`."""

    def __init__(self, model: int, dimension: int) -> None:
        import numpy as np

        self.model = model
        self.words_per_vector = (dimension + 63) // 64
        self._lock = threading.Lock()
        self._stamp = 0
        self._count = 0
        self._rows = np.zeros(0, np.int64)
        self._facets = np.zeros(0, np.uint16)
        self._bits = np.zeros((self.words_per_vector, 0), np.uint64)
        self._samples: dict[int, list[Embedding]] = {}

    def update(self, load: Callable[[int], NewBits | None]) -> VectorScan:
        """Add the bits written since the last call, and return all of them.

        `load` reads the bits after a stamp. Rows and bits at a position never change, so scans
        share them; facets are copied.
        """
        with self._lock:
            if new_bits := load(self._stamp):
                self._append(new_bits)
            filled = slice(self._count)
            facets = self._facets[filled].copy()
            return VectorScan(self._rows[filled], facets, self._bits[:, filled], self._samples)

    def _append(self, new_bits: NewBits) -> None:
        import numpy as np

        known = self._rows[: self._count]
        self._facets[: self._count][np.isin(known, new_bits.rows)] |= FACET_NO_VECTOR
        self._grow(self._count + len(new_bits.rows))
        added = slice(self._count, self._count + len(new_bits.rows))
        self._rows[added] = new_bits.rows
        self._facets[added] = new_bits.facets
        self._facets[added][new_bits.outdated()] |= FACET_NO_VECTOR
        for chunk in new_bits.bits:
            self._bits[:, self._count : self._count + len(chunk)] = chunk.T
            self._count += len(chunk)
        self._stamp = new_bits.last_stamp
        self._samples = {}
        self._compact()

    def _compact(self) -> None:
        """Drop outdated positions once they make up 20 %, because every scan reads them."""
        import numpy as np

        valid = np.flatnonzero((self._facets[: self._count] & FACET_NO_VECTOR) == 0)
        if 5 * len(valid) < 4 * self._count:
            self._rows, self._facets = self._rows[valid], self._facets[valid]
            self._bits = self._bits[:, valid]
            self._count = len(valid)

    def _grow(self, min_size: int) -> None:
        """Allocate larger arrays if needed; running scans keep the old ones."""
        if min_size <= len(self._rows):
            return
        size = max(min_size, 2 * len(self._rows), 256)
        self._rows = _enlarged(self._rows, size)
        self._facets = _enlarged(self._facets, size)
        self._bits = _enlarged(self._bits, size)


def nearest_by_cosine(
    vectors: Sequence[tuple[int, bytes]], query: Floats, limit: int
) -> list[tuple[int, float]]:
    """Return the rows nearest to the query with their cosines, best first.

    They are chosen from rows and their half-precision vectors.
    """
    import numpy as np

    if not vectors:
        return []
    cosines = _from_half_precision([data for _, data in vectors]) @ query
    best = np.argsort(-cosines, kind="stable")[:limit]
    return [(vectors[i][0], float(cosines[i])) for i in best]


def embeddings_by_row(
    stored: Sequence[tuple[int, bytes, bytes | None]],
) -> dict[int, Embedding]:
    """Return the embeddings of some rows, from their half-precision vectors and token vectors."""
    if not stored:
        return {}
    vectors = _from_half_precision([pooled for _, pooled, _ in stored])
    return {
        row: Embedding(vector, token_rows(tokens) if tokens else None)
        for vector, (row, _, tokens) in zip(vectors, stored, strict=True)
    }


def _from_half_precision(vectors: Sequence[bytes]) -> Floats:
    import numpy as np

    halves = np.frombuffer(b"".join(vectors), np.float16)
    return halves.reshape(len(vectors), -1).astype(np.float32)


def signs(vectors: Floats) -> NDArray[np.uint64]:
    """Return one sign bit per number of one or more vectors, padded to 64-bit words."""
    import numpy as np

    packed = np.packbits(vectors > 0, axis=-1)
    width = packed.shape[-1]
    padded = np.zeros((*packed.shape[:-1], -(-width // 8) * 8), np.uint8)
    padded[..., :width] = packed
    return padded.view(np.uint64)


def _enlarged(array: NDArray[Number], size: int) -> NDArray[Number]:
    import numpy as np

    enlarged = np.zeros((*array.shape[:-1], size), array.dtype)
    enlarged[..., : array.shape[-1]] = array
    return enlarged


def token_blob(tokens: Bytes | None) -> bytes | None:
    """Return the token vectors as bytes; the first byte is the width of a row."""
    if tokens is None or not len(tokens):
        return None
    return bytes([tokens.shape[1]]) + tokens.tobytes()


def token_rows(data: bytes) -> Bytes:
    """Return the inverse of `token_blob`."""
    import numpy as np

    return np.frombuffer(data, np.uint8, offset=1).reshape(-1, data[0])
