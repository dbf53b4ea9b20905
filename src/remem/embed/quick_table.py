"""Build the table of quick vectors, with one row for each piece of the model's vocabulary.

A row starts as the vector that the model gives to the piece alone. It is shifted to where the
vectors of whole texts lie (`shift.npy`, fitted by scripts/fit_quick.py), and scaled down if the
piece is frequent, because frequent pieces carry little meaning. The quick vector of a text is the
sum of the rows of its pieces.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np

from remem.embed.convert.bert_graph import quantize_rows
from remem.embed.runtime import OnnxSession
from remem.embed.token_vectors import AXES, DIMENSION, FIRST_WORD, load_basis, pack_signs
from remem.embed.wordpiece import END, START
from remem.ports.models import Bytes, Floats

SHIFT: Final = Path(__file__).with_name("shift.npy")
ROW: Final = np.dtype(
    [("row", "i1", (DIMENSION,)), ("scale", "<f4"), ("token", "u1", (AXES // 8,))]
)

_INT8_MAX: Final = 127
_CHUNK_SIZE: Final = 1000
_HALF_WEIGHT_SHARE: Final = 0.01
"""A piece that makes up this share of all text has half the maximum weight."""
_ZIPF_FACTOR: Final = 11.0
"""The logarithm of the number of words, by which Zipf's law estimates how frequent a word is: the
word of rank r makes up 1 / (r * log(number of words)) of all text."""
_DEFAULT_SHARE: Final = 0.01
"""The assumed share of pieces without a rank, which are single letters and punctuation."""
_UNKNOWN_WEIGHT: Final = 1e-3


def build_table(
    session: OnnxSession, vocabulary: Sequence[str], progress: Callable[[int, int], None]
) -> bytes:
    """Return the table as the bytes of a .npy file."""
    vectors, tokens = piece_vectors(session, vocabulary, progress)
    mean, text_mean, stretch = load_shift()
    weights = piece_weights(vocabulary)[:, None]
    rows = weights * ((vectors - mean) * stretch + text_mean)
    # An unknown word has no meaning, but a text that consists of such words still needs a vector.
    rows = np.where(weights > 0, rows, _UNKNOWN_WEIGHT * text_mean)
    table = np.zeros(len(vocabulary), ROW)
    table["row"], scale = quantize_rows(rows, _INT8_MAX)
    table["scale"] = scale[:, 0]
    table["token"] = tokens
    file = io.BytesIO()
    np.save(file, table, allow_pickle=False)
    return file.getvalue()


def piece_weights(vocabulary: Sequence[str]) -> Floats:
    """Return the weight of each piece; it is zero for the model's control tokens."""
    rank = np.maximum(np.arange(len(vocabulary)) - FIRST_WORD + 1, 0)
    share = np.where(rank > 0, 1 / (_ZIPF_FACTOR * np.maximum(rank, 1)), _DEFAULT_SHARE)
    control = [piece.startswith("[") and len(piece) > 1 for piece in vocabulary]
    weights: Floats = np.where(
        control, 0, _HALF_WEIGHT_SHARE / (_HALF_WEIGHT_SHARE + share)
    ).astype(np.float32)
    return weights


def load_shift() -> tuple[Floats, Floats, float]:
    """Return the mean vectors of pieces and of texts, and the ratio of their spreads."""
    rows = np.load(SHIFT, allow_pickle=False).astype(np.float32)
    return rows[0], rows[1], float(rows[2, 0])


def piece_vectors(
    session: OnnxSession, vocabulary: Sequence[str], progress: Callable[[int, int], None]
) -> tuple[Floats, Bytes]:
    """Return the vectors of each piece as a text of its own: the pooled and the token vectors."""
    from concurrent.futures import ThreadPoolExecutor

    ids = {piece: number for number, piece in enumerate(vocabulary)}
    run = partial(_run_piece, session, ids[START], ids[END])
    pooled = np.empty((len(vocabulary), DIMENSION), np.float32)
    tokens = np.empty((len(vocabulary), AXES // 8), np.uint8)
    with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
        for start in range(0, len(vocabulary), _CHUNK_SIZE):
            results = list(pool.map(run, range(start, min(start + _CHUNK_SIZE, len(vocabulary)))))
            part = slice(start, start + len(results))
            pooled[part] = [result[0] for result in results]
            tokens[part] = pack_signs(
                load_basis().project(np.stack([result[1] for result in results]))
            )
            progress(part.stop, len(vocabulary))
    return pooled, tokens


def _run_piece(session: OnnxSession, start: int, end: int, piece: int) -> tuple[Floats, Floats]:
    pooled, tokens = session.run(np.array([start, piece, end], np.int64))
    return pooled, tokens[1]
