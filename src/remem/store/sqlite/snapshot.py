"""A consistent view of the entry database: records, keywords and vectors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from remem.model.entry import Filter
from remem.ports.models import Floats, ModelIdentity
from remem.ports.records import Matches, Neighbours, Occurrences, PendingText, Place
from remem.store.sqlite import full_text, neighbours
from remem.store.sqlite.bookkeeping import ProjectionReader
from remem.store.sqlite.duplicates import DuplicateReader


class Snapshot(DuplicateReader, ProjectionReader):
    """A reader that can also search."""

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

    def nearest(
        self, identity: ModelIdentity, query: Floats, where: Filter, limit: int
    ) -> list[tuple[int, float]]:
        return self._nearest(
            identity, query, lambda scan: scan.admitted(where, self._connection), limit
        )

    def vector_counts(self) -> dict[ModelIdentity, int]:
        """Number of vectors of each model; cached, because every recall asks."""
        return self._bits.vector_counts(self._connection)

    def pending(
        self, limit: int, after: int = 0, missing_for: ModelIdentity | None = None
    ) -> list[PendingText]:
        condition, values = self._queued(missing_for)
        rows = self._connection.execute(
            "SELECT e.row, e.version, e.content FROM vector_queue q CROSS JOIN memory_entries e "
            f"ON e.row = q.row WHERE q.row > ? AND {condition} ORDER BY q.row LIMIT ?",
            [after, *values, limit],
        )
        return [PendingText(*row) for row in rows]
