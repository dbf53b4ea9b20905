"""Was this text encoded before? Vectors on disk, by text and model, for repeated measurements.

Encoding is most of the time that a measurement of quality takes, and no part of what it
measures.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import apsw
import numpy as np

from bench.measured_model import MeasuredModel
from remem.ports.models import Embedder, Embedding

_AT_ONCE: Final = 64
_TABLE: Final = """CREATE TABLE IF NOT EXISTS vectors (
    text BLOB PRIMARY KEY, pooled BLOB NOT NULL, tokens BLOB, width INTEGER) WITHOUT ROWID"""


class CachedVectors(MeasuredModel):
    """An embedder that encodes each text once, for all runs that share its folder."""

    def __init__(self, real: Embedder, folder: Path) -> None:
        super().__init__(real)
        folder.mkdir(parents=True, exist_ok=True)
        mark = hashlib.sha256(str(real.identity).encode()).hexdigest()[:16]
        self._connection = apsw.Connection(str(folder / f"vectors-{mark}.db"))
        self._connection.set_busy_timeout(60_000)
        list(self._connection.execute("PRAGMA journal_mode=WAL"))
        self._connection.execute(_TABLE)

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        keys = [hashlib.sha256(text.encode()).digest() for text in texts]
        known = {key: each for key in keys if (each := self._look_up(key)) is not None}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        for start in range(0, len(missing), _AT_ONCE):
            some = list(missing.items())[start : start + _AT_ONCE]
            made = self._real.embed([text for _, text in some])
            self._keep([(key, each) for (key, _), each in zip(some, made, strict=True)])
            known |= {key: each for (key, _), each in zip(some, made, strict=True)}
        return [known[key] for key in keys]

    def _look_up(self, key: bytes) -> Embedding | None:
        found = self._connection.execute(
            "SELECT pooled, tokens, width FROM vectors WHERE text = ?", [key]
        )
        row = next(iter(found), None)
        if row is None:
            return None
        pooled, tokens, width = row
        rows = np.frombuffer(tokens, np.uint8).reshape(-1, width) if width else None
        return Embedding(np.frombuffer(pooled, np.float32), rows)

    def _keep(self, made: Sequence[tuple[bytes, Embedding]]) -> None:
        rows = [
            (
                key,
                each.pooled.astype(np.float32).tobytes(),
                None if each.tokens is None else each.tokens.tobytes(),
                None if each.tokens is None else each.tokens.shape[1],
            )
            for key, each in made
        ]
        with self._connection:
            self._connection.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?, ?, ?)", rows)
