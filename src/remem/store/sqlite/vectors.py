"""Store vectors and find the nearest ones.

A scan of the sign bits selects a few hundred rows; their half-precision vectors, which are read
from the database, determine the order. Vectors of different models are never compared.

Quick vectors, which are approximate, have a facet of their own. Their rows stay queued until the
model's own vectors replace them.
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
    embeddings_by_row,
    nearest_by_cosine,
    signs,
    token_blob,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def nearest(
    connection: apsw.Connection,
    bits: ModelBits,
    query: Floats,
    mask_of: Callable[[VectorScan], NDArray[np.bool_]],
    limit: int,
) -> list[tuple[int, float]]:
    """Return the nearest rows with their cosines, best first.

    `mask_of` returns a mask of the positions of a scan that may be found.
    """
    scan = bits.refresh(connection)
    rows = scan.nearest(query, mask_of(scan), max(MIN_RERANKED, RERANK_FACTOR * limit))
    vectors = connection.execute(
        "SELECT row, pooled FROM memory_vectors WHERE model = ? "
        "AND row IN (SELECT value FROM json_each(?))",
        [bits.model, compact(rows)],
    )
    return nearest_by_cosine(list(vectors), query, limit)


def load_vectors(
    connection: apsw.Connection, model: int, rows: Iterable[int]
) -> dict[int, Embedding]:
    """Return the vectors of those rows that have one."""
    vectors = connection.execute(
        "SELECT row, pooled, tokens FROM memory_vectors WHERE model = ? "
        "AND row IN (SELECT value FROM json_each(?))",
        [model, compact(list(rows))],
    )
    return embeddings_by_row(list(vectors))


def save(
    connection: apsw.Connection, model: int, embeddings: Sequence[tuple[int, int, Embedding]]
) -> None:
    """Store some vectors, given as row, facets and embedding, and their sign bits."""
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
    """Delete the vectors of all models for a row, because its text has changed."""
    connection.execute(
        "DELETE FROM memory_vectors WHERE model IN (SELECT model FROM models) AND row = ?", [row]
    )
    reclassify(connection, row, FACET_NO_VECTOR)


def reclassify(connection: apsw.Connection, row: int, facets: int) -> None:
    """Change the facets of a row, and give it a new stamp, so that caches notice the change.

    The facets `FACET_NO_VECTOR` and `FACET_QUICK` are kept.
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
    """Return the number of a model in this database; None if it has none."""
    results = connection.execute(
        "SELECT model FROM models WHERE name = ? AND dimension = ? AND quantisation = ?",
        [identity.name, identity.dimension, identity.quantisation],
    )
    first = next(iter(results), None)
    return int(first[0]) if first else None
