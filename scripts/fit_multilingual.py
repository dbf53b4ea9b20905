"""Fit src/remem/embed/multilingual.npy: what multilingual-e5-small needs besides its weights.

    python scripts/fit_multilingual.py MODEL_FOLDER

- the centre of its vectors: the mean of English sentences and of those in other languages;
- the axes along which the vectors of the same sentences in eleven languages differ;
- the mean of its token vectors and the 128 axes on which they differ most;
- the linear functions that make quick vectors and quick tokens from the table of words.

The text is made by basis_text.py and from words of the vocabulary; the same model gives the same
file, up to rounding.
"""

from __future__ import annotations

import argparse
import random
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
from basis_text import multilingual_sentences, parallel_sentences, sentences
from fit_basis import principal_axes
from numpy.typing import NDArray

from remem.embed.e5_encoder import (
    FITTED_FILE,
    LANGUAGE_AXES,
    PASSAGE,
    QUERY,
    E5Encoder,
    load_encoder,
    with_ones_column,
    without_axes,
)
from remem.embed.model_files import PIECES
from remem.embed.token_vectors import AXES, unit
from remem.embed.unigram import WORD_START
from remem.embed.word_table import DIMENSION

SENTENCES: Final = 1500
PER_LANGUAGE: Final = 160
RANDOM_TEXTS: Final = 6000
RIDGE: Final = 0.01
_WITHOUT_SPACES: Final = ("CJK", "HIRAGANA", "KATAKANA", "THAI")

Matrix = NDArray[np.float32]


class Encoded:
    """Texts with their vectors, their token vectors, and the words that these come from."""

    def __init__(self, encoder: E5Encoder, texts: Sequence[str]) -> None:
        pooled, sums, tokens, words = [], [], [], []
        for text in texts:
            ids, vector, hidden = encoder.run(PASSAGE, text)
            positions = encoder.content(PASSAGE, text, ids)
            inner = ids[3:-1]  # without the start, the prefix and the end
            weights = encoder.piece_weights(inner)[:, None]
            pooled.append(vector)
            sums.append((encoder.piece_vectors(inner) * weights).sum(axis=0) / weights.sum())
            tokens.append(unit(hidden[positions]))
            words.append(encoder.piece_vectors(ids[positions]))
        self.pooled, self.sums = np.stack(pooled), np.stack(sums)
        self.tokens, self.words = np.concatenate(tokens), np.concatenate(words)


def main(folder: Path) -> None:
    encoder = load_encoder(folder)
    english = Encoded(encoder, sentences(SENTENCES))
    others = Encoded(encoder, multilingual_sentences(SENTENCES))
    pieces = (folder / PIECES).read_text(encoding="utf-8").split("\n")
    mixed = Encoded(encoder, random_texts(pieces, RANDOM_TEXTS))

    centre = (english.pooled.mean(axis=0) + others.pooled.mean(axis=0)) / 2
    languages = language_axes(encoder)
    written = np.concatenate([english.tokens, others.tokens]).astype(np.float64)
    mean, axes, share = principal_axes(written)
    every = (english, others, mixed)
    pooled = unit(without_axes(np.concatenate([part.pooled for part in every]) - centre, languages))
    tokens = unit((np.concatenate([part.tokens for part in every]) - mean) @ axes.T)
    quick = np.hstack(
        [
            linear_map(np.concatenate([part.sums for part in every]), pooled),
            linear_map(np.concatenate([part.words for part in every]), tokens),
        ]
    )
    narrow = np.vstack([centre, languages, mean, axes])
    rows = np.zeros((len(narrow) + len(quick), DIMENSION + AXES), np.float16)
    rows[: len(narrow), :DIMENSION] = narrow
    rows[len(narrow) :] = quick
    np.save(FITTED_FILE, rows)
    print(f"{len(written)} tokens; {AXES} axes hold {share:.1%} of the variance")
    print(f"{FITTED_FILE.name}: {FITTED_FILE.stat().st_size} bytes")


def language_axes(encoder: E5Encoder) -> Matrix:
    """The axes along which the means of the same sentences in several languages differ."""
    offsets = []
    for prefix in (PASSAGE, QUERY):
        means = np.stack(
            [
                np.mean([encoder.run(prefix, text)[1] for text in texts], axis=0)
                for texts in parallel_sentences(PER_LANGUAGE).values()
            ]
        )
        offsets.append(means - means.mean(axis=0))
    axes: Matrix = np.linalg.svd(np.concatenate(offsets), full_matrices=False)[2][:LANGUAGE_AXES]
    return axes


def linear_map(inputs: Matrix, outputs: Matrix) -> Matrix:
    """Fit outputs ≈ (inputs, 1) @ map by ridge regression."""
    extended = with_ones_column(inputs).astype(np.float64)
    products = extended.T @ extended
    penalty = RIDGE * np.trace(products) / len(products) * np.eye(len(products))
    solution: Matrix = np.linalg.solve(products + penalty, extended.T @ outputs).astype(np.float32)
    return solution


def random_texts(pieces: Sequence[str], count: int, seed: int = 3) -> list[str]:
    """Texts of random words of the vocabulary, each in one script."""
    chance = random.Random(seed)
    scripts: dict[str, list[str]] = {}
    for piece in pieces[4:-2]:
        if (piece.startswith(WORD_START) and len(piece) > 2) or not piece.isascii():
            last = piece[-1]
            if last.isalpha():
                script = unicodedata.name(last, "").split(" ")[0]
                scripts.setdefault(script, []).append(piece.strip(WORD_START))
    names = [name for name, words in scripts.items() if len(words) > 300]
    shares = [len(scripts[name]) ** 0.5 for name in names]
    texts = []
    for _ in range(count):
        name = chance.choices(names, shares)[0]
        space = "" if name in _WITHOUT_SPACES else " "
        texts.append(space.join(chance.choices(scripts[name], k=chance.randint(4, 12))))
    return texts


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="MODEL_FOLDER")
    main(parser.parse_args().folder)
