"""When is a model loaded? When somebody first asks for a vector: most commands never do."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from remem.ports import Embedder, Embedding, ModelIdentity, QueryEmbedding


class Lazily:
    """An embedder that is made on first use."""

    def __init__(self, make: Callable[[], Embedder]) -> None:
        self._make = make
        self._made: Embedder | None = None
        self._lock = threading.Lock()

    @property
    def identity(self) -> ModelIdentity:
        return self._embedder().identity

    def reads(self, text: str) -> int:
        return self._embedder().reads(text)

    def knows(self, word: str) -> bool:
        return self._embedder().knows(word)

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        return self._embedder().embed(texts)

    def embed_quickly(self, texts: Sequence[str]) -> list[Embedding] | None:
        return self._embedder().embed_quickly(texts)

    def embed_query(self, text: str) -> QueryEmbedding:
        return self._embedder().embed_query(text)

    def close(self) -> None:
        with self._lock:
            if self._made is not None:
                self._made.close()

    def _embedder(self) -> Embedder:
        with self._lock:
            if self._made is None:
                self._made = self._make()
            return self._made


def minilm_in(folder: Path) -> Lazily:
    """The local model; its arithmetic and its runtime come with it."""

    def load() -> Embedder:
        from remem.embedders.minilm import MiniLM

        return MiniLM(folder)

    return Lazily(load)


def multilingual_in(folder: Path) -> Lazily:
    """The model of many languages."""

    def load() -> Embedder:
        from remem.embedders.multilingual import Multilingual

        return Multilingual(folder)

    return Lazily(load)
