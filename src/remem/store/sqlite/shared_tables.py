"""Read and write the tables that databases of entries and of passages have in common.

These are the vectors and the queue of texts that need one. A text is an entry or a passage. It has
a row number in the database and an id outside of it; a passage's id is its row number.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic

import apsw

from remem.ports.entries import TextVectors
from remem.ports.models import (
    Embedding,
    Floats,
    ModelIdentity,
    join_identities,
    require_dimension,
)
from remem.ports.records import Key, PendingText, VectorState
from remem.store.rows import FACET_NO_VECTOR, FACET_QUICK, compact
from remem.store.sqlite import full_text, vector_bits, vectors
from remem.store.sqlite.vector_bits import SqliteBitCache, count_vectors
from remem.store.vector_scan import VectorScan

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_HAS_NO_VECTOR: Final = (
    "NOT EXISTS (SELECT 1 FROM memory_vectors v WHERE v.model = ? AND v.row = q.row)"
)
_EmbeddedRows = Sequence[tuple[int, int, Embedding]]
"""Rows and versions of texts, and their vectors."""
_IS_QUICK: Final = f"facets & {FACET_QUICK | FACET_NO_VECTOR} = {FACET_QUICK}"


class SharedReader(ABC, Generic[Key]):
    """Reads the vectors of texts and their queue through one connection.

    Vectors are counted once, because nobody can change what a snapshot sees.
    """

    _is_unchanging: ClassVar[bool] = True

    def __init__(self, connection: apsw.Connection, bits: SqliteBitCache) -> None:
        self._connection = connection
        self._bits = bits
        self._counts: VectorState | None = None

    @abstractmethod
    def _rows_of(self, ids: Iterable[Key]) -> dict[Key, int]:
        """Return the rows of texts; unknown ids are omitted."""

    @abstractmethod
    def _ids_of(self, rows: Iterable[int]) -> dict[int, Key]:
        """Return the ids of texts by row; unknown rows are omitted."""

    def stored_spelling(self, term: str) -> str | None:
        return full_text.stored_spelling(self._connection, term)

    def vectors_of(
        self, identity: ModelIdentity, ids: Iterable[Key], *, quick: bool = True
    ) -> dict[Key, Embedding]:
        model = vectors.model_number(self._connection, identity)
        if model is None:
            return {}
        rows = self._rows_of(ids)
        if not quick:
            quick_rows = self._quick_rows(model, rows.values())
            rows = {id_: row for id_, row in rows.items() if row not in quick_rows}
        loaded = vectors.load_vectors(self._connection, model, rows.values())
        return {id_: loaded[row] for id_, row in rows.items() if row in loaded}

    def vector_state(self) -> VectorState:
        if self._counts is None or not self._is_unchanging:
            self._counts = self._count_vectors()
        return self._counts

    def _count_vectors(self) -> VectorState:
        counts, pending = self._vector_counts(), self._pending_count()
        quick = {model: self._quick_count(model) for model in counts} if pending else {}
        return VectorState(self._vector_models(), counts, pending, quick)

    def sample_vectors(self, identity: ModelIdentity, count: int) -> list[Embedding]:
        model = vectors.model_number(self._connection, identity)
        if model is None:
            return []
        scan = self._bits.bits_of_model(model, identity.dimension).refresh(self._connection)
        return scan.sample(
            count, lambda rows: vectors.load_vectors(self._connection, model, rows).values()
        )

    def _vector_models(self) -> str | None:
        row = self._one("SELECT value FROM meta WHERE key = 'model'")
        return str(row[0]) if row else None

    def _vector_counts(self) -> dict[ModelIdentity, int]:
        return count_vectors(self._connection)

    def _quick_rows(self, model: int, rows: Iterable[int]) -> set[int]:
        """Return those of some rows that have a quick vector of a model."""
        results = self._connection.execute(
            "SELECT row FROM memory_bits WHERE row IN (SELECT value FROM json_each(?)) "
            f"AND model = ? AND {_IS_QUICK}",
            [compact(list(rows)), model],
        )
        return {row for (row,) in results}

    def _quick_count(self, identity: ModelIdentity) -> int:
        """Return the number of quick vectors of a model, counted in memory."""
        import numpy as np

        model = vectors.model_number(self._connection, identity)
        if model is None:
            return 0
        scan = self._bits.bits_of_model(model, identity.dimension).refresh(self._connection)
        return int(np.count_nonzero((scan.facets & (FACET_QUICK | FACET_NO_VECTOR)) == FACET_QUICK))

    def _pending_count(self) -> int:
        return int(self._one("SELECT count(*) FROM vector_queue")[0])

    def _nearest(
        self,
        identity: ModelIdentity,
        query: Floats,
        mask_of: Callable[[VectorScan], NDArray[np.bool_]],
        limit: int,
    ) -> list[tuple[Key, float]]:
        """Return the nearest texts with their cosines, best first.

        `mask_of` returns a mask of the positions of a scan that may be found.
        """
        require_dimension(query, identity)
        model = vectors.model_number(self._connection, identity)
        if model is None:
            return []
        bits = self._bits.bits_of_model(model, identity.dimension)
        return self._with_ids(vectors.nearest(self._connection, bits, query, mask_of, limit))

    def _with_ids(self, hits: Sequence[tuple[int, float]]) -> list[tuple[Key, float]]:
        ids = self._ids_of(row for row, _ in hits)
        return [(ids[row], score) for row, score in hits if row in ids]

    def pending(
        self,
        limit: int,
        after: Key | None = None,
        missing_for: ModelIdentity | None = None,
        *,
        among: Sequence[Key] | None = None,
    ) -> list[PendingText[Key]]:
        last = 0 if after is None else self._rows_of([after]).get(after, 0)
        condition, values = "q.row > ?", list[int | str | None]([last])
        if missing_for is not None:
            condition += f" AND {_HAS_NO_VECTOR}"
            values.append(vectors.model_number(self._connection, missing_for))
        if among is not None:
            condition += " AND q.row IN (SELECT value FROM json_each(?))"
            values.append(compact(list(self._rows_of(among).values())))
        return self._pending(f"{condition} ORDER BY q.row LIMIT ?", [*values, limit])

    @abstractmethod
    def _pending(
        self, condition: str, values: Sequence[int | str | None]
    ) -> list[PendingText[Key]]:
        """Return the queued texts that meet a condition on the rows `q` of the queue."""

    def _one(self, statement: str, *values: object) -> Any:
        """Return the first row of the result, or None."""
        return next(iter(self._connection.execute(statement, list(values))), None)


class SharedWriter(SharedReader[Key]):
    """Writes the vectors of texts and their queue."""

    _TABLE: ClassVar[str]
    """The table of the texts."""
    _is_unchanging = False

    @abstractmethod
    def _versions_and_facets(self, rows: Sequence[int]) -> dict[int, tuple[int, int]]:
        """Return the current versions and the facets of those of some rows that exist."""

    def set_vector_models(self, *models: ModelIdentity) -> None:
        if self._vector_models() != (joined := join_identities(models)):
            for identity in models:
                self._enqueue_missing(identity)
            self._connection.execute("INSERT OR REPLACE INTO meta VALUES ('model', ?)", [joined])

    def save_vectors(
        self,
        identity: ModelIdentity,
        embedded: TextVectors[Key],
        *,
        keep_queued: bool = False,
        quick: bool = False,
    ) -> None:
        rows = self._rows_of([id_ for id_, _, _ in embedded])
        texts = [
            (rows[id_], version, embedding) for id_, version, embedding in embedded if id_ in rows
        ]
        if quick:
            self._save_quick(identity, texts)
            return
        saved = self._save(identity, texts)
        if not keep_queued:
            self._dequeue(saved)

    def _save_quick(self, identity: ModelIdentity, texts: _EmbeddedRows) -> None:
        """Store quick vectors of those texts that are queued, unchanged and without a vector."""
        results = self._connection.execute(
            f"SELECT q.row FROM vector_queue q WHERE {_HAS_NO_VECTOR} "
            "AND q.row IN (SELECT value FROM json_each(?))",
            [
                vectors.ensure_model(self._connection, identity),
                compact([row for row, _, _ in texts]),
            ],
        )
        missing = {row for (row,) in results}
        self._save(identity, [text for text in texts if text[0] in missing], FACET_QUICK)

    def drop_vectors(self, identity: ModelIdentity, ids: Sequence[Key]) -> None:
        model = vectors.model_number(self._connection, identity)
        keys = [(row, model) for row in self._rows_of(ids).values()]
        self._connection.executemany("DELETE FROM memory_vectors WHERE row = ? AND model = ?", keys)
        self._connection.executemany(
            "INSERT OR REPLACE INTO memory_bits(row, model, facets, bits) SELECT row, model, "
            f"facets | {FACET_NO_VECTOR}, bits FROM memory_bits WHERE row = ? AND model = ?",
            keys,
        )

    def dequeue_vectors(self, texts: Sequence[tuple[Key, int]]) -> None:
        rows = self._rows_of([id_ for id_, _ in texts])
        versions = self._versions_and_facets(list(rows.values()))
        self._dequeue(
            rows[id_]
            for id_, version in texts
            if id_ in rows and (rows[id_] not in versions or versions[rows[id_]][0] == version)
        )

    def _dequeue(self, rows: Iterable[int]) -> None:
        self._connection.executemany(
            "DELETE FROM vector_queue WHERE row = ?", [(row,) for row in rows]
        )

    def _save(self, identity: ModelIdentity, embedded: _EmbeddedRows, facet: int = 0) -> list[int]:
        """Store the vectors of unchanged texts with an additional `facet`; return their rows."""
        model = vectors.ensure_model(self._connection, identity)
        versions_and_facets = self._versions_and_facets([row for row, _, _ in embedded])
        unchanged: list[tuple[int, int, Embedding]] = []
        for row, version, embedding in embedded:
            current_version, facets = versions_and_facets.get(row, (None, 0))
            if version == current_version:
                unchanged.append((row, facets | facet, embedding))
        for _, _, embedding in embedded:
            require_dimension(embedding.pooled, identity)
        vectors.save(self._connection, model, unchanged)
        vector_bits.pack_segments(self._connection, model)
        return [row for row, _, _ in unchanged]

    def _enqueue_missing(self, identity: ModelIdentity) -> None:
        """Queue the texts that have no vector of a model, or only a quick one."""
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
