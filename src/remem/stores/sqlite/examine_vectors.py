"""Are the vectors what a model made? Each fits its seal, its bits are its signs, and the copies
of its bits say the same."""

from __future__ import annotations

from collections.abc import Iterator

import apsw
import numpy as np

from remem.stores.sqlite.bits import signs
from remem.stores.sqlite.seals import vector_seal


def vectors_found(connection: apsw.Connection) -> Iterator[str]:
    """What is wrong with the vectors of a database, of entries or of passages."""
    rows = connection.execute(
        "SELECT v.pooled, v.tokens, v.seal, b.bits, m.dimension FROM memory_vectors v "
        "JOIN models m ON m.model = v.model "
        "LEFT JOIN memory_bits b ON b.row = v.row AND b.model = v.model"
    )
    wrong = sum(not _is_sound(*each) for each in rows)
    if wrong:
        yield f"{wrong} vectors are damaged"
    for model, dimension in list(connection.execute("SELECT model, dimension FROM models")):
        if differing := _differing_copies(connection, model, -(-dimension // 64) * 8):
            yield f"{differing} copies of bits differ from their vectors"


def _is_sound(pooled: object, tokens: object, sealed: object, bits: object, dimension: int) -> bool:
    if not isinstance(pooled, bytes) or not isinstance(bits, bytes):
        return False
    if len(pooled) != 2 * dimension or not isinstance(tokens, bytes | None):
        return False
    if vector_seal(pooled, tokens) != sealed:
        return False
    wanted = signs(np.frombuffer(pooled, np.float16).astype(np.float32)).tobytes()
    if len(bits) != len(wanted):
        return False
    differing = int.from_bytes(bits, "big") ^ int.from_bytes(wanted, "big")
    return differing.bit_count() <= 1 + dimension // 100  # what half precision rounds to zero


def _differing_copies(connection: apsw.Connection, model: int, width: int) -> int:
    """Of a row that stands in several segments, the last one counts."""
    copies: dict[int, tuple[int, bytes]] = {}
    last = 0
    for upto, rows, facets, bits in connection.execute(
        "SELECT upto, rows, facets, bits FROM bit_segments WHERE model = ? ORDER BY upto", [model]
    ):
        numbers, kinds = np.frombuffer(rows, np.int64), np.frombuffer(facets, np.uint16)
        if len(numbers) != len(kinds) or len(bits) != width * len(numbers):
            return len(numbers)
        for at, row in enumerate(numbers.tolist()):
            copies[row] = int(kinds[at]), bits[at * width : (at + 1) * width]
        last = upto
    current = connection.execute(
        "SELECT row, facets, bits FROM memory_bits WHERE model = ? AND stamp <= ?", [model, last]
    )
    return sum(copies.get(row) != (facets, bits) for row, facets, bits in current)
