"""The cached sign bits of a store's vectors, and the number of vectors of each model."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

import apsw

from remem.model.entry import Filter
from remem.ports.models import ModelIdentity
from remem.store.sqlite.bit_segments import load
from remem.store.sqlite.selection import OF_OTHER_PROJECTS
from remem.store.vector_scan import CachedBits, Scan

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Every change to a vector creates a stamp, every erased entry a tombstone.
_STATE: Final = """SELECT max(stamp), (SELECT max(model) FROM models),
    (SELECT count(*) FROM erased) FROM memory_bits"""


class ModelBits(CachedBits):
    """The sign bits of all vectors of one model in a SQLite database."""

    def refresh(self, connection: apsw.Connection) -> Scan:
        """Return the bits, with what was written since the last call."""
        return self.update(lambda since: load(connection, self.model, since, self.words))


def admitted(scan: Scan, where: Filter, connection: apsw.Connection) -> NDArray[np.bool_]:
    """Return a mask of the positions of a scan that match a filter."""

    def rows(statement: str, value: str) -> list[int]:
        return [row for (row,) in connection.execute(statement, [value])]

    return scan.admitted(
        where,
        lambda tag: rows("SELECT row FROM memory_tags WHERE tag = ?", tag),
        lambda project: rows(f"SELECT row FROM {OF_OTHER_PROJECTS}", project),
    )


class BitCache:
    """The sign bits of each model in use, shared by all connections of a store."""

    def __init__(self) -> None:
        self._bits: dict[int, ModelBits] = {}
        self._counted: tuple[tuple[object, ...], dict[ModelIdentity, int]] | None = None
        self._lock = threading.Lock()

    def vector_counts(self, connection: apsw.Connection) -> dict[ModelIdentity, int]:
        """Number of vectors of each model; cached, because every recall asks."""
        state = next(iter(connection.execute(_STATE)))
        with self._lock:
            if self._counted is None or self._counted[0] != state:
                self._counted = state, count_vectors(connection)
            return dict(self._counted[1])

    def of(self, model: int, dimension: int) -> ModelBits:
        with self._lock:
            return self._bits.setdefault(model, ModelBits(model, dimension))


def count_vectors(connection: apsw.Connection) -> dict[ModelIdentity, int]:
    """Number of vectors of each model."""
    rows = connection.execute(
        "SELECT name, dimension, quantisation, "
        "(SELECT count(*) FROM memory_vectors v WHERE v.model = m.model) FROM models m"
    )
    return {ModelIdentity(*identity): count for *identity, count in rows}
