"""How do the bits of very many vectors come into memory at once? In segments of some thousand.

A process that starts would otherwise read a row for each vector. Segments are copies: what was
changed since stands in the table of bits under a higher stamp, and is read after them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import apsw

if TYPE_CHECKING:
    import numpy as np  # loaded where the first vector is: most commands need none
    from numpy.typing import NDArray

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


@dataclass(frozen=True, slots=True)
class Fresh:
    """Bits in the order of their stamps; of a row that occurs twice, the last counts.

    `bits` come in the pieces in which they lie: a million are better moved some thousand
    at a time.
    """

    upto: int
    rows: NDArray[np.int64]
    facets: NDArray[np.uint16]
    bits: tuple[NDArray[np.uint64], ...]

    def outdated(self) -> NDArray[np.bool_]:
        """The places whose row comes again."""
        import numpy as np

        if bool((self.rows[1:] > self.rows[:-1]).all()):  # nothing was changed since it came
            return np.zeros(len(self.rows), np.bool_)
        last = np.unique(self.rows[::-1], return_index=True)[1]
        outdated = np.ones(len(self.rows), np.bool_)
        outdated[len(self.rows) - 1 - last] = False
        return outdated


def load(connection: apsw.Connection, model: int, since: int, words: int) -> Fresh | None:
    """What came after a stamp; a vector has as many `words` of bits."""
    pieces = [] if since else _segments(connection, model)
    upto = pieces[-1][0] if pieces else since
    if singly := list(connection.execute(_SINCE, [model, upto])):
        pieces.append(_joined(singly))
    if not pieces:
        return None
    import numpy as np

    return Fresh(
        upto=pieces[-1][0],
        rows=np.frombuffer(b"".join(piece[1] for piece in pieces), np.int64),
        facets=np.frombuffer(b"".join(piece[2] for piece in pieces), np.uint16),
        bits=tuple(np.frombuffer(piece[3], np.uint64).reshape(-1, words) for piece in pieces),
    )


def pack(connection: apsw.Connection, model: int) -> None:
    """Copy what is not in a segment yet, as far as it fills one."""
    if not _fills_one(connection, model):
        return
    _drop_if_stale(connection, model)
    while _fills_one(connection, model):
        last = _last(connection, model)
        rows = list(connection.execute(f"{_SINCE} LIMIT {SIZE}", [model, last]))
        upto, *arrays = _joined(rows)
        connection.execute(
            "INSERT INTO bit_segments VALUES (?, ?, ?, ?, ?)", [upto, model, *arrays]
        )


def _fills_one(connection: apsw.Connection, model: int) -> bool:
    counted = connection.execute(
        "SELECT count(*) FROM (SELECT 1 FROM memory_bits WHERE model = ? AND stamp > ? LIMIT ?)",
        [model, _last(connection, model), SIZE],
    )
    return bool(next(iter(counted))[0] == SIZE)


def _last(connection: apsw.Connection, model: int) -> int:
    """The stamp up to which segments hold everything."""
    found = connection.execute("SELECT max(upto) FROM bit_segments WHERE model = ?", [model])
    return next(iter(found))[0] or 0


def _drop_if_stale(connection: apsw.Connection, model: int) -> None:
    """Where a fifth of what the segments hold was changed since, they are made anew: whoever
    starts reads all of it. Vectors of which quick ones came first change once, all of them."""
    packed, kept = next(
        iter(
            connection.execute(
                "SELECT (SELECT coalesce(sum(length(rows)), 0) / 8 FROM bit_segments "
                "WHERE model = ?1), (SELECT count(*) FROM memory_bits WHERE model = ?1)",
                [model],
            )
        )
    )
    if 4 * packed > 5 * kept:
        connection.execute("DELETE FROM bit_segments WHERE model = ?", [model])


def _segments(connection: apsw.Connection, model: int) -> list[tuple[int, bytes, bytes, bytes]]:
    return list(connection.execute(_SEGMENTS, [model]))


def _joined(rows: list[tuple[int, int, int, bytes]]) -> tuple[int, bytes, bytes, bytes]:
    """Many rows as one segment."""
    import numpy as np

    return (
        rows[-1][0],
        np.array([row for _, row, _, _ in rows], np.int64).tobytes(),
        np.array([facets for _, _, facets, _ in rows], np.uint16).tobytes(),
        b"".join(bits for *_, bits in rows),
    )
