"""What does a text mean, roughly and at once? The sum of its words, each as the model sees it
alone.

The table (made by quick_table.py) has a row for each piece of the vocabulary, in the model's own
space: a question that the model encoded can be compared with a text that it has not read yet.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from remem.embed.minilm import LONGEST
from remem.embed.model_files import QUICK, VOCABULARY, has, verified
from remem.embed.token_vectors import Telling
from remem.embed.wordpiece import UNKNOWN, WordPiece
from remem.ports.models import Embedding, Floats

_AT_ONCE: Final = 512
_NOTHING: Final = 1e-12


class Quick:
    """Makes tens of thousands of vectors a second, from the table in a model's folder."""

    def __init__(self, folder: Path) -> None:
        vocabulary = verified(folder, VOCABULARY).read_text(encoding="utf-8").splitlines()
        table = np.load(verified(folder, QUICK), mmap_mode="r", allow_pickle=False)
        self._pieces = WordPiece(vocabulary, LONGEST)
        self._unknown = vocabulary.index(UNKNOWN)
        self._rows, self._scales, self._tokens = table["row"], table["scale"], table["token"]
        telling = Telling(vocabulary)
        self._tells = np.zeros(len(vocabulary), np.bool_)
        self._tells[telling.places(np.arange(len(vocabulary)))] = True

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        made: list[Embedding] = []
        for start in range(0, len(texts), _AT_ONCE):
            made += self._embed([self._ids(text) for text in texts[start : start + _AT_ONCE]])
        return made

    def _ids(self, text: str) -> list[int]:
        """A text without a single letter is as good as an unknown word."""
        return self._pieces.pieces(text) or [self._unknown]

    def _embed(self, texts: Sequence[list[int]]) -> list[Embedding]:
        flat = np.array([piece for ids in texts for piece in ids], np.int64)
        used, places = np.unique(flat, return_inverse=True)
        rows = self._rows[used].astype(np.float32) * self._scales[used, None]
        ends = np.cumsum([len(ids) for ids in texts]).tolist()
        pooled = np.empty((len(texts), rows.shape[1]), np.float32)
        for i, (start, end) in enumerate(zip([0, *ends], ends, strict=False)):
            np.add.reduce(rows[places[start:end]], axis=0, out=pooled[i])
        tells = self._tells[flat]
        tokens = self._tokens[flat[tells]]
        kept = np.cumsum(tells)[np.array(ends) - 1].tolist()
        return [
            Embedding(vector, tokens[first:last])
            for vector, first, last in zip(_unit(pooled), [0, *kept], kept, strict=False)
        ]


def quick_in(folder: Path) -> Quick | None:
    """The table beside a model; a model that was fetched before there were any has none."""
    return Quick(folder) if has(folder, QUICK) else None


def _unit(rows: Floats) -> Floats:
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: Floats = rows / np.maximum(length, _NOTHING)
    return unit
