"""Load the sign bits of vectors into memory, and pack them in segments.

A segment has the bits of several thousand vectors in one row of a table, so that a new process
loads them quickly. Segments are copies of rows of `memory_bits`; bits that were changed later have
a higher stamp there, and are read after the segments.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

import apsw

from remem.model.entry import Filter
from remem.ports.models import ModelIdentity
from remem.store.sqlite.selection import SELECTION
from remem.store.vector_scan import CachedBits, NewBits, VectorScan

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# The number of vectors can only change if one of these values does: every change to a vector has a
# new stamp, and every erased entry has a tombstone.
_STATE_OF_VECTORS: Final = """SELECT max(stamp), (SELECT max(model) FROM models),
    (SELECT count(*) FROM erased) FROM memory_bits"""


SEGMENT_SIZE: Final = 4096
SEGMENTS_TABLE: Final = """CREATE TABLE bit_segments (
    upto INTEGER PRIMARY KEY,
    model INTEGER NOT NULL,
    rows BLOB NOT NULL,
    facets BLOB NOT NULL,
    bits BLOB NOT NULL)"""

_BITS_SINCE: Final = (
    "SELECT stamp, row, facets, bits FROM memory_bits WHERE model = ? AND stamp > ? ORDER BY stamp"
)
_SEGMENTS: Final = "SELECT upto, rows, facets, bits FROM bit_segments WHERE model = ? ORDER BY upto"


class ModelBits(CachedBits):
    """The sign bits of all vectors of one model in a SQLite database."""

    def refresh(self, connection: apsw.Connection) -> VectorScan:
        """Return all bits, including those written since the last call."""
        return self.update(
            lambda stamp: _load(connection, self.model, stamp, self.words_per_vector)
        )


def admitted(scan: VectorScan, where: Filter, connection: apsw.Connection) -> NDArray[np.bool_]:
    """Return a mask of the positions of a scan that match a filter."""

    def rows(query: str, tag: str) -> list[int]:
        return [row for (row,) in connection.execute(f"{query}?", [tag])]

    return scan.admitted(
        where,
        lambda tag: rows(SELECTION.with_tag, tag),
        lambda project: rows(SELECTION.of_other_projects, project),
    )


class SqliteBitCache:
    """The sign bits of each model in use, shared by all connections of a store."""

    def __init__(self) -> None:
        self._bits: dict[int, ModelBits] = {}
        self._counted: tuple[tuple[object, ...], dict[ModelIdentity, int]] | None = None
        self._lock = threading.Lock()

    def vector_counts(self, connection: apsw.Connection) -> dict[ModelIdentity, int]:
        """Return the number of vectors of each model; cached, because every recall asks."""
        state = next(iter(connection.execute(_STATE_OF_VECTORS)))
        with self._lock:
            if self._counted is None or self._counted[0] != state:
                self._counted = state, count_vectors(connection)
            return dict(self._counted[1])

    def bits_of_model(self, model: int, dimension: int) -> ModelBits:
        with self._lock:
            return self._bits.setdefault(model, ModelBits(model, dimension))


def count_vectors(connection: apsw.Connection) -> dict[ModelIdentity, int]:
    """Return the number of vectors of each model."""
    rows = connection.execute(
        "SELECT name, dimension, quantisation, "
        "(SELECT count(*) FROM memory_vectors v WHERE v.model = m.model) FROM models m"
    )
    return {ModelIdentity(*identity): count for *identity, count in rows}


def _load(connection: apsw.Connection, model: int, since: int, words: int) -> NewBits | None:
    """Return the bits written after the stamp `since`.

    `words` is the number of 64-bit words of a vector.
    """
    chunks = [] if since else _segments(connection, model)
    last_packed = chunks[-1][0] if chunks else since
    if rows := list(connection.execute(_BITS_SINCE, [model, last_packed])):
        chunks.append(_as_segment(rows))
    if not chunks:
        return None
    import numpy as np

    return NewBits(
        last_stamp=chunks[-1][0],
        rows=np.frombuffer(b"".join(chunk[1] for chunk in chunks), np.int64),
        facets=np.frombuffer(b"".join(chunk[2] for chunk in chunks), np.uint16),
        bits=tuple(np.frombuffer(chunk[3], np.uint64).reshape(-1, words) for chunk in chunks),
    )


def pack_segments(connection: apsw.Connection, model: int) -> None:
    """Pack the bits that are not in a segment yet, as long as they fill one."""
    if not _can_fill_segment(connection, model):
        return
    _drop_if_stale(connection, model)
    while _can_fill_segment(connection, model):
        last_packed = _last_packed_stamp(connection, model)
        rows = list(connection.execute(f"{_BITS_SINCE} LIMIT {SEGMENT_SIZE}", [model, last_packed]))
        stamp, *arrays = _as_segment(rows)
        connection.execute(
            "INSERT INTO bit_segments VALUES (?, ?, ?, ?, ?)", [stamp, model, *arrays]
        )


def _can_fill_segment(connection: apsw.Connection, model: int) -> bool:
    count = connection.execute(
        "SELECT count(*) FROM (SELECT 1 FROM memory_bits WHERE model = ? AND stamp > ? LIMIT ?)",
        [model, _last_packed_stamp(connection, model), SEGMENT_SIZE],
    )
    return bool(next(iter(count))[0] == SEGMENT_SIZE)


def _last_packed_stamp(connection: apsw.Connection, model: int) -> int:
    """Return the highest stamp of the bits in the segments of a model; 0 if it has none."""
    result = connection.execute("SELECT max(upto) FROM bit_segments WHERE model = ?", [model])
    return next(iter(result))[0] or 0


def _drop_if_stale(connection: apsw.Connection, model: int) -> None:
    """Delete the segments of a model if more than 20 % of their rows are outdated.

    Every new process would read these rows in vain.

    This happens, for example, after the model's own vectors have replaced the quick ones.
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
    """Return rows of `memory_bits` as a segment.

    It has the last stamp, and arrays of row numbers, facets and bits.
    """
    import numpy as np

    return (
        rows[-1][0],
        np.array([row for _, row, _, _ in rows], np.int64).tobytes(),
        np.array([facets for _, _, facets, _ in rows], np.uint16).tobytes(),
        b"".join(bits for *_, bits in rows),
    )
