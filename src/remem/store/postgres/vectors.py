"""Read vectors and their queue, and find the nearest vectors, as in the SQLite store.

A process caches the sign bits of the scopes that it uses; each read fetches only those written
since the last one. A scan of the bits selects a few hundred entries, and their vectors determine
the order.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from remem.model.entry import Filter, with_heading
from remem.ports.models import (
    Embedding,
    Floats,
    ModelIdentity,
    require_dimension,
)
from remem.ports.records import PendingText, VectorState
from remem.store.postgres.reader import PostgresReader
from remem.store.postgres.selection import SELECTION
from remem.store.postgres.session import PostgresSession, Row
from remem.store.rows import FACET_NO_VECTOR, FACET_QUICK
from remem.store.vector_scan import (
    MIN_RERANKED,
    RERANK_FACTOR,
    CachedBits,
    NewBits,
    VectorScan,
    embeddings_by_row,
    nearest_by_cosine,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_IS_QUICK: Final = f"b.facets & {FACET_QUICK | FACET_NO_VECTOR} = {FACET_QUICK}"
VECTORS: Final = (
    "FROM remem.vectors v WHERE v.scope_id = %(scope)s AND v.model = %(model)s "
    "AND v.number = ANY(%(numbers)s::bigint[])"
)
_BITS_SINCE: Final = (
    "SELECT stamp, number, facets, bits FROM remem.vector_bits WHERE scope_id = %(scope)s "
    "AND model = %(model)s AND stamp > %(since)s ORDER BY stamp"
)
HAS_NO_VECTOR: Final = (
    "NOT EXISTS (SELECT 1 FROM remem.vectors v WHERE v.scope_id = %(scope)s "
    "AND v.model = %(model)s AND v.number = q.number)"
)
_QUEUED_ENTRIES: Final = (
    "SELECT e.id, e.version, e.content, e.context FROM remem.vector_queue q "
    "JOIN remem.entries e ON e.scope_id = %(scope)s AND e.number = q.number "
    "WHERE q.scope_id = %(scope)s AND "
)


class PostgresBitCache:
    """The sign bits of each model of one scope, shared by the snapshots of a store."""

    def __init__(self) -> None:
        self._bits: dict[int, CachedBits] = {}
        self._lock = threading.Lock()

    def scan(self, session: PostgresSession, model: int, dimension: int) -> VectorScan:
        """Return all bits of a model, including those written since the last scan."""
        with self._lock:
            bits = self._bits.setdefault(model, CachedBits(model, dimension))
        return bits.update(lambda since: _bits_since(session, model, since, bits.words_per_vector))


def _bits_since(session: PostgresSession, model: int, since: int, words: int) -> NewBits | None:
    rows = session.rows(_BITS_SINCE, model=model, since=since)
    if not rows:
        return None
    import numpy as np

    data = np.frombuffer(b"".join([bits for *_, bits in rows]), np.uint64)
    return NewBits(
        last_stamp=rows[-1][0],
        rows=np.array([number for _, number, _, _ in rows], np.int64),
        facets=np.array([facets for _, _, facets, _ in rows], np.uint16),
        bits=(data.reshape(-1, words),),
    )


class PostgresVectorReader(PostgresReader):
    """Reads the vectors of entries and their queue."""

    def __init__(self, session: PostgresSession, bits: PostgresBitCache) -> None:
        super().__init__(session)
        self._bits = bits

    def vectors_of(
        self, identity: ModelIdentity, ids: Iterable[str], *, quick: bool = True
    ) -> dict[str, Embedding]:
        model = self._model(identity)
        numbers = {} if model is None else self._numbers_of(ids)
        if not numbers:
            return {}
        if not quick:
            with_quick_vector = self._session.rows(
                "SELECT b.number FROM remem.vector_bits b WHERE b.scope_id = %(scope)s "
                "AND b.model = %(model)s AND b.number = ANY(%(numbers)s::bigint[]) "
                f"AND {_IS_QUICK}",
                model=model,
                numbers=list(numbers.values()),
            )
            excluded = {number for (number,) in with_quick_vector}
            numbers = {id_: number for id_, number in numbers.items() if number not in excluded}
        loaded = self._load(model, list(numbers.values()))
        return {id_: loaded[number] for id_, number in numbers.items() if number in loaded}

    def vector_state(self) -> VectorState:
        [[models, pending]] = self._session.cached_rows(
            "SELECT models, (SELECT count(*) FROM remem.vector_queue q "
            "WHERE q.scope_id = %(scope)s) FROM remem.scopes WHERE scope_id = %(scope)s"
        ) or [(None, 0)]
        rows = self._session.cached_rows(
            "SELECT m.name, m.dimension, m.quantisation, "
            f"count(b.number), count(b.number) FILTER (WHERE {_IS_QUICK}) "
            "FROM remem.models m LEFT JOIN remem.vector_bits b ON b.scope_id = %(scope)s "
            f"AND b.model = m.model AND b.facets & {FACET_NO_VECTOR} = 0 "
            "WHERE m.scope_id = %(scope)s GROUP BY m.model, m.name, m.dimension, m.quantisation "
            "ORDER BY m.model"
        )
        counts = {ModelIdentity(*row[:3]): row[3] for row in rows}
        quick = {ModelIdentity(*row[:3]): row[4] for row in rows} if pending else {}
        return VectorState(models, counts, pending, quick)

    def sample_vectors(self, identity: ModelIdentity, count: int) -> list[Embedding]:
        model = self._model(identity)
        if model is None:
            return []
        scan = self._bits.scan(self._session, model, identity.dimension)
        return scan.sample(count, lambda numbers: self._load(model, numbers).values())

    def nearest(
        self, identity: ModelIdentity, query: Floats, where: Filter, limit: int
    ) -> list[tuple[str, float]]:
        require_dimension(query, identity)
        model = self._model(identity)
        if model is None:
            return []
        scan = self._bits.scan(self._session, model, identity.dimension)
        admitted = self._admitted(scan, where)
        count = max(MIN_RERANKED, RERANK_FACTOR * limit)
        numbers = scan.nearest(query, admitted, count)
        vectors = self._session.rows(
            f"SELECT v.number, v.pooled {VECTORS} ORDER BY v.number", model=model, numbers=numbers
        )
        return self._with_ids(nearest_by_cosine(vectors, query, limit))

    def pending(
        self,
        limit: int,
        after: str | None = None,
        missing_for: ModelIdentity | None = None,
        *,
        among: Sequence[str] | None = None,
    ) -> list[PendingText[str]]:
        last = 0 if after is None else self._numbers_of([after]).get(after, 0)
        model = None if missing_for is None else self._model(missing_for)
        condition = "q.number > %(last)s"
        if missing_for is not None:
            condition += f" AND {HAS_NO_VECTOR}"
        if among is not None:
            condition += " AND e.id = ANY(%(ids)s::text[])"
        rows = self._session.rows(
            f"{_QUEUED_ENTRIES}{condition} ORDER BY q.number LIMIT %(limit)s",
            last=last,
            model=model,
            ids=list(among or ()),
            limit=limit,
        )
        return list(map(_pending_text, rows))

    def _admitted(self, scan: VectorScan, where: Filter) -> NDArray[np.bool_]:
        """Return a mask of the positions of a scan that match a filter."""

        def numbers(query: str, tag: str) -> list[int]:
            return [number for (number,) in self._session.rows(f"{query}%(tag)s", tag=tag)]

        return scan.admitted(
            where,
            lambda tag: numbers(SELECTION.with_tag, tag),
            lambda project: numbers(SELECTION.of_other_projects, project),
        )

    def _model(self, identity: ModelIdentity) -> int | None:
        """Return the number of a model in this scope; None if it has none."""
        row = self._session.one(
            "SELECT model FROM remem.models WHERE scope_id = %(scope)s AND name = %(name)s "
            "AND dimension = %(dimension)s AND quantisation = %(quantisation)s",
            name=identity.name,
            dimension=identity.dimension,
            quantisation=identity.quantisation,
        )
        return int(row[0]) if row else None

    def _load(self, model: int | None, numbers: Sequence[int]) -> dict[int, Embedding]:
        """Return the vectors of those entries that have one."""
        return embeddings_by_row(
            self._session.rows(
                f"SELECT v.number, v.pooled, v.tokens {VECTORS} ORDER BY v.number",
                model=model,
                numbers=list(numbers),
            )
        )


def _pending_text(row: Row) -> PendingText[str]:
    id_, version, content, context = row
    return PendingText(id_, version, with_heading(content, context))
