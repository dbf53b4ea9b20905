"""Which entries mean something like the question? Sign bits in memory, exact vectors on disk.

A scan over the bits of all entries picks a few hundred; their half-precision vectors,
read from the database, decide. Vectors of different models never meet.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from typing import Final

import apsw
import numpy as np
from numpy.typing import NDArray

from remem.core.entry import CATEGORIES, PRIORITIES
from remem.core.filter import Filter
from remem.ports import Bytes, Embedding, Floats, ModelIdentity
from remem.stores.sqlite.rows import (
    FACET_ARCHIVED,
    FACET_CATEGORY_SHIFT,
    FACET_PRIORITY_SHIFT,
    FACET_UNTRUSTED,
    compact,
)

_RERANKED: Final = 300
_GONE: Final = 1 << 14
_LOAD: Final = "SELECT stamp, row, facets, bits FROM memory_bits WHERE model = ? AND stamp > ?"


class Bits:
    """The sign bits of every vector of one model, kept in step with the database by stamps."""

    def __init__(self, model: int, dimension: int) -> None:
        self.model = model
        self._words = (dimension + 63) // 64
        self._stamp = 0
        self._count = 0
        self._rows = np.zeros(0, np.int64)
        self._facets = np.zeros(0, np.uint16)
        self._bits = np.zeros((0, self._words), np.uint64)
        self._lock = threading.Lock()

    def refresh(self, connection: apsw.Connection) -> None:
        """Take in what was written since the last time."""
        with self._lock:
            fresh = list(connection.execute(_LOAD, [self.model, self._stamp]))
            if fresh:
                self._append(fresh)

    def nearest(self, query: Floats, admitted: NDArray[np.bool_] | None, count: int) -> list[int]:
        """The rows whose bits differ least from the query's."""
        with self._lock:
            rows, bits = self._rows[: self._count], self._bits[: self._count]
            allowed = self._facets[: self._count] < _GONE
        if admitted is not None:
            allowed = allowed & admitted[: len(allowed)]
        places = np.flatnonzero(allowed)
        if not len(places):
            return []
        everyone = len(places) == len(rows)
        different = np.bitwise_count((bits if everyone else bits[places]) ^ _sign_words(query))
        distance = different.sum(axis=1, dtype=np.int32)
        count = min(count, len(places))
        best = np.argpartition(distance, count - 1)[:count]
        return [int(row) for row in rows[places[best]]]

    def admitted(self, where: Filter, connection: apsw.Connection) -> NDArray[np.bool_]:
        """Which positions a filter lets through; decided before any nearest is chosen."""
        facets = self._facets[: self._count]
        allowed = np.ones(len(facets), np.bool_)
        if not where.include_archived:
            allowed &= (facets & FACET_ARCHIVED) == 0
        if not where.include_untrusted:
            allowed &= (facets & FACET_UNTRUSTED) == 0
        if where.categories:
            wanted = [CATEGORIES.index(each) for each in where.categories]
            allowed &= np.isin((facets >> FACET_CATEGORY_SHIFT) & 7, wanted)
        if where.priorities:
            wanted = [PRIORITIES.index(each) for each in where.priorities]
            allowed &= np.isin((facets >> FACET_PRIORITY_SHIFT) & 3, wanted)
        for tag in where.folded_tags:
            tagged = connection.execute("SELECT row FROM memory_tags WHERE tag = ?", [tag])
            allowed &= np.isin(self._rows[: self._count], [row for (row,) in tagged])
        return allowed

    def _append(self, fresh: list[tuple[int, int, int, bytes]]) -> None:
        rows = np.array([row for _, row, _, _ in fresh], np.int64)
        bits = np.frombuffer(b"".join(data for *_, data in fresh), np.uint64)
        known = np.isin(self._rows[: self._count], rows)
        self._facets[: self._count][known] |= _GONE
        self._grow(self._count + len(fresh))
        new = slice(self._count, self._count + len(fresh))
        self._rows[new] = rows
        self._facets[new] = [facets for _, _, facets, _ in fresh]
        self._bits[new] = bits.reshape(len(fresh), self._words)
        self._count += len(fresh)
        self._stamp = max(stamp for stamp, *_ in fresh)

    def _grow(self, needed: int) -> None:
        if needed <= len(self._rows):
            return
        size = max(needed, 2 * len(self._rows), 256)
        for name in ("_rows", "_facets", "_bits"):
            old = getattr(self, name)
            new = np.zeros((size, *old.shape[1:]), old.dtype)
            new[: self._count] = old[: self._count]
            setattr(self, name, new)


def nearest(
    connection: apsw.Connection, bits: Bits, query: Floats, where: Filter, limit: int
) -> list[tuple[int, float]]:
    """The rows nearest in meaning with their cosines, best first."""
    bits.refresh(connection)
    rows = bits.nearest(query, bits.admitted(where, connection), max(_RERANKED, limit))
    pooled = connection.execute(
        "SELECT row, pooled FROM memory_vectors WHERE model = ? "
        "AND row IN (SELECT value FROM json_each(?))",
        [bits.model, compact(rows)],
    )
    found = [(row, np.frombuffer(data, np.float16)) for row, data in pooled]
    if not found:
        return []
    cosines = np.stack([vector for _, vector in found]).astype(np.float32) @ query
    best = np.argsort(-cosines, kind="stable")[:limit]
    return [(found[i][0], float(cosines[i])) for i in best]


def stored(connection: apsw.Connection, model: int, rows: Iterable[int]) -> dict[int, Embedding]:
    """The vectors of some rows, where they have any."""
    found = connection.execute(
        "SELECT row, pooled, tokens FROM memory_vectors WHERE model = ? "
        "AND row IN (SELECT value FROM json_each(?))",
        [model, compact(list(rows))],
    )
    return {
        row: Embedding(
            np.frombuffer(pooled, np.float16).astype(np.float32),
            _token_rows(tokens) if tokens else None,
        )
        for row, pooled, tokens in found
    }


def save(
    connection: apsw.Connection, model: int, vectors: Sequence[tuple[int, int, int, Embedding]]
) -> None:
    """Put (row, version, facets, embedding) into the database; a text that has changed
    since it was embedded keeps its place in the queue."""
    for row, version, facets, embedding in vectors:
        current = connection.execute(
            "SELECT 1 FROM memory_entries WHERE row = ? AND version = ?", [row, version]
        )
        if next(iter(current), None) is None:
            continue
        tokens = _token_blob(embedding.tokens)
        connection.execute(
            "INSERT OR REPLACE INTO memory_bits(row, model, facets, bits) VALUES (?, ?, ?, ?)",
            [row, model, facets, _sign_words(embedding.pooled).tobytes()],
        )
        connection.execute(
            "INSERT OR REPLACE INTO memory_vectors(row, model, pooled, tokens) VALUES (?, ?, ?, ?)",
            [row, model, embedding.pooled.astype(np.float16).tobytes(), tokens],
        )
        connection.execute("DELETE FROM vector_queue WHERE row = ?", [row])


def model_number(connection: apsw.Connection, identity: ModelIdentity) -> int | None:
    found = connection.execute(
        "SELECT model FROM models WHERE name = ? AND dimension = ? AND quantisation = ?",
        [identity.name, identity.dimension, identity.quantisation],
    )
    first = next(iter(found), None)
    return int(first[0]) if first else None


def _sign_words(vector: Floats) -> NDArray[np.uint64]:
    packed = np.packbits(vector > 0)
    padded = np.zeros(-(-len(packed) // 8) * 8, np.uint8)
    padded[: len(packed)] = packed
    return padded.view(np.uint64)


def _token_blob(tokens: Bytes | None) -> bytes | None:
    """The rows behind each other; the first byte says how long one is."""
    if tokens is None or not len(tokens):
        return None
    return bytes([tokens.shape[1]]) + tokens.tobytes()


def _token_rows(data: bytes) -> Bytes:
    return np.frombuffer(data, np.uint8, offset=1).reshape(-1, data[0])
