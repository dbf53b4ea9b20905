"""What does each piece of the vocabulary mean by itself? The model is asked once, for all of them.

A row is the model's vector of the piece alone, moved to where the model's vectors of whole texts
lie (`shift.npy`, fitted by scripts/fit_quick.py) and made smaller for a frequent piece, which
tells little. A text's vector is then no more than the sum of its rows.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np

from remem.embed.convert.bert_graph import in_rows
from remem.embed.minilm import DIMENSION
from remem.embed.runtime import Session
from remem.embed.token_vectors import AXES, FIRST_WORD, basis, packed
from remem.embed.wordpiece import END, START
from remem.ports.models import Bytes, Floats

SHIFT: Final = Path(__file__).with_name("shift.npy")
ROW: Final = np.dtype(
    [("row", "i1", (DIMENSION,)), ("scale", "<f4"), ("token", "u1", (AXES // 8,))]
)

_TOP: Final = 127
_CHUNK: Final = 1000
_COMMON: Final = 0.01
"""A piece that is so large a part of all text counts for half."""
_PARTS: Final = 11.0
"""By Zipf's law the word of rank r is one word in r times the logarithm of their number."""
_OTHER: Final = 0.01
"""How often a piece is taken to occur that has no rank: single letters, marks."""
_HARDLY: Final = 1e-3


def table(
    session: Session, vocabulary: Sequence[str], progress: Callable[[int, int], None]
) -> bytes:
    """The file that holds a row of each piece."""
    alone, tokens = alone_of(session, vocabulary, progress)
    mean, text_mean, stretch = shift()
    counts = worth(vocabulary)[:, None]
    rows = counts * ((alone - mean) * stretch + text_mean)
    # An unknown word says that there is a text, and no more.
    rows = np.where(counts > 0, rows, _HARDLY * text_mean)
    made = np.zeros(len(vocabulary), ROW)
    made["row"], scale = in_rows(rows, _TOP)
    made["scale"] = scale[:, 0]
    made["token"] = tokens
    file = io.BytesIO()
    np.save(file, made, allow_pickle=False)
    return file.getvalue()


def worth(vocabulary: Sequence[str]) -> Floats:
    """What each piece counts; the model's control tokens nothing."""
    rank = np.maximum(np.arange(len(vocabulary)) - FIRST_WORD + 1, 0)
    share = np.where(rank > 0, 1 / (_PARTS * np.maximum(rank, 1)), _OTHER)
    control = [piece.startswith("[") and len(piece) > 1 for piece in vocabulary]
    counts: Floats = np.where(control, 0, _COMMON / (_COMMON + share)).astype(np.float32)
    return counts


def shift() -> tuple[Floats, Floats, float]:
    """The mean of summed pieces, the mean of whole texts, and how much wider those spread."""
    rows = np.load(SHIFT, allow_pickle=False).astype(np.float32)
    return rows[0], rows[1], float(rows[2, 0])


def alone_of(
    session: Session, vocabulary: Sequence[str], progress: Callable[[int, int], None]
) -> tuple[Floats, Bytes]:
    """The vector of each piece as a text of its own, and the bits of its token."""
    from concurrent.futures import ThreadPoolExecutor

    of = {piece: number for number, piece in enumerate(vocabulary)}
    ask = partial(_asked, session, of[START], of[END])
    pooled = np.empty((len(vocabulary), DIMENSION), np.float32)
    tokens = np.empty((len(vocabulary), AXES // 8), np.uint8)
    with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
        for start in range(0, len(vocabulary), _CHUNK):
            answers = list(pool.map(ask, range(start, min(start + _CHUNK, len(vocabulary)))))
            part = slice(start, start + len(answers))
            pooled[part] = [answer[0] for answer in answers]
            tokens[part] = packed(basis().project(np.stack([answer[1] for answer in answers])))
            progress(part.stop, len(vocabulary))
    return pooled, tokens


def _asked(session: Session, start: int, end: int, piece: int) -> tuple[Floats, Floats]:
    pooled, tokens = session.run(np.array([start, piece, end], np.int64))
    return pooled, tokens[1]
