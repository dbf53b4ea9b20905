"""Changes to vectors and to the queue of entries that need them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from remem.ports.entries import TextVectors
from remem.ports.models import Embedding, ModelIdentity, join_identities, require_dimension
from remem.store.postgres.vectors import HAS_NO_VECTOR, VECTORS, PostgresVectorReader
from remem.store.rows import FACET_NO_VECTOR, FACET_QUICK, facets_from_columns
from remem.store.vector_scan import signs, token_blob

ENQUEUE: Final = (
    "INSERT INTO remem.vector_queue (scope_id, number) VALUES (%(scope)s, %(number)s) "
    "ON CONFLICT DO NOTHING"
)
_SAVE_BITS: Final = """INSERT INTO remem.vector_bits (scope_id, model, number, stamp, facets, bits)
    SELECT %(scope)s, %(model)s, t.* FROM unnest(
        %(numbers)s::bigint[], %(stamps)s::bigint[], %(facets)s::integer[], %(bits)s::bytea[]) t
    ON CONFLICT (scope_id, model, number) DO UPDATE
    SET stamp = excluded.stamp, facets = excluded.facets, bits = excluded.bits"""
_SAVE_VECTORS: Final = """INSERT INTO remem.vectors (scope_id, model, number, pooled, tokens)
    SELECT %(scope)s, %(model)s, t.* FROM unnest(
        %(numbers)s::bigint[], %(pooled)s::bytea[], %(tokens)s::bytea[]) t
    ON CONFLICT (scope_id, model, number) DO UPDATE
    SET pooled = excluded.pooled, tokens = excluded.tokens"""

_MODEL_NUMBERS: Final = 2**31  # model numbers are stored in four bytes


class _StoredText(NamedTuple):
    """The number, the version and the facets of an entry whose text may need a vector."""

    number: int
    version: int
    facets: int


class PostgresVectorWriter(PostgresVectorReader):
    """Writes the vectors of entries and their queue."""

    def set_vector_models(self, *models: ModelIdentity) -> None:
        joined = join_identities(models)
        if self.vector_state().models == joined:
            return
        for identity in models:
            self._session.change(
                "INSERT INTO remem.vector_queue (scope_id, number) "
                "SELECT %(scope)s, e.number FROM remem.entries e WHERE e.scope_id = %(scope)s "
                "AND NOT EXISTS (SELECT 1 FROM remem.vector_bits b WHERE b.scope_id = %(scope)s "
                "AND b.model = %(model)s AND b.number = e.number "
                f"AND b.facets & {FACET_QUICK | FACET_NO_VECTOR} = 0) ON CONFLICT DO NOTHING",
                model=self._ensure_model(identity),
            )
        self._session.change(
            "UPDATE remem.scopes SET models = %(models)s WHERE scope_id = %(scope)s", models=joined
        )

    def save_vectors(
        self,
        identity: ModelIdentity,
        embedded: TextVectors[str],
        *,
        keep_queued: bool = False,
        quick: bool = False,
    ) -> None:
        for _, _, embedding in embedded:
            require_dimension(embedding.pooled, identity)
        model = self._ensure_model(identity)
        stored_texts = self._stored_texts([id_ for id_, _, _ in embedded])
        unchanged: dict[int, tuple[int, Embedding]] = {}
        for id_, version, embedding in embedded:
            stored = stored_texts.get(id_)
            if stored is not None and stored.version == version:
                unchanged[stored.number] = (stored.facets, embedding)
        if quick:
            missing = self._without_vector(model, list(unchanged))
            unchanged = {number: unchanged[number] for number in missing}
        self._save(model, unchanged, FACET_QUICK if quick else 0)
        if not (keep_queued or quick):
            self._dequeue(list(unchanged))

    def drop_vectors(self, identity: ModelIdentity, ids: Sequence[str]) -> None:
        model = self._model(identity)
        numbers = list(self._numbers_of(ids).values())
        self._session.change(f"DELETE {VECTORS}", model=model, numbers=numbers)
        self._restamp(
            f"b.facets | {FACET_NO_VECTOR}", "b.model = %(model)s AND ", numbers, model=model
        )

    def dequeue_vectors(self, texts: Sequence[tuple[str, int]]) -> None:
        stored_texts = self._stored_texts([id_ for id_, _ in texts])
        self._dequeue(
            [
                stored.number
                for id_, version in texts
                if (stored := stored_texts.get(id_)) is not None and stored.version == version
            ]
        )

    def _forget_vectors(self, number: int) -> None:
        """Delete the vectors of all models for an entry, because its text has changed."""
        self._session.change(
            "DELETE FROM remem.vectors WHERE scope_id = %(scope)s "
            "AND model IN (SELECT m.model FROM remem.models m WHERE m.scope_id = %(scope)s) "
            "AND number = %(number)s",
            number=number,
        )
        self._restamp(f"b.facets | {FACET_NO_VECTOR}", "", [number])

    def _reclassify(self, number: int, facets: int) -> None:
        """Change the facets of an entry, except `FACET_NO_VECTOR` and `FACET_QUICK`."""
        unchanged = FACET_NO_VECTOR | FACET_QUICK
        self._restamp(f"{facets} | (b.facets & {unchanged})", "", [number])

    def _restamp(
        self, facets: str, condition: str, numbers: Sequence[int], **values: object
    ) -> None:
        """Set the facets of entries to an SQL expression.

        They get a new stamp, so that caches notice the change.
        """
        self._session.change(
            f"UPDATE remem.vector_bits b SET facets = {facets}, stamp = %(stamp)s "
            "WHERE b.scope_id = %(scope)s AND b.model IN "
            "(SELECT m.model FROM remem.models m WHERE m.scope_id = %(scope)s) "
            f"AND {condition}b.number = ANY(%(numbers)s::bigint[])",
            stamp=self._session.next_number(),
            numbers=list(numbers),
            **values,
        )

    def _stored_texts(self, ids: Sequence[str]) -> dict[str, _StoredText]:
        """Return the current texts of entries by their ids; unknown ids are omitted."""
        rows = self._session.rows(
            "SELECT id, number, version, category, priority, trust, NOT standing "
            "FROM remem.entries WHERE scope_id = %(scope)s AND id = ANY(%(ids)s::text[])",
            ids=list(ids),
        )
        return {
            id_: _StoredText(number, version, facets_from_columns(*properties))
            for id_, number, version, *properties in rows
        }

    def _without_vector(self, model: int, numbers: Sequence[int]) -> list[int]:
        """Return those of some entries that are queued and have no vector of a model."""
        rows = self._session.rows(
            "SELECT q.number FROM remem.vector_queue q WHERE q.scope_id = %(scope)s "
            f"AND q.number = ANY(%(numbers)s::bigint[]) AND {HAS_NO_VECTOR}",
            model=model,
            numbers=list(numbers),
        )
        return [number for (number,) in rows]

    def _save(self, model: int, embeddings: dict[int, tuple[int, Embedding]], facet: int) -> None:
        """Store the facets and embeddings of entries, with an additional `facet`."""
        if not embeddings:
            return
        import numpy as np

        pooled = np.stack([embedding.pooled for _, embedding in embeddings.values()])
        numbers = list(embeddings)
        self._session.change(
            _SAVE_BITS,
            model=model,
            numbers=numbers,
            stamps=[self._session.next_number() for _ in numbers],
            facets=[facets | facet for facets, _ in embeddings.values()],
            bits=[words.tobytes() for words in signs(pooled)],
        )
        self._session.change(
            _SAVE_VECTORS,
            model=model,
            numbers=numbers,
            pooled=[half.tobytes() for half in pooled.astype(np.float16)],
            tokens=[token_blob(embedding.tokens) for _, embedding in embeddings.values()],
        )

    def _dequeue(self, numbers: Sequence[int]) -> None:
        if numbers:
            self._session.change(
                "DELETE FROM remem.vector_queue WHERE scope_id = %(scope)s "
                "AND number = ANY(%(numbers)s::bigint[])",
                numbers=list(numbers),
            )

    def _ensure_model(self, identity: ModelIdentity) -> int:
        """Return the number of a model, assigned on first use."""
        number = self._model(identity)
        if number is not None:
            return number
        number = self._session.next_number() % _MODEL_NUMBERS
        self._session.change(
            "INSERT INTO remem.models (scope_id, model, name, dimension, quantisation) "
            "VALUES (%(scope)s, %(model)s, %(name)s, %(dimension)s, %(quantisation)s)",
            model=number,
            name=identity.name,
            dimension=identity.dimension,
            quantisation=identity.quantisation,
        )
        return number
