"""A consistent view of the entry database: records, keywords and vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import apsw

from remem.errors import StoreDamaged
from remem.model.entry import Filter
from remem.ports.models import Embedding, Floats, ModelIdentity, require_dimension
from remem.ports.records import Matches, Neighbours, Occurrences, PendingText, Place
from remem.store.sqlite import full_text, neighbours, vectors
from remem.store.sqlite.bookkeeping import ProjectionReader
from remem.store.sqlite.duplicates import DuplicateReader
from remem.store.sqlite.full_text import spelling
from remem.store.sqlite.vector_bits import BitCache


class Snapshot(DuplicateReader, ProjectionReader):
    """A reader that can also search."""

    def __init__(
        self,
        connection: apsw.Connection,
        bits: BitCache,
        on_damage: Callable[[StoreDamaged], None] | None = None,
    ) -> None:
        super().__init__(connection, on_damage)
        self._bits = bits

    def keyword(self, terms: Sequence[str], where: Filter, limit: int) -> Matches:
        rows, total = full_text.matches(self._connection, terms, where, limit)
        return Matches(rows, total)

    def occurrences(
        self, terms: Sequence[str], rows: Sequence[int], *, live: bool = True
    ) -> Occurrences:
        return full_text.count_terms(self._connection, terms, rows, live=live)

    def neighbours(self, places: Iterable[Place]) -> dict[Place, Neighbours]:
        return neighbours.neighbours_of(self._connection, places)

    def with_assistant(self, sources: Sequence[str]) -> frozenset[str]:
        return neighbours.with_assistant(self._connection, sources)

    def newest(self, where: Filter, span: tuple[str, str] | None, limit: int) -> list[int]:
        return full_text.newest(self._connection, where, span, limit)

    def spelling(self, term: str) -> str | None:
        return spelling(self._connection, term)

    def nearest(
        self, identity: ModelIdentity, query: Floats, where: Filter, limit: int
    ) -> list[tuple[int, float]]:
        require_dimension(query, identity)
        model = vectors.model_number(self._connection, identity)
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
        model = vectors.model_number(self._connection, identity)
        return {} if model is None else vectors.load_vectors(self._connection, model, rows)

    def vector_counts(self) -> dict[ModelIdentity, int]:
        """Number of entries with a vector of each model."""
        return self._bits.vector_counts(self._connection)

    def pending(
        self, limit: int, after: int = 0, missing_for: ModelIdentity | None = None
    ) -> list[PendingText]:
        bare, values = vectors.no_vector_condition(self._connection, missing_for)
        rows = self._connection.execute(
            "SELECT e.row, e.version, e.content FROM vector_queue q CROSS JOIN memory_entries e "
            f"ON e.row = q.row WHERE q.row > ?{bare} ORDER BY q.row LIMIT ?",
            [after, *values, limit],
        )
        return [PendingText(*row) for row in rows]

    def rows_with_quick_vectors(
        self, identity: ModelIdentity, rows: Iterable[int]
    ) -> frozenset[int]:
        return vectors.rows_with_quick_vectors(self._connection, identity, rows)

    def quick_count(self, identity: ModelIdentity) -> int:
        model = vectors.model_number(self._connection, identity)
        if model is None:
            return 0
        return vectors.count_quick(self._bits.of(model, identity.dimension), self._connection)

    def pending_count(self) -> int:
        return int(self._one("SELECT count(*) FROM vector_queue")[0])

    def last_pending(self) -> int:
        return int(self._one("SELECT coalesce(max(row), 0) FROM vector_queue")[0])
