"""Quick, approximate vectors: a text's vector is the sum of the vectors of its word pieces.

The table that quick_table.py builds has a row for each word piece of the vocabulary, in the model's
own vector space. So a question that the model has encoded can be compared with a text that it has
not encoded yet.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from remem.embed.model_files import QUICK_TABLE, is_listed, read_vocabulary, verified_path
from remem.embed.token_vectors import MAX_TOKENS, ContentTokens, unit
from remem.embed.wordpiece import UNKNOWN, WordPiece
from remem.ports.models import Embedding

_BATCH_SIZE: Final = 512


class QuickEmbedder:
    """Computes tens of thousands of vectors per second, from the table in a model's folder."""

    def __init__(self, folder: Path) -> None:
        vocabulary = read_vocabulary(folder)
        table = np.load(verified_path(folder, QUICK_TABLE), mmap_mode="r", allow_pickle=False)
        self._word_pieces = WordPiece(vocabulary, MAX_TOKENS)
        self._unknown = vocabulary.index(UNKNOWN)
        self._rows, self._scales, self._tokens = table["row"], table["scale"], table["token"]
        content_tokens = ContentTokens(vocabulary)
        self._has_content = np.zeros(len(vocabulary), np.bool_)
        self._has_content[content_tokens.positions(np.arange(len(vocabulary)))] = True

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        embeddings: list[Embedding] = []
        for start in range(0, len(texts), _BATCH_SIZE):
            embeddings += self._embed(
                [self._ids(text) for text in texts[start : start + _BATCH_SIZE]]
            )
        return embeddings

    def _ids(self, text: str) -> list[int]:
        """Return the ids of a text's pieces; a text without any counts as an unknown word."""
        return self._word_pieces.pieces(text) or [self._unknown]

    def _embed(self, texts: Sequence[list[int]]) -> list[Embedding]:
        """Embed texts that are given as the ids of their pieces."""
        flat = np.array([piece for ids in texts for piece in ids], np.int64)
        used, positions = np.unique(flat, return_inverse=True)
        rows = self._rows[used].astype(np.float32) * self._scales[used, None]
        ends = np.cumsum([len(ids) for ids in texts]).tolist()
        pooled = np.empty((len(texts), rows.shape[1]), np.float32)
        for i, (start, end) in enumerate(zip([0, *ends], ends, strict=False)):
            np.add.reduce(rows[positions[start:end]], axis=0, out=pooled[i])
        has_content = self._has_content[flat]
        tokens = self._tokens[flat[has_content]]
        content_ends = np.cumsum(has_content)[np.array(ends) - 1].tolist()
        return [
            Embedding(vector, tokens[first:last])
            for vector, first, last in zip(
                unit(pooled), [0, *content_ends], content_ends, strict=False
            )
        ]


def load_quick(folder: Path) -> QuickEmbedder | None:
    """Load the table of a model; None if an earlier version fetched the model without it."""
    return QuickEmbedder(folder) if is_listed(folder, QUICK_TABLE) else None
