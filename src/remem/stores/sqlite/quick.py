"""Which vectors are only rough? Very many are kept at once, until the model's own replace them.

A bit among the facets marks them. Who has one still waits in the queue.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import apsw

from remem.ports import Embedding, ModelIdentity
from remem.stores.sqlite.bits import Bits
from remem.stores.sqlite.rows import FACET_NO_VECTOR, FACET_QUICK, compact
from remem.stores.sqlite.seals import vector_seal
from remem.stores.sqlite.vectors import number_of, require_dimension, token_blob

Waiting = tuple[int, int, Embedding]
"""A row, its facets, its vector."""
_WITHOUT: Final = "NOT EXISTS (SELECT 1 FROM memory_vectors v WHERE v.model = ? AND v.row = q.row)"
_MARKED: Final = f"facets & {FACET_QUICK | FACET_NO_VECTOR} = {FACET_QUICK}"


def save(
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


def lacking(connection: apsw.Connection, model: int, rows: Iterable[int]) -> set[int]:
    """The rows that wait and have no vector of a model, not even a rough one."""
    found = connection.execute(
        f"SELECT q.row FROM vector_queue q WHERE {_WITHOUT} "
        "AND q.row IN (SELECT value FROM json_each(?))",
        [model, compact(list(rows))],
    )
    return {row for (row,) in found}


def bare(
    connection: apsw.Connection, identity: ModelIdentity | None
) -> tuple[str, list[int | None]]:
    """The condition on what waits that it has no vector of a model, and its value."""
    if identity is None:
        return "", []
    return f" AND {_WITHOUT}", [number_of(connection, identity)]


def counted(bits: Bits, connection: apsw.Connection) -> int:
    """How many rough vectors of a model there are, from what a scan keeps in memory."""
    import numpy as np

    facets = bits.refresh(connection).facets
    return int(np.count_nonzero((facets & (FACET_QUICK | FACET_NO_VECTOR)) == FACET_QUICK))


def among(
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
