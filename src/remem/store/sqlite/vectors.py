"""Which vectors are only rough? Very many are kept at once, until the model's own replace them.

A bit among the facets marks them. Who has one still waits in the queue.

Which entries mean something like the question? Bits choose, exact vectors decide.

A scan over the sign bits of all entries picks a few hundred; their half-precision vectors,
read from the database, give the order. Vectors of different models never meet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final

import apsw

from remem.errors import EmbedderMismatch
from remem.ports.models import Bytes, Embedding, Floats, ModelIdentity
from remem.store.sqlite.checksums import vector_seal
from remem.store.sqlite.rows import FACET_NO_VECTOR, FACET_QUICK, compact
from remem.store.sqlite.vector_bits import Bits, Scan, signs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_RERANKED: Final = 5
"""So many times as many vectors are compared exactly as are wanted: of the wanted, that finds
19 in 20, and the first ones nearly always."""
_LEAST_RERANKED: Final = 256


def nearest(
    connection: apsw.Connection,
    bits: Bits,
    query: Floats,
    admitted: Callable[[Scan], NDArray[np.bool_]],
    limit: int,
) -> list[tuple[int, float]]:
    """The rows nearest in meaning with their cosines, best first; `admitted` says which
    places of a scan may be chosen."""
    scan = bits.refresh(connection)
    rows = scan.nearest(query, admitted(scan), max(_LEAST_RERANKED, _RERANKED * limit))
    pooled = connection.execute(
        "SELECT row, pooled FROM memory_vectors WHERE model = ? "
        "AND row IN (SELECT value FROM json_each(?))",
        [bits.model, compact(rows)],
    )
    found = list(pooled)
    if not found:
        return []
    import numpy as np

    vectors = np.frombuffer(b"".join([data for _, data in found]), np.float16)
    cosines = vectors.reshape(len(found), -1).astype(np.float32) @ query
    best = np.argsort(-cosines, kind="stable")[:limit]
    return [(found[i][0], float(cosines[i])) for i in best]


def stored(connection: apsw.Connection, model: int, rows: Iterable[int]) -> dict[int, Embedding]:
    """The vectors of some rows, where they have any."""
    import numpy as np

    rows_found = connection.execute(
        "SELECT row, pooled, tokens FROM memory_vectors WHERE model = ? "
        "AND row IN (SELECT value FROM json_each(?))",
        [model, compact(list(rows))],
    )
    found = list(rows_found)
    if not found:
        return {}
    halves = np.frombuffer(b"".join([pooled for _, pooled, _ in found]), np.float16)
    vectors = halves.reshape(len(found), -1).astype(np.float32)
    return {
        row: Embedding(vector, _token_rows(tokens) if tokens else None)
        for vector, (row, _, tokens) in zip(vectors, found, strict=True)
    }


def save(
    connection: apsw.Connection, model: int, row: int, facets: int, embedding: Embedding
) -> None:
    import numpy as np

    connection.execute(
        "INSERT OR REPLACE INTO memory_bits(row, model, facets, bits) VALUES (?, ?, ?, ?)",
        [row, model, facets, signs(embedding.pooled).tobytes()],
    )
    pooled, tokens = embedding.pooled.astype(np.float16).tobytes(), token_blob(embedding.tokens)
    connection.execute(
        "INSERT OR REPLACE INTO memory_vectors(row, model, pooled, tokens, seal) "
        "VALUES (?, ?, ?, ?, ?)",
        [row, model, pooled, tokens, vector_seal(pooled, tokens)],
    )


def copy(connection: apsw.Connection, twins: Iterable[tuple[int, int, int]]) -> None:
    """Give rows the vectors of others that say the same: new row, old row, model."""
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


def want_all(connection: apsw.Connection, models: Iterable[ModelIdentity], table: str) -> None:
    """Put every row of a table into the queue that lacks a vector of one of these models, or
    has only a quick one."""
    for identity in models:
        connection.execute(
            f"INSERT OR IGNORE INTO vector_queue SELECT row FROM {table} "
            "WHERE row NOT IN (SELECT row FROM memory_vectors WHERE model = ?)",
            [number_for(connection, identity)],
        )
        connection.execute(
            "INSERT OR IGNORE INTO vector_queue SELECT row FROM memory_bits WHERE model = ? "
            f"AND facets & {FACET_QUICK | FACET_NO_VECTOR} = {FACET_QUICK} "
            f"AND row IN (SELECT row FROM {table})",
            [number_for(connection, identity)],
        )


def drop(connection: apsw.Connection, row: int) -> None:
    """The text has changed: no model has a vector of it any more."""
    connection.execute(
        "DELETE FROM memory_vectors WHERE model IN (SELECT model FROM models) AND row = ?", [row]
    )
    reclassify(connection, row, FACET_NO_VECTOR)


def drop_of(connection: apsw.Connection, identity: ModelIdentity, rows: Iterable[int]) -> None:
    """Another model knows these texts better: the vectors of this one are in its way."""
    model = number_of(connection, identity)
    places = [(row, model) for row in rows]
    connection.executemany("DELETE FROM memory_vectors WHERE row = ? AND model = ?", places)
    connection.executemany(
        "INSERT OR REPLACE INTO memory_bits(row, model, facets, bits) SELECT row, model, "
        f"facets | {FACET_NO_VECTOR}, bits FROM memory_bits WHERE row = ? AND model = ?",
        places,
    )


def reclassify(connection: apsw.Connection, row: int, facets: int) -> None:
    """Give the bits of an entry other facets, and a new stamp by which caches learn of it.
    Bits that have lost their vector stay lost, and quick ones stay quick."""
    connection.execute(
        "INSERT OR REPLACE INTO memory_bits(row, model, facets, bits) "
        f"SELECT row, model, ? | (facets & {FACET_NO_VECTOR | FACET_QUICK}), bits "
        "FROM memory_bits WHERE row = ?",
        [facets, row],
    )


def number_for(connection: apsw.Connection, identity: ModelIdentity) -> int:
    """The number of a model, given on first sight and never used for another."""
    number = number_of(connection, identity)
    if number is not None:
        return number
    connection.execute(
        "INSERT INTO models(name, dimension, quantisation) VALUES (?, ?, ?)",
        [identity.name, identity.dimension, identity.quantisation],
    )
    return connection.last_insert_rowid()


def number_of(connection: apsw.Connection, identity: ModelIdentity) -> int | None:
    found = connection.execute(
        "SELECT model FROM models WHERE name = ? AND dimension = ? AND quantisation = ?",
        [identity.name, identity.dimension, identity.quantisation],
    )
    first = next(iter(found), None)
    return int(first[0]) if first else None


def require_dimension(vector: Floats, identity: ModelIdentity) -> None:
    """One vector of another length would spoil every scan after it."""
    if vector.shape != (identity.dimension,):
        raise EmbedderMismatch(
            f"a vector of shape {vector.shape} is not one of {identity}",
            hint="the model behind the embedder has changed; restart remem",
        )


def token_blob(tokens: Bytes | None) -> bytes | None:
    """The rows behind each other; the first byte says how long one is."""
    if tokens is None or not len(tokens):
        return None
    return bytes([tokens.shape[1]]) + tokens.tobytes()


def _token_rows(data: bytes) -> Bytes:
    import numpy as np

    return np.frombuffer(data, np.uint8, offset=1).reshape(-1, data[0])


Waiting = tuple[int, int, Embedding]
"""A row, its facets, its vector."""
_WITHOUT: Final = "NOT EXISTS (SELECT 1 FROM memory_vectors v WHERE v.model = ? AND v.row = q.row)"
_MARKED: Final = f"facets & {FACET_QUICK | FACET_NO_VECTOR} = {FACET_QUICK}"


def save_quick(
    connection: apsw.Connection, model: int, identity: ModelIdentity, made: Sequence[Waiting]
) -> None:
    """All in two statements; bits and halves are cut from whole matrices."""
    if not made:
        return
    import numpy as np

    for *_, embedding in made:
        require_dimension(embedding.pooled, identity)
    pooled = np.stack([embedding.pooled for *_, embedding in made])
    packed = np.packbits(pooled > 0, axis=1)
    words = np.zeros((len(made), -(-packed.shape[1] // 8) * 8), np.uint8)
    words[:, : packed.shape[1]] = packed
    bits, halves = _rows_of(words.tobytes(), len(made)), pooled.astype(np.float16).tobytes()
    connection.executemany(
        "INSERT OR REPLACE INTO memory_bits(row, model, facets, bits) VALUES (?, ?, ?, ?)",
        [
            (row, model, facets | FACET_QUICK, signs)
            for (row, facets, _), signs in zip(made, bits, strict=True)
        ],
    )
    connection.executemany(
        "INSERT INTO memory_vectors(row, model, pooled, tokens, seal) VALUES (?, ?, ?, ?, ?)",
        [
            (row, model, half, tokens := token_blob(embedding.tokens), vector_seal(half, tokens))
            for (row, _, embedding), half in zip(made, _rows_of(halves, len(made)), strict=True)
        ],
    )


def without_quick(connection: apsw.Connection, model: int, rows: Iterable[int]) -> set[int]:
    """The rows that wait and have no vector of a model, not even a rough one."""
    found = connection.execute(
        f"SELECT q.row FROM vector_queue q WHERE {_WITHOUT} "
        "AND q.row IN (SELECT value FROM json_each(?))",
        [model, compact(list(rows))],
    )
    return {row for (row,) in found}


def without_any_vector(
    connection: apsw.Connection, identity: ModelIdentity | None
) -> tuple[str, list[int | None]]:
    """The condition on what waits that it has no vector of a model, and its value."""
    if identity is None:
        return "", []
    return f" AND {_WITHOUT}", [number_of(connection, identity)]


def count_quick(bits: Bits, connection: apsw.Connection) -> int:
    """How many rough vectors of a model there are, from what a scan keeps in memory."""
    import numpy as np

    facets = bits.refresh(connection).facets
    return int(np.count_nonzero((facets & (FACET_QUICK | FACET_NO_VECTOR)) == FACET_QUICK))


def quick_among(
    connection: apsw.Connection, identity: ModelIdentity, rows: Iterable[int]
) -> frozenset[int]:
    """The rows whose vector of a model is rough."""
    found = connection.execute(
        f"SELECT row FROM memory_bits WHERE row IN (SELECT value FROM json_each(?)) "
        f"AND model = ? AND {_MARKED}",
        [compact(list(rows)), number_of(connection, identity)],
    )
    return frozenset(row for (row,) in found)


def _rows_of(data: bytes, count: int) -> list[bytes]:
    width = len(data) // count
    return [data[at : at + width] for at in range(0, len(data), width)]
