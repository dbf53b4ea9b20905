"""The table of word vectors that a multilingual model begins with, in 4 bits per number.

The table of 250,000 pieces is the largest part of the model. It stays in its file, from which the
operating system loads only the rows that texts use.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from remem.ports.models import Floats

DIMENSION: Final = 384
BLOCK: Final = 32
"""How many consecutive numbers of a vector have a common scale."""
HALF: Final = BLOCK // 2
TABLE_ROW: Final = np.dtype(
    [("scale", "<f2", (DIMENSION // BLOCK,)), ("halves", "u1", (DIMENSION // BLOCK, HALF))]
)
"""A row: in each block, the low halves of the bytes are the first 16 numbers, the high halves the
others, offset by 8."""


class WordTable:
    """Looks up the vectors of pieces by id; the file's hash has been checked."""

    def __init__(self, path: Path) -> None:
        self._rows = np.load(path, mmap_mode="r", allow_pickle=False)

    def __call__(self, ids: NDArray[np.int64]) -> Floats:
        return word_vectors(self._rows[ids])


def word_vectors(rows: NDArray[Any]) -> Floats:
    """Return the vectors in some rows of a table."""
    halves = rows["halves"]
    values = np.concatenate([halves & 15, halves >> 4], axis=2).astype(np.float32) - 8
    values *= rows["scale"].astype(np.float32)[:, :, None]
    vectors: Floats = values.reshape(len(rows), DIMENSION)
    return vectors
