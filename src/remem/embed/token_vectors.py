"""Which tokens of a text does late interaction keep, and in what form?

A token's last hidden state is centred and projected on 128 axes (`basis.npy`, fitted by
scripts/fit_basis.py). A document keeps the signs, 16 bytes a token; a question keeps the
floats. Unpacked, a bit stands for ±1/sqrt(128), so that a row has length one.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from remem.ports.models import Bytes, Floats

AXES: Final = 128
BASIS: Final = Path(__file__).with_name("basis.npy")

# They stand in every text, so that their vectors tell which text it is no more than a comma's.
STOP_WORDS: Final = frozenset(
    """a about above after again all also am an and any are as at be because been before being
    below between both but by can could d did didn do does doesn doing don down during each few
    for from further had has have having he her here hers herself him himself his how i if in into
    is isn it its itself just ll m me might more most must my myself no nor not now of off on once
    only or other our ours ourselves out over own re s same she should so some such t than that the
    their theirs them themselves then there these they this those through to too under until up ve
    very was wasn we were what when where which while who whom why will with would you your yours
    yourself yourselves""".split()
)
# OpenBLAS calls in threads from 2^18 products on, and they wait for more work by spinning: a
# whole core is lost for a matter of microseconds. So many rows at once stay below that.
_CALM: Final = 5
FIRST_WORD: Final = 1996  # "the": from here on BERT's vocabulary runs from frequent to rare


@dataclass(frozen=True, slots=True)
class Basis:
    """The axes of the token space; `mark` changes with them and with what is kept."""

    mean: Floats
    axes: Floats
    mark: str

    def project(self, hidden: Floats) -> Floats:
        """Rows of the token space, each of length one."""
        centred = _unit(hidden) - self.mean
        steps = range(0, len(centred), _CALM)
        parts = [centred[start : start + _CALM] @ self.axes.T for start in steps]
        return _unit(np.concatenate(parts)) if parts else np.empty((0, AXES), np.float32)


@cache
def basis() -> Basis:
    data = BASIS.read_bytes()
    rows = np.load(io.BytesIO(data), allow_pickle=False).astype(np.float32)
    digest = hashlib.sha256(data + " ".join(sorted(STOP_WORDS)).encode()).hexdigest()
    return Basis(rows[0], rows[1:], digest[:8])


def packed(projected: Floats) -> Bytes:
    """The signs of each row, eight to a byte."""
    return np.packbits(projected >= 0, axis=1)


class Telling:
    """Says of a vocabulary's pieces which ones tell something, and how much."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        # Judged when they occur: going through the whole vocabulary would cost every start.
        self._vocabulary = vocabulary
        self._judged: dict[int, bool] = {}

    def places(self, ids: NDArray[np.int64]) -> NDArray[np.intp]:
        """Where in the text the telling pieces stand."""
        return np.flatnonzero([self._tells(piece) for piece in ids.tolist()])

    def weights(self, ids: NDArray[np.int64]) -> Floats:
        """What each piece is worth; the pieces of a word share its worth."""
        begins = [not self._vocabulary[piece].startswith("##") for piece in ids.tolist()]
        word = np.cumsum(begins)
        shares: Floats = (self._worth(ids) / np.bincount(word)[word]).astype(np.float32)
        return shares

    def _tells(self, piece: int) -> bool:
        known = self._judged.get(piece)
        if known is None:
            known = self._judged[piece] = _tells(self._vocabulary[piece])
        return known

    def _worth(self, ids: NDArray[np.int64]) -> Floats:
        """By Zipf's law a word's frequency falls with its rank, so the logarithm of the rank
        is an inverse document frequency that needs no store. It is halved: a question's
        rarest word is often a name, and that stands in every entry about the person."""
        rank = ids - FIRST_WORD + 1
        rarity = np.log(np.maximum(rank, 1)) / np.log(max(len(self._vocabulary), 2))
        worth: Floats = (0.5 + 0.5 * np.where(rank > 0, rarity, 0.5)).astype(np.float32)
        return worth


def _tells(piece: str) -> bool:
    special = piece.startswith("[") and len(piece) > 1
    return not special and piece not in STOP_WORDS and any(c.isalnum() for c in piece)


def _unit(rows: NDArray[np.floating[Any]]) -> Floats:
    # A row of zeros has no direction; it stays what it is.
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: Floats = (rows / np.maximum(length, 1e-12)).astype(np.float32)
    return unit
