"""What can recall ask of the database? Records, keywords and vectors over one connection."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence

import apsw

from remem.core.filter import Filter
from remem.ports import Embedding, Floats, Matches, ModelIdentity, Pending
from remem.stores.sqlite import keyword, vectors
from remem.stores.sqlite.reader import Reader


class BitCache:
    """The sign bits of each model in use, shared by all connections of a store."""

    def __init__(self) -> None:
        self._bits: dict[int, vectors.Bits] = {}
        self._lock = threading.Lock()

    def of(self, model: int, dimension: int) -> vectors.Bits:
        with self._lock:
            return self._bits.setdefault(model, vectors.Bits(model, dimension))

    def clear(self) -> None:
        with self._lock:
            self._bits.clear()


class Snapshot(Reader):
    """A reader that can also search."""

    def __init__(self, connection: apsw.Connection, bits: BitCache) -> None:
        super().__init__(connection)
        self._bits = bits

    def keyword(self, terms: Sequence[str], where: Filter, limit: int) -> Matches:
        rows, total = keyword.matches(self._connection, terms, where, limit)
        return Matches(rows, total)

    def spelling(self, term: str) -> str | None:
        return keyword.spelling(self._connection, term)

    def nearest(
        self, identity: ModelIdentity, query: Floats, where: Filter, limit: int
    ) -> list[tuple[int, float]]:
        model = vectors.model_number(self._connection, identity)
        if model is None:
            return []
        bits = self._bits.of(model, identity.dimension)
        return vectors.nearest(self._connection, bits, query, where, limit)

    def vectors_of(self, identity: ModelIdentity, rows: Iterable[int]) -> dict[int, Embedding]:
        model = vectors.model_number(self._connection, identity)
        return {} if model is None else vectors.stored(self._connection, model, rows)

    def covered(self) -> dict[ModelIdentity, int]:
        """How many entries have a vector of each model."""
        rows = self._connection.execute(
            "SELECT name, dimension, quantisation, count(b.row) FROM models m "
            "LEFT JOIN memory_bits b ON b.model = m.model GROUP BY m.model"
        )
        return {ModelIdentity(*identity): count for *identity, count in rows}

    def pending(self, limit: int) -> list[Pending]:
        rows = self._connection.execute(
            "SELECT e.row, e.version, e.content FROM vector_queue q "
            "JOIN memory_entries e ON e.row = q.row ORDER BY e.row LIMIT ?",
            [limit],
        )
        return [Pending(*values) for values in rows]

    def pending_count(self) -> int:
        return int(self._one("SELECT count(*) FROM vector_queue")[0])
