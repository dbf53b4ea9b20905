"""Encode texts with MiniLM: a pooled vector, and the token vectors that late interaction uses.

A token's last hidden state is centred and projected onto 128 axes (`basis.npy`, fitted by
scripts/fit_basis.py). For a stored text, only the signs are kept, in 16 bytes per token; for a
question, the numbers are kept. A search reads each bit as ±1/sqrt(128), which makes unit vectors.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from remem.embed.model_files import MODEL, read_vocabulary, verified_path
from remem.embed.runtime import OnnxSession, load_session
from remem.embed.wordpiece import WordPiece
from remem.fast_dataclass import dataclass
from remem.ports.models import Bytes, Embedding, Floats, QueryEmbedding

DIMENSION: Final = 384
MAX_TOKENS: Final = 256
"""The number of tokens of the texts that the model was trained on."""
AXES: Final = 128
BASIS: Final = Path(__file__).with_name("basis.npy")

# These words occur in every text, so their vectors do not distinguish texts.
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
# From 2^18 products on, OpenBLAS starts threads that spin while they wait for work, which uses a
# whole core to save microseconds. A product of this many rows stays below that limit.
_MAX_BLAS_ROWS: Final = 5
FIRST_WORD: Final = 1996
"""The id of "the"; from here on, BERT's vocabulary is sorted from frequent to rare words."""


@dataclass(frozen=True, slots=True)
class TokenBasis:
    """The mean of hidden states and the axes onto which they are projected.

    `version` changes if they or the stop words change.
    """

    mean: Floats
    axes: Floats
    version: str

    def project(self, hidden_states: Floats) -> Floats:
        """Return the token vectors, of unit length, of hidden states."""
        centred = unit(hidden_states) - self.mean
        steps = range(0, len(centred), _MAX_BLAS_ROWS)
        parts = [centred[start : start + _MAX_BLAS_ROWS] @ self.axes.T for start in steps]
        return unit(np.concatenate(parts)) if parts else np.empty((0, AXES), np.float32)


@cache
def load_basis() -> TokenBasis:
    """Return the basis of MiniLM's token vectors; it is read once."""
    data = BASIS.read_bytes()
    rows = np.load(io.BytesIO(data), allow_pickle=False).astype(np.float32)
    digest = hashlib.sha256(data + " ".join(sorted(STOP_WORDS)).encode()).hexdigest()
    return TokenBasis(rows[0], rows[1:], digest[:8])


def unit(rows: NDArray[np.floating[Any]]) -> Floats:
    """Scale each row to length one; a row of zeros is left unchanged."""
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    unit_rows: Floats = (rows / np.maximum(length, 1e-12)).astype(np.float32)
    return unit_rows


def pack_signs(projected: Floats) -> Bytes:
    """Pack the signs of each row, eight to a byte."""
    return np.packbits(projected >= 0, axis=1)


class ContentTokens:
    """Selects the pieces of a text that carry content, and weighs them."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._vocabulary = vocabulary
        # Filled as pieces occur, because checking the whole vocabulary would slow down each start.
        self._cache: dict[int, bool] = {}

    def positions(self, ids: NDArray[np.int64]) -> NDArray[np.intp]:
        """Return the positions of the content pieces in a text."""
        return np.flatnonzero([self._is_content(piece) for piece in ids.tolist()])

    def weights(self, ids: NDArray[np.int64]) -> Floats:
        """Return the weight of each piece of a text; the pieces of a word share its weight."""
        starts_word = [not self._vocabulary[piece].startswith("##") for piece in ids.tolist()]
        word = np.cumsum(starts_word)
        shares: Floats = (self._piece_weights(ids) / np.bincount(word)[word]).astype(np.float32)
        return shares

    def _is_content(self, piece: int) -> bool:
        known = self._cache.get(piece)
        if known is None:
            known = self._cache[piece] = _is_content(self._vocabulary[piece])
        return known

    def _piece_weights(self, ids: NDArray[np.int64]) -> Floats:
        """Return the weights of pieces by their rarity.

        By Zipf's law, a word's frequency is inversely proportional to its rank, so that the
        logarithm of the rank serves as an inverse document frequency. It makes up only half of the
        weight, because the rarest word of a question is often the name of a person, which occurs in
        every entry about that person.
        """
        rank = ids - FIRST_WORD + 1
        rarity = np.log(np.maximum(rank, 1)) / np.log(max(len(self._vocabulary), 2))
        weights: Floats = (0.5 + 0.5 * np.where(rank > 0, rarity, 0.5)).astype(np.float32)
        return weights


def _is_content(piece: str) -> bool:
    special = piece.startswith("[") and len(piece) > 1
    return not special and piece not in STOP_WORDS and any(c.isalnum() for c in piece)


@dataclass(frozen=True, slots=True)
class Encoder:
    """The loaded model; several threads may use it at once."""

    session: OnnxSession
    pieces: WordPiece
    content_tokens: ContentTokens
    basis: TokenBasis

    def embedding(self, text: str) -> Embedding:
        """Return the vectors of a text."""
        ids, pooled, hidden = self._run(text)
        content = hidden[self.content_tokens.positions(ids)]
        return Embedding(pooled, pack_signs(self.basis.project(content)))

    def query(self, text: str) -> QueryEmbedding:
        """Return the vectors of a question."""
        ids, pooled, hidden = self._run(text)
        positions = self.content_tokens.positions(ids)
        weights = self.content_tokens.weights(ids)[positions]
        return QueryEmbedding(pooled, self.basis.project(hidden[positions]), weights)

    def _run(self, text: str) -> tuple[NDArray[np.int64], Floats, Floats]:
        ids = np.array(self.pieces.ids(text), np.int64)
        return ids, *self.session.run(ids)


def load_encoder(folder: Path) -> Encoder:
    """Load MiniLM from its folder."""
    vocabulary = read_vocabulary(folder)
    loaded = load_session(verified_path(folder, MODEL))
    return Encoder(
        loaded, WordPiece(vocabulary, MAX_TOKENS), ContentTokens(vocabulary), load_basis()
    )
