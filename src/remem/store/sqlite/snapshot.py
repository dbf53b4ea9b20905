"""What can recall ask of the database? Records, keywords and vectors over one connection."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import apsw

from remem.core.filter import Filter
from remem.errors import StoreDamaged
from remem.ports import (
    Beside,
    Embedding,
    Floats,
    Matches,
    ModelIdentity,
    Occurrences,
    Pending,
    Place,
)
from remem.stores.sqlite import keyword, occurrences, places, quick, vectors
from remem.stores.sqlite.bits import BitCache
from remem.stores.sqlite.candidates import Candidates
from remem.stores.sqlite.projections import Projections
from remem.stores.sqlite.spelling import spelling


class Snapshot(Candidates, Projections):
    """A reader that can also search."""

    def __init__(
        self,
        connection: apsw.Connection,
        bits: BitCache,
        passed_over: Callable[[StoreDamaged], None] | None = None,
    ) -> None:
        super().__init__(connection, passed_over)
        self._bits = bits

    def keyword(self, terms: Sequence[str], where: Filter, limit: int) -> Matches:
        rows, total = keyword.matches(self._connection, terms, where, limit)
        return Matches(rows, total)

    def occurrences(
        self, terms: Sequence[str], rows: Sequence[int], *, live: bool = True
    ) -> Occurrences:
        return occurrences.counted(self._connection, terms, rows, live=live)

    def beside(self, places_: Iterable[Place]) -> dict[Place, Beside]:
        return places.beside(self._connection, places_)

    def with_assistant(self, sources: Sequence[str]) -> frozenset[str]:
        return places.with_assistant(self._connection, sources)

    def newest(self, where: Filter, span: tuple[str, str] | None, limit: int) -> list[int]:
        return keyword.newest(self._connection, where, span, limit)

    def spelling(self, term: str) -> str | None:
        return spelling(self._connection, term)

    def nearest(
        self, identity: ModelIdentity, query: Floats, where: Filter, limit: int
    ) -> list[tuple[int, float]]:
        vectors.require_dimension(query, identity)
        model = vectors.number_of(self._connection, identity)
        if model is None:
            return []
        bits = self._bits.of(model, identity.dimension)
        return vectors.nearest(
            self._connection,
            bits,
            query,
            lambda scan: scan.admitted(where, self._connection),
            limit,
        )

    def vectors_of(self, identity: ModelIdentity, rows: Iterable[int]) -> dict[int, Embedding]:
        model = vectors.number_of(self._connection, identity)
        return {} if model is None else vectors.stored(self._connection, model, rows)

    def covered(self) -> dict[ModelIdentity, int]:
        """How many entries have a vector of each model."""
        return self._bits.covered(self._connection)

    def pending(
        self, limit: int, after: int = 0, bare_of: ModelIdentity | None = None
    ) -> list[Pending]:
        bare, values = quick.bare(self._connection, bare_of)
        rows = self._connection.execute(
            "SELECT e.row, e.version, e.content FROM vector_queue q CROSS JOIN memory_entries e "
            f"ON e.row = q.row WHERE q.row > ?{bare} ORDER BY q.row LIMIT ?",
            [after, *values, limit],
        )
        return [Pending(*row) for row in rows]

    def quick_among(self, identity: ModelIdentity, rows: Iterable[int]) -> frozenset[int]:
        return quick.among(self._connection, identity, rows)

    def quick_count(self, identity: ModelIdentity) -> int:
        model = vectors.number_of(self._connection, identity)
        if model is None:
            return 0
        return quick.counted(self._bits.of(model, identity.dimension), self._connection)

    def pending_count(self) -> int:
        return int(self._one("SELECT count(*) FROM vector_queue")[0])

    def last_pending(self) -> int:
        return int(self._one("SELECT coalesce(max(row), 0) FROM vector_queue")[0])
