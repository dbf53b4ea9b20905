"""Store the bits of several thousand vectors in one row, so that a new process loads them quickly.

Without them it would read one row per vector. Segments are copies: later changes have a higher
stamp in the table of bits and are read after the segments.
"""

from __future__ import annotations

from typing import Final

import apsw

from remem.store.vector_scan import NewBits

SIZE: Final = 4096
TABLE: Final = """CREATE TABLE bit_segments (
    upto INTEGER PRIMARY KEY,
    model INTEGER NOT NULL,
    rows BLOB NOT NULL,
    facets BLOB NOT NULL,
    bits BLOB NOT NULL)"""

_SINCE: Final = (
    "SELECT stamp, row, facets, bits FROM memory_bits WHERE model = ? AND stamp > ? ORDER BY stamp"
)
_SEGMENTS: Final = "SELECT upto, rows, facets, bits FROM bit_segments WHERE model = ? ORDER BY upto"


def load(connection: apsw.Connection, model: int, since: int, words: int) -> NewBits | None:
    """Return the bits written after a stamp; `words` is the number of 64-bit words per vector."""
    chunks = [] if since else _segments(connection, model)
    upto = chunks[-1][0] if chunks else since
    if rows := list(connection.execute(_SINCE, [model, upto])):
        chunks.append(_as_segment(rows))
    if not chunks:
        return None
    import numpy as np

    return NewBits(
        upto=chunks[-1][0],
        rows=np.frombuffer(b"".join(chunk[1] for chunk in chunks), np.int64),
        facets=np.frombuffer(b"".join(chunk[2] for chunk in chunks), np.uint16),
        bits=tuple(np.frombuffer(chunk[3], np.uint64).reshape(-1, words) for chunk in chunks),
    )


def pack(connection: apsw.Connection, model: int) -> None:
    """Copy bits that are not in a segment yet, one full segment at a time; the rest is left."""
    if not _can_fill_segment(connection, model):
        return
    _drop_if_stale(connection, model)
    while _can_fill_segment(connection, model):
        last = _last_stamp(connection, model)
        rows = list(connection.execute(f"{_SINCE} LIMIT {SIZE}", [model, last]))
        upto, *arrays = _as_segment(rows)
        connection.execute(
            "INSERT INTO bit_segments VALUES (?, ?, ?, ?, ?)", [upto, model, *arrays]
        )


def _can_fill_segment(connection: apsw.Connection, model: int) -> bool:
    count = connection.execute(
        "SELECT count(*) FROM (SELECT 1 FROM memory_bits WHERE model = ? AND stamp > ? LIMIT ?)",
        [model, _last_stamp(connection, model), SIZE],
    )
    return bool(next(iter(count))[0] == SIZE)


def _last_stamp(connection: apsw.Connection, model: int) -> int:
    """Return the last stamp in the segments."""
    result = connection.execute("SELECT max(upto) FROM bit_segments WHERE model = ?", [model])
    return next(iter(result))[0] or 0


def _drop_if_stale(connection: apsw.Connection, model: int) -> None:
    """Drop the segments if more than 20% of their rows are outdated: new processes read them all.

    This happens once when a model's own vectors replace the quick ones.
    """
    packed, current = next(
        iter(
            connection.execute(
                "SELECT (SELECT coalesce(sum(length(rows)), 0) / 8 FROM bit_segments "
                "WHERE model = ?1), (SELECT count(*) FROM memory_bits WHERE model = ?1)",
                [model],
            )
        )
    )
    if 4 * packed > 5 * current:
        connection.execute("DELETE FROM bit_segments WHERE model = ?", [model])


def _segments(connection: apsw.Connection, model: int) -> list[tuple[int, bytes, bytes, bytes]]:
    return list(connection.execute(_SEGMENTS, [model]))


def _as_segment(rows: list[tuple[int, int, int, bytes]]) -> tuple[int, bytes, bytes, bytes]:
    """Rows as one segment: last stamp, rows, facets, bits."""
    import numpy as np

    return (
        rows[-1][0],
        np.array([row for _, row, _, _ in rows], np.int64).tobytes(),
        np.array([facets for _, _, facets, _ in rows], np.uint16).tobytes(),
        b"".join(bits for *_, bits in rows),
    )
