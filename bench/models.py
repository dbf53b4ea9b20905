"""Embedders for measurements: a cached one, and one with quick vectors only."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import apsw
import numpy as np

from remem.errors import EmbedderError
from remem.ports.models import Embedder, Embedding, ModelIdentity, QueryEmbedding

_BATCH_SIZE: Final = 64
_TABLE: Final = """CREATE TABLE IF NOT EXISTS vectors (
    text BLOB PRIMARY KEY, pooled BLOB NOT NULL, tokens BLOB, width INTEGER) WITHOUT ROWID"""


class MeasuredModel:
    """Passes everything on to the real model; subclasses change what a measurement needs."""

    def __init__(self, real: Embedder) -> None:
        self._real = real

    @property
    def identity(self) -> ModelIdentity:
        return self._real.identity

    def language_support(self, text: str) -> int:
        return self._real.language_support(text)

    def knows(self, word: str) -> bool:
        return self._real.knows(word)

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        return self._real.embed(texts)

    def embed_quickly(self, texts: Sequence[str]) -> list[Embedding] | None:
        return self._real.embed_quickly(texts)

    def embed_query(self, text: str) -> QueryEmbedding:
        """Never cached, so that the measured times are real."""
        return self._real.embed_query(text)

    def close(self) -> None:
        """Stay open: one run opens many workspaces with the same model."""


class QuickOnly(MeasuredModel):
    """Texts keep their quick vectors, as right after an import; questions are embedded fully."""

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        vectors = self._real.embed_quickly(texts)
        if vectors is None:
            raise EmbedderError(
                f"{self._real.identity.name} has no quick vectors",
                hint="run `remem models fetch minilm`",
            )
        return vectors

    def embed_quickly(self, texts: Sequence[str]) -> None:
        """`embed` makes quick vectors already."""


class CachedVectors(MeasuredModel):
    """Embeds each text once, for all runs that share a folder.

    Embedding takes most of the time of a quality measurement, and is not part of what it measures.
    """

    def __init__(self, real: Embedder, folder: Path) -> None:
        super().__init__(real)
        folder.mkdir(parents=True, exist_ok=True)
        digest = hashlib.sha256(str(real.identity).encode()).hexdigest()[:16]
        self._connection = apsw.Connection(str(folder / f"vectors-{digest}.db"))
        self._connection.set_busy_timeout(60_000)
        list(self._connection.execute("PRAGMA journal_mode=WAL"))
        self._connection.execute(_TABLE)

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        keys = [hashlib.sha256(text.encode()).digest() for text in texts]
        known = {key: vector for key in keys if (vector := self._look_up(key)) is not None}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        for start in range(0, len(missing), _BATCH_SIZE):
            batch = list(missing.items())[start : start + _BATCH_SIZE]
            vectors = self._real.embed([text for _, text in batch])
            new = {key: vector for (key, _), vector in zip(batch, vectors, strict=True)}
            self._save(new)
            known |= new
        return [known[key] for key in keys]

    def _look_up(self, key: bytes) -> Embedding | None:
        found = self._connection.execute(
            "SELECT pooled, tokens, width FROM vectors WHERE text = ?", [key]
        )
        row = next(iter(found), None)
        if row is None:
            return None
        pooled, tokens, width = row
        token_rows = np.frombuffer(tokens, np.uint8).reshape(-1, width) if width else None
        return Embedding(np.frombuffer(pooled, np.float32), token_rows)

    def _save(self, vectors: dict[bytes, Embedding]) -> None:
        rows = [
            (
                key,
                vector.pooled.astype(np.float32).tobytes(),
                None if vector.tokens is None else vector.tokens.tobytes(),
                None if vector.tokens is None else vector.tokens.shape[1],
            )
            for key, vector in vectors.items()
        ]
        with self._connection:
            self._connection.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?, ?, ?)", rows)
