"""Fit src/remem/embed/basis.npy: the 128 axes on which tokens differ most.

    python scripts/fit_basis.py MODEL_FOLDER

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
from remem.embed.runtime import load_session
from remem.embed.token_vectors import AXES, BASIS, MAX_TOKENS, ContentTokens
from remem.embed.wordpiece import WordPiece

SENTENCES: Final = 12_000


def main(folder: Path) -> None:
    vectors = token_vectors(folder, sentences(SENTENCES))
    mean, axes, share = principal_axes(vectors)
    np.save(BASIS, np.vstack([mean, axes]).astype(np.float16))
    print(f"{SENTENCES} sentences, {len(vectors)} tokens")
    print(f"{AXES} axes hold {share:.1%} of the variance")
    print(f"{BASIS.name}: {BASIS.stat().st_size} bytes")


def token_vectors(folder: Path, texts: list[str]) -> NDArray[np.float64]:
    """The unit vectors of every content token."""
    vocabulary = verified_path(folder, VOCABULARY).read_text(encoding="utf-8").splitlines()
    pieces, content = WordPiece(vocabulary, MAX_TOKENS), ContentTokens(vocabulary)
    model = load_session(verified_path(folder, MODEL))
    rows: list[NDArray[np.float32]] = []
    for text in texts:
        ids = np.array(pieces.ids(text), np.int64)
        rows.append(model.run(ids)[1][content.positions(ids)])
    vectors = np.concatenate(rows).astype(np.float64)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def principal_axes(
    vectors: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """The mean, the axes of largest variance, and the share of it that they hold."""
    mean = vectors.mean(axis=0)
    variances, columns = np.linalg.eigh(np.cov((vectors - mean).T))
    axes = columns.T[::-1][:AXES]
    # An axis has no direction of its own: the largest entry is made positive.
    signs = np.sign(axes[np.arange(AXES), np.abs(axes).argmax(axis=1)])
    return mean, axes * signs[:, None], float(variances[-AXES:].sum() / variances.sum())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="MODEL_FOLDER")
    main(parser.parse_args().folder)
