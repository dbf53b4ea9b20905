"""The tables that the databases of entries and passages share: vectors, their queue, the state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final

import apsw

from remem.ports.models import (
    Embedding,
    Floats,
    ModelIdentity,
    join_identities,
    require_dimension,
)
from remem.ports.vectors import Embedded
from remem.store.sqlite import bit_segments, full_text, vectors
from remem.store.sqlite.rows import FACET_NO_VECTOR, FACET_QUICK, compact
from remem.store.sqlite.vector_bits import BitCache, Scan, count_vectors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_HAS_NO_VECTOR: Final = (
    "NOT EXISTS (SELECT 1 FROM memory_vectors v WHERE v.model = ? AND v.row = q.row)"
)
_IS_QUICK: Final = f"facets & {FACET_QUICK | FACET_NO_VECTOR} = {FACET_QUICK}"


class SharedReader:
    """Reads the shared tables over one connection."""

    def __init__(self, connection: apsw.Connection, bits: BitCache) -> None:
        self._connection = connection
        self._bits = bits

    def get_state(self, key: str) -> str | None:
        """A value of the key-value state, such as the time of the last store."""
        row = self._one("SELECT value FROM meta WHERE key = ?", key)
        return str(row[0]) if row else None

    def spelling_correction(self, term: str) -> str | None:
        return full_text.spelling_correction(self._connection, term)

    def vectors_of(self, identity: ModelIdentity, rows: Iterable[int]) -> dict[int, Embedding]:
        model = vectors.model_number(self._connection, identity)
        return {} if model is None else vectors.load_vectors(self._connection, model, rows)

    def vector_counts(self) -> dict[ModelIdentity, int]:
        """Number of vectors of each model."""
        return count_vectors(self._connection)

    def rows_with_quick_vectors(
        self, identity: ModelIdentity, rows: Iterable[int]
    ) -> frozenset[int]:
        results = self._connection.execute(
            "SELECT row FROM memory_bits WHERE row IN (SELECT value FROM json_each(?)) "
            f"AND model = ? AND {_IS_QUICK}",
            [compact(list(rows)), vectors.model_number(self._connection, identity)],
        )
        return frozenset(row for (row,) in results)

    def quick_count(self, identity: ModelIdentity) -> int:
        """Number of quick vectors of a model, counted in memory."""
        import numpy as np

        model = vectors.model_number(self._connection, identity)
        if model is None:
            return 0
        facets = self._bits.of(model, identity.dimension).refresh(self._connection).facets
        return int(np.count_nonzero((facets & (FACET_QUICK | FACET_NO_VECTOR)) == FACET_QUICK))

    def pending_count(self) -> int:
        return int(self._one("SELECT count(*) FROM vector_queue")[0])

    def last_pending(self) -> int:
        return int(self._one("SELECT coalesce(max(row), 0) FROM vector_queue")[0])

    def _nearest(
        self,
        identity: ModelIdentity,
        query: Floats,
        admitted: Callable[[Scan], NDArray[np.bool_]],
        limit: int,
    ) -> list[tuple[int, float]]:
        """The nearest rows with their cosines, best first; `admitted` selects rows of a scan."""
        require_dimension(query, identity)
        model = vectors.model_number(self._connection, identity)
        if model is None:
            return []
        bits = self._bits.of(model, identity.dimension)
        return vectors.nearest(self._connection, bits, query, admitted, limit)

    def _queued(self, missing_for: ModelIdentity | None) -> tuple[str, list[int | None]]:
        """The SQL condition on a row `q` of the queue, and its value."""
        if missing_for is None:
            return "TRUE", []
        return _HAS_NO_VECTOR, [vectors.model_number(self._connection, missing_for)]

    def _one(self, statement: str, *values: object) -> Any:
        """The first row of the result, or None."""
        return next(iter(self._connection.execute(statement, list(values))), None)


class SharedWriter(SharedReader, ABC):
    """Writes the shared tables; `_TABLE` is the table of texts."""

    _TABLE: ClassVar[str]

    @abstractmethod
    def _versions_and_facets(self, rows: Sequence[int]) -> dict[int, tuple[int, int]]:
        """The current version and the facets of some rows."""

    def set_vector_models(self, *models: ModelIdentity) -> None:
        if self.get_state("model") != (wanted := join_identities(models)):
            for identity in models:
                self._enqueue_missing(identity)
            self.put_state("model", wanted)

    def save_vectors(
        self, identity: ModelIdentity, embedded: Embedded, *, more: bool = False
    ) -> None:
        """Store vectors; a text that has changed since it was embedded stays queued."""
        saved = self._save(identity, embedded)
        if not more:
            self._connection.executemany(
                "DELETE FROM vector_queue WHERE row = ?", [(row,) for row in saved]
            )

    def save_quick_vectors(self, identity: ModelIdentity, embedded: Embedded) -> None:
        """Store quick vectors of unchanged texts that have no vector yet."""
        results = self._connection.execute(
            f"SELECT q.row FROM vector_queue q WHERE {_HAS_NO_VECTOR} "
            "AND q.row IN (SELECT value FROM json_each(?))",
            [
                vectors.ensure_model(self._connection, identity),
                compact([row for row, _, _ in embedded]),
            ],
        )
        wanted = {row for (row,) in results}
        self._save(identity, [item for item in embedded if item[0] in wanted], FACET_QUICK)

    def drop_vectors(self, identity: ModelIdentity, rows: Sequence[int]) -> None:
        model = vectors.model_number(self._connection, identity)
        keys = [(row, model) for row in rows]
        self._connection.executemany("DELETE FROM memory_vectors WHERE row = ? AND model = ?", keys)
        self._connection.executemany(
            "INSERT OR REPLACE INTO memory_bits(row, model, facets, bits) SELECT row, model, "
            f"facets | {FACET_NO_VECTOR}, bits FROM memory_bits WHERE row = ? AND model = ?",
            keys,
        )

    def dequeue_vectors(self, rows: Sequence[tuple[int, int]]) -> None:
        present = self._versions_and_facets([row for row, _ in rows])
        self._connection.executemany(
            "DELETE FROM vector_queue WHERE row = ?",
            [(row,) for row, version in rows if row not in present or present[row][0] == version],
        )

    def put_state(self, key: str, value: str) -> None:
        self._connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", [key, value])

    def _save(self, identity: ModelIdentity, embedded: Embedded, facet: int = 0) -> list[int]:
        """Store the vectors of unchanged texts, with an additional `facet`; returns the rows."""
        model = vectors.ensure_model(self._connection, identity)
        present = self._versions_and_facets([row for row, _, _ in embedded])
        unchanged = [
            (row, present[row][1] | facet, embedding)
            for row, version, embedding in embedded
            if row in present and present[row][0] == version
        ]
        for _, _, embedding in embedded:
            require_dimension(embedding.pooled, identity)
        vectors.save(self._connection, model, unchanged)
        bit_segments.pack(self._connection, model)
        return [row for row, _, _ in unchanged]

    def _enqueue_missing(self, identity: ModelIdentity) -> None:
        """Queue the texts that lack a vector of a model or have only a quick one."""
        model = vectors.ensure_model(self._connection, identity)
        self._connection.execute(
            f"INSERT OR IGNORE INTO vector_queue SELECT row FROM {self._TABLE} "
            "WHERE row NOT IN (SELECT row FROM memory_vectors WHERE model = ?)",
            [model],
        )
        self._connection.execute(
            "INSERT OR IGNORE INTO vector_queue SELECT row FROM memory_bits WHERE model = ? "
            f"AND {_IS_QUICK} AND row IN (SELECT row FROM {self._TABLE})",
            [model],
        )
