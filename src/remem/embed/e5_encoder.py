"""Encode texts with multilingual-e5-small: pooled vectors, and token vectors for late interaction.

The model expects the prefix "query: " or "passage: "; the token vectors of the prefix are not used.
A quick vector is a linear function of rows of the table of words; the model is not run.
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

from remem.embed.content_pieces import ContentPieces
from remem.embed.model_files import (
    MODEL,
    MULTILINGUAL,
    PIECES,
    SCORES,
    WORDS,
    verified_path,
)
from remem.embed.runtime import OnnxSession, load_session
from remem.embed.token_vectors import AXES, MAX_TOKENS, TokenBasis, pack_signs, unit
from remem.embed.unigram import Unigram
from remem.embed.word_table import DIMENSION, WordTable
from remem.ports.models import Embedding, Floats, QueryEmbedding

FITTED_FILE: Final = Path(__file__).with_name("multilingual.npy")
QUERY: Final = "query: "
PASSAGE: Final = "passage: "
COSINE_FACTOR: Final = 1.25
"""The factor for the vector of a question, because the model's cosines are smaller than MiniLM's: a
question and its answer have a cosine between 0.45 and 0.6."""
_QUICK_BATCH: Final = 256
_HALF_WEIGHT_SHARE: Final = 1e-3
"""In a quick vector, a piece that makes up this share of all text has half the maximum weight."""
LANGUAGE_AXES: Final = 10
_TOKEN_ROWS: Final = 1 + LANGUAGE_AXES
_QUICK_ROWS: Final = _TOKEN_ROWS + 1 + AXES


@dataclass(frozen=True, slots=True)
class FittedParameters:
    """The parameters that scripts/fit_multilingual.py has fitted.

    `centre` is the part that all pooled vectors have in common, and `languages` are the directions
    in which the vectors of translations differ. Both are removed from vectors, so that the language
    of a note hardly matters. `basis` is the space of token vectors. `quick` is the matrix that maps
    a row of the table of words, followed by a one, to a pooled vector and a token vector. `version`
    changes if any of them changes.
    """

    centre: Floats
    languages: Floats
    basis: TokenBasis
    quick: Floats
    version: str


@cache
def load_fitted() -> FittedParameters:
    """Return the fitted parameters; they are read once."""
    data = FITTED_FILE.read_bytes()
    rows = np.load(io.BytesIO(data), allow_pickle=False).astype(np.float32)
    version = hashlib.sha256(data).hexdigest()[:8]
    parts = rows[:_QUICK_ROWS, :DIMENSION]
    basis = TokenBasis(parts[_TOKEN_ROWS], parts[_TOKEN_ROWS + 1 :], version)
    return FittedParameters(parts[0], parts[1:_TOKEN_ROWS], basis, rows[_QUICK_ROWS:], version)


class E5Encoder:
    """The loaded model; several threads may use it at once."""

    def __init__(
        self,
        session: OnnxSession,
        words: WordTable,
        pieces: Sequence[str],
        scores: NDArray[np.float32],
    ) -> None:
        self._session = session
        self._words = words
        self._tokenizer = Unigram(pieces, scores.tolist(), MAX_TOKENS)
        self._content = ContentPieces(pieces)
        self._scores = scores
        # The number of pieces before the text itself: the start and the prefix.
        self._skipped = {
            prefix: 1 + len(self._tokenizer.pieces(prefix.strip())) for prefix in (QUERY, PASSAGE)
        }

    def embedding(self, text: str) -> Embedding:
        """Return the vectors of a text."""
        ids, pooled, hidden = self.run(PASSAGE, text)
        positions, _ = self._content.select(text, ids.tolist(), self._skipped[PASSAGE])
        tokens = pack_signs(load_fitted().basis.project(hidden[positions]))
        return Embedding(_centre(pooled[None])[0], tokens)

    def query(self, text: str) -> QueryEmbedding:
        """Return the vectors of a question."""
        ids, pooled, hidden = self.run(QUERY, text)
        positions, weights = self._content.select(text, ids.tolist(), self._skipped[QUERY])
        tokens = load_fitted().basis.project(hidden[positions])
        return QueryEmbedding(_centre(pooled[None])[0] * COSINE_FACTOR, tokens, weights)

    def run(self, prefix: str, text: str) -> tuple[NDArray[np.int64], Floats, Floats]:
        """Return the ids of a text's pieces, the model's pooled vector, and one row per piece."""
        ids = np.array(self._tokenizer.ids(prefix + text), np.int64)
        return ids, *self._session.run(self._words(ids))

    def knows(self, word: str) -> bool:
        """Return whether a word is a piece; frequent words are, and misspelled ones are not."""
        return any(
            self._tokenizer.is_piece(spelling) for spelling in (word, word.lower(), word.title())
        )

    def quick(self, texts: Sequence[str]) -> list[Embedding]:
        """Return the quick vectors of some texts."""
        embeddings: list[Embedding] = []
        for start in range(0, len(texts), _QUICK_BATCH):
            embeddings += self._quick(texts[start : start + _QUICK_BATCH])
        return embeddings

    def content(self, prefix: str, text: str, ids: NDArray[np.int64]) -> NDArray[np.intp]:
        """Return the positions of the content pieces of a text with a prefix."""
        return self._content.select(text, ids.tolist(), self._skipped[prefix])[0]

    def piece_weights(self, ids: NDArray[np.int64]) -> Floats:
        """Return the weight of each piece in a quick vector; frequent pieces weigh less."""
        share = np.exp(self._scores[np.minimum(ids, len(self._scores) - 1)])
        weights: Floats = (_HALF_WEIGHT_SHARE / (_HALF_WEIGHT_SHARE + share)).astype(np.float32)
        return weights

    def piece_vectors(self, ids: NDArray[np.int64]) -> Floats:
        """Return the rows of pieces in the table of words."""
        return self._words(ids)

    def _quick(self, texts: Sequence[str]) -> list[Embedding]:
        id_arrays = [np.array(self._tokenizer.ids(text), np.int64) for text in texts]
        used, inverse = np.unique(np.concatenate(id_arrays), return_inverse=True)
        rows = with_ones_column(self._words(used))
        weights = self.piece_weights(used)[:, None]
        packed = pack_signs(_products(rows, load_fitted().quick[:, DIMENSION:]))
        sums = np.empty((len(texts), rows.shape[1]), np.float32)
        tokens: list[NDArray[np.uint8]] = []
        start = 0
        for i, (text, ids) in enumerate(zip(texts, id_arrays, strict=True)):
            used_rows = inverse[start : start + len(ids)]
            start += len(ids)
            inner = used_rows[1:-1] if len(used_rows) > 2 else used_rows  # without start and end
            sums[i] = (rows[inner] * weights[inner]).sum(axis=0) / weights[inner].sum()
            positions, _ = self._content.select(text, ids.tolist(), 1)
            tokens.append(packed[used_rows[positions]])
        pooled = unit(_products(sums, load_fitted().quick[:, :DIMENSION]))
        return [Embedding(row, token) for row, token in zip(pooled, tokens, strict=True)]


def with_ones_column(rows: Floats) -> Floats:
    """Append a column of ones, for the constant part of a linear function."""
    extended: Floats = np.concatenate([rows, np.ones((len(rows), 1), np.float32)], axis=1)
    return extended


def _centre(pooled: NDArray[Any]) -> Floats:
    return unit(without_axes(pooled - load_fitted().centre, load_fitted().languages))


def without_axes(rows: NDArray[Any], axes: NDArray[Any]) -> NDArray[Any]:
    """Remove the parts of rows that lie along orthonormal axes."""
    remaining: NDArray[Any] = rows - (rows @ axes.T) @ axes
    return remaining


def _products(rows: Floats, matrix: Floats) -> Floats:
    """Multiply row by row, because larger products make numpy start threads that spin."""
    parts = [rows[start : start + 1] @ matrix for start in range(len(rows))]
    return np.concatenate(parts) if parts else np.empty((0, matrix.shape[1]), np.float32)


def load_encoder(folder: Path) -> E5Encoder:
    """Load the model from its folder."""

    def verify(name: str) -> Path:
        return verified_path(folder, name, MULTILINGUAL)

    return E5Encoder(
        load_session(verify(MODEL)),
        WordTable(verify(WORDS)),
        verify(PIECES).read_text(encoding="utf-8").split("\n"),
        np.load(verify(SCORES), allow_pickle=False),
    )
