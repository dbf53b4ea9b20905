"""Store vectors and find the nearest ones.

A scan over the sign bits of all rows selects a few hundred; their half-precision vectors, read from
the database, determine the order. Vectors of different models are never compared. Quick vectors are
approximate. They are marked by a facet, and their rows stay queued until the model's own vectors
replace them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import apsw

from remem.ports.models import Embedding, Floats, ModelIdentity
from remem.store.rows import FACET_NO_VECTOR, FACET_QUICK, compact
from remem.store.sqlite.checksums import vector_checksum
from remem.store.sqlite.vector_bits import ModelBits
from remem.store.vector_scan import (
    MIN_RERANKED,
    RERANK_FACTOR,
    VectorScan,
    signs,
    token_blob,
    token_rows,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def nearest(
    connection: apsw.Connection,
    bits: ModelBits,
    query: Floats,
    admission: Callable[[VectorScan], NDArray[np.bool_]],
    limit: int,
) -> list[tuple[int, float]]:
    """Return the nearest rows with their cosines, best first; `admission` selects rows of a
    scan."""
    scan = bits.refresh(connection)
    rows = scan.nearest(query, admission(scan), max(MIN_RERANKED, RERANK_FACTOR * limit))
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
    """Return the vectors of some rows, if they have any."""
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
        row: Embedding(vector, token_rows(tokens) if tokens else None)
        for vector, (row, _, tokens) in zip(vectors, results, strict=True)
    }


def save(
    connection: apsw.Connection, model: int, embeddings: Sequence[tuple[int, int, Embedding]]
) -> None:
    """Store vectors, given as row, facets and embedding, with their sign bits."""
    if not embeddings:
        return
    import numpy as np

    pooled = np.stack([embedding.pooled for *_, embedding in embeddings])
    bits, halves = signs(pooled), pooled.astype(np.float16)
    connection.executemany(
        "INSERT OR REPLACE INTO memory_bits(row, model, facets, bits) VALUES (?, ?, ?, ?)",
        [
            (row, model, facets, words.tobytes())
            for (row, facets, _), words in zip(embeddings, bits, strict=True)
        ],
    )
    blobs = [
        (row, half.tobytes(), token_blob(embedding.tokens))
        for (row, _, embedding), half in zip(embeddings, halves, strict=True)
    ]
    connection.executemany(
        "INSERT OR REPLACE INTO memory_vectors(row, model, pooled, tokens, seal) "
        "VALUES (?, ?, ?, ?, ?)",
        [(row, model, half, tokens, vector_checksum(half, tokens)) for row, half, tokens in blobs],
    )


def copy(connection: apsw.Connection, identical: Iterable[tuple[int, int, int]]) -> None:
    """Copy the vectors of identical texts, given as new row, old row and model."""
    for new, old, model in list(identical):
        for table, columns in (
            ("memory_bits", "facets, bits"),
            ("memory_vectors", "pooled, tokens, seal"),
        ):
            connection.execute(
                f"INSERT OR REPLACE INTO {table}(row, model, {columns}) "
                f"SELECT ?, model, {columns} FROM {table} WHERE model = ? AND row = ?",
                [new, model, old],
            )


def drop(connection: apsw.Connection, row: int) -> None:
    """Delete all vectors of a row whose text has changed."""
    connection.execute(
        "DELETE FROM memory_vectors WHERE model IN (SELECT model FROM models) AND row = ?", [row]
    )
    reclassify(connection, row, FACET_NO_VECTOR)


def reclassify(connection: apsw.Connection, row: int, facets: int) -> None:
    """Change the facets of a row; the new stamp lets caches notice that.

    The facets of missing and of quick vectors are kept.
    """
    connection.execute(
        "INSERT OR REPLACE INTO memory_bits(row, model, facets, bits) "
        f"SELECT row, model, ? | (facets & {FACET_NO_VECTOR | FACET_QUICK}), bits "
        "FROM memory_bits WHERE row = ?",
        [facets, row],
    )


def ensure_model(connection: apsw.Connection, identity: ModelIdentity) -> int:
    """Return the number of a model, assigned on first use and never reused."""
    number = model_number(connection, identity)
    if number is not None:
        return number
    connection.execute(
        "INSERT INTO models(name, dimension, quantisation) VALUES (?, ?, ?)",
        [identity.name, identity.dimension, identity.quantisation],
    )
    return connection.last_insert_rowid()


def model_number(connection: apsw.Connection, identity: ModelIdentity) -> int | None:
    """Return the number of a model; None if it has no vectors here."""
    results = connection.execute(
        "SELECT model FROM models WHERE name = ? AND dimension = ? AND quantisation = ?",
        [identity.name, identity.dimension, identity.quantisation],
    )
    first = next(iter(results), None)
    return int(first[0]) if first else None
