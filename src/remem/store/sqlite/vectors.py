"""Store vectors and find the nearest ones.

A scan over the sign bits of all rows picks a few hundred; their half-precision vectors, read from
the database, give the order. Vectors of different models are never compared. Quick vectors are
approximate ones, marked by a facet, whose rows stay queued until the model's own replace them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final

import apsw

from remem.ports.models import Bytes, Embedding, Floats, ModelIdentity, require_dimension
from remem.store.sqlite.checksums import vector_checksum
from remem.store.sqlite.rows import FACET_NO_VECTOR, FACET_QUICK, compact
from remem.store.sqlite.vector_bits import ModelBits, Scan, signs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_RERANK_FACTOR: Final = 5
"""Exact comparisons per wanted result: finds 19 of 20, and the first ones nearly always."""
_MIN_RERANKED: Final = 256


def nearest(
    connection: apsw.Connection,
    bits: ModelBits,
    query: Floats,
    admitted: Callable[[Scan], NDArray[np.bool_]],
    limit: int,
) -> list[tuple[int, float]]:
    """The nearest rows with their cosines, best first; `admitted` selects rows of a scan."""
    scan = bits.refresh(connection)
    rows = scan.nearest(query, admitted(scan), max(_MIN_RERANKED, _RERANK_FACTOR * limit))
    pooled = connection.execute(
        "SELECT row, pooled FROM memory_vectors WHERE model = ? "
        "AND row IN (SELECT value FROM json_each(?))",
        [bits.model, compact(rows)],
    )
    results = list(pooled)
    if not results:
        return []
    import numpy as np

    vectors = np.frombuffer(b"".join([data for _, data in results]), np.float16)
    cosines = vectors.reshape(len(results), -1).astype(np.float32) @ query
    best = np.argsort(-cosines, kind="stable")[:limit]
    return [(results[i][0], float(cosines[i])) for i in best]


def load_vectors(
    connection: apsw.Connection, model: int, rows: Iterable[int]
) -> dict[int, Embedding]:
    """The vectors of some rows, if they have any."""
    import numpy as np

    result_rows = connection.execute(
        "SELECT row, pooled, tokens FROM memory_vectors WHERE model = ? "
        "AND row IN (SELECT value FROM json_each(?))",
        [model, compact(list(rows))],
    )
    results = list(result_rows)
    if not results:
        return {}
    halves = np.frombuffer(b"".join([pooled for _, pooled, _ in results]), np.float16)
    vectors = halves.reshape(len(results), -1).astype(np.float32)
    return {
        row: Embedding(vector, _token_rows(tokens) if tokens else None)
        for vector, (row, _, tokens) in zip(vectors, results, strict=True)
    }


def save(
    connection: apsw.Connection, model: int, row: int, facets: int, embedding: Embedding
) -> None:
    """Store the vector of a row, and its sign bits."""
    import numpy as np

    connection.execute(
        "INSERT OR REPLACE INTO memory_bits(row, model, facets, bits) VALUES (?, ?, ?, ?)",
        [row, model, facets, signs(embedding.pooled).tobytes()],
    )
    pooled, tokens = embedding.pooled.astype(np.float16).tobytes(), token_blob(embedding.tokens)
    connection.execute(
        "INSERT OR REPLACE INTO memory_vectors(row, model, pooled, tokens, seal) "
        "VALUES (?, ?, ?, ?, ?)",
        [row, model, pooled, tokens, vector_checksum(pooled, tokens)],
    )


def copy(connection: apsw.Connection, twins: Iterable[tuple[int, int, int]]) -> None:
    """Copy the vectors of identical texts: new row, old row, model."""
    for new, old, model in list(twins):
        for table, columns in (
            ("memory_bits", "facets, bits"),
            ("memory_vectors", "pooled, tokens, seal"),
        ):
            connection.execute(
                f"INSERT OR REPLACE INTO {table}(row, model, {columns}) "
                f"SELECT ?, model, {columns} FROM {table} WHERE model = ? AND row = ?",
                [new, model, old],
            )


def enqueue_missing(
    connection: apsw.Connection, models: Iterable[ModelIdentity], table: str
) -> None:
    """Queue the rows of a table that lack a vector of a model or have only a quick one."""
    for identity in models:
        connection.execute(
            f"INSERT OR IGNORE INTO vector_queue SELECT row FROM {table} "
            "WHERE row NOT IN (SELECT row FROM memory_vectors WHERE model = ?)",
            [ensure_model(connection, identity)],
        )
        connection.execute(
            "INSERT OR IGNORE INTO vector_queue SELECT row FROM memory_bits WHERE model = ? "
            f"AND facets & {FACET_QUICK | FACET_NO_VECTOR} = {FACET_QUICK} "
            f"AND row IN (SELECT row FROM {table})",
            [ensure_model(connection, identity)],
        )


def drop(connection: apsw.Connection, row: int) -> None:
    """Delete all vectors of a row whose text has changed."""
    connection.execute(
        "DELETE FROM memory_vectors WHERE model IN (SELECT model FROM models) AND row = ?", [row]
    )
    reclassify(connection, row, FACET_NO_VECTOR)


def drop_for_model(
    connection: apsw.Connection, identity: ModelIdentity, rows: Iterable[int]
) -> None:
    """Delete one model's vectors of rows."""
    model = model_number(connection, identity)
    keys = [(row, model) for row in rows]
    connection.executemany("DELETE FROM memory_vectors WHERE row = ? AND model = ?", keys)
    connection.executemany(
        "INSERT OR REPLACE INTO memory_bits(row, model, facets, bits) SELECT row, model, "
        f"facets | {FACET_NO_VECTOR}, bits FROM memory_bits WHERE row = ? AND model = ?",
        keys,
    )


def reclassify(connection: apsw.Connection, row: int, facets: int) -> None:
    """Change the facets of a row, with a new stamp by which caches notice.

    The marks of missing and of quick vectors are kept.
    """
    connection.execute(
        "INSERT OR REPLACE INTO memory_bits(row, model, facets, bits) "
        f"SELECT row, model, ? | (facets & {FACET_NO_VECTOR | FACET_QUICK}), bits "
        "FROM memory_bits WHERE row = ?",
        [facets, row],
    )


def ensure_model(connection: apsw.Connection, identity: ModelIdentity) -> int:
    """The number of a model, assigned on first use and never reused."""
    number = model_number(connection, identity)
    if number is not None:
        return number
    connection.execute(
        "INSERT INTO models(name, dimension, quantisation) VALUES (?, ?, ?)",
        [identity.name, identity.dimension, identity.quantisation],
    )
    return connection.last_insert_rowid()


def model_number(connection: apsw.Connection, identity: ModelIdentity) -> int | None:
    """The number of a model; None if it has no vectors here."""
    results = connection.execute(
        "SELECT model FROM models WHERE name = ? AND dimension = ? AND quantisation = ?",
        [identity.name, identity.dimension, identity.quantisation],
    )
    first = next(iter(results), None)
    return int(first[0]) if first else None


def token_blob(tokens: Bytes | None) -> bytes | None:
    """The token vectors as bytes; the first byte is the width of a row."""
    if tokens is None or not len(tokens):
        return None
    return bytes([tokens.shape[1]]) + tokens.tobytes()


def _token_rows(data: bytes) -> Bytes:
    import numpy as np

    return np.frombuffer(data, np.uint8, offset=1).reshape(-1, data[0])


QuickVector = tuple[int, int, Embedding]
"""A row, its facets, its vector."""
_HAS_NO_VECTOR: Final = (
    "NOT EXISTS (SELECT 1 FROM memory_vectors v WHERE v.model = ? AND v.row = q.row)"
)
_IS_QUICK: Final = f"facets & {FACET_QUICK | FACET_NO_VECTOR} = {FACET_QUICK}"


def save_quick(
    connection: apsw.Connection, model: int, identity: ModelIdentity, quick: Sequence[QuickVector]
) -> None:
    """Store many quick vectors with two statements; numpy converts them all at once."""
    if not quick:
        return
    import numpy as np

    for *_, embedding in quick:
        require_dimension(embedding.pooled, identity)
    pooled = np.stack([embedding.pooled for *_, embedding in quick])
    packed = np.packbits(pooled > 0, axis=1)
    words = np.zeros((len(quick), -(-packed.shape[1] // 8) * 8), np.uint8)
    words[:, : packed.shape[1]] = packed
    bits, halves = _rows_of(words.tobytes(), len(quick)), pooled.astype(np.float16).tobytes()
    connection.executemany(
        "INSERT OR REPLACE INTO memory_bits(row, model, facets, bits) VALUES (?, ?, ?, ?)",
        [
            (row, model, facets | FACET_QUICK, signs)
            for (row, facets, _), signs in zip(quick, bits, strict=True)
        ],
    )
    connection.executemany(
        "INSERT INTO memory_vectors(row, model, pooled, tokens, seal) VALUES (?, ?, ?, ?, ?)",
        [
            (
                row,
                model,
                half,
                tokens := token_blob(embedding.tokens),
                vector_checksum(half, tokens),
            )
            for (row, _, embedding), half in zip(quick, _rows_of(halves, len(quick)), strict=True)
        ],
    )


def queued_without_vector(connection: apsw.Connection, model: int, rows: Iterable[int]) -> set[int]:
    """The queued rows that have no vector of a model, not even a quick one."""
    results = connection.execute(
        f"SELECT q.row FROM vector_queue q WHERE {_HAS_NO_VECTOR} "
        "AND q.row IN (SELECT value FROM json_each(?))",
        [model, compact(list(rows))],
    )
    return {row for (row,) in results}


def no_vector_condition(
    connection: apsw.Connection, identity: ModelIdentity | None
) -> tuple[str, list[int | None]]:
    """The SQL condition that a queued row has no vector of a model, and its value."""
    if identity is None:
        return "", []
    return f" AND {_HAS_NO_VECTOR}", [model_number(connection, identity)]


def count_quick(bits: ModelBits, connection: apsw.Connection) -> int:
    """Number of quick vectors of a model, counted in memory."""
    import numpy as np

    facets = bits.refresh(connection).facets
    return int(np.count_nonzero((facets & (FACET_QUICK | FACET_NO_VECTOR)) == FACET_QUICK))


def rows_with_quick_vectors(
    connection: apsw.Connection, identity: ModelIdentity, rows: Iterable[int]
) -> frozenset[int]:
    """The rows whose vector of a model is a quick one."""
    results = connection.execute(
        f"SELECT row FROM memory_bits WHERE row IN (SELECT value FROM json_each(?)) "
        f"AND model = ? AND {_IS_QUICK}",
        [compact(list(rows)), model_number(connection, identity)],
    )
    return frozenset(row for (row,) in results)


def _rows_of(data: bytes, count: int) -> list[bytes]:
    width = len(data) // count
    return [data[at : at + width] for at in range(0, len(data), width)]
