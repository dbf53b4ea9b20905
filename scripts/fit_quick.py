"""Fit src/remem/embed/shift.npy, which maps sums of word vectors to vectors of whole texts.

    python scripts/fit_quick.py MODEL_FOLDER

The text is made by basis_text.py; the same model gives the same file, up to rounding.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

import numpy as np
from basis_text import sentences
from numpy.typing import NDArray

from remem.embed.model_files import MODEL, VOCABULARY, verified_path
from remem.embed.quick_table import SHIFT, piece_vectors, piece_weights
from remem.embed.runtime import load_session
from remem.embed.token_vectors import DIMENSION, MAX_TOKENS
from remem.embed.wordpiece import WordPiece

SENTENCES: Final = 600


def main(folder: Path) -> None:
    vocabulary = verified_path(folder, VOCABULARY).read_text(encoding="utf-8").splitlines()
    model, pieces = load_session(verified_path(folder, MODEL)), WordPiece(vocabulary, MAX_TOKENS)
    alone, _ = piece_vectors(model, vocabulary, lambda _done, _of: None)
    counts, texts = piece_weights(vocabulary), sentences(SENTENCES)
    whole = np.stack([model.run(np.array(pieces.ids(text), np.int64))[0] for text in texts])
    ids = [np.array(pieces.pieces(text)) for text in texts]
    sums = np.stack([np.average(alone[row], axis=0, weights=counts[row]) for row in ids])
    stretch = spread(whole) / spread(sums)
    rows = np.vstack([sums.mean(axis=0), whole.mean(axis=0), np.full(DIMENSION, stretch)])
    np.save(SHIFT, rows.astype(np.float16))
    print(f"{SENTENCES} sentences; whole texts spread {stretch:.2f} times as wide as sums")


def spread(vectors: NDArray[np.float32]) -> float:
    return float(np.linalg.norm(vectors - vectors.mean(axis=0), axis=1).mean())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="MODEL_FOLDER")
    main(parser.parse_args().folder)
