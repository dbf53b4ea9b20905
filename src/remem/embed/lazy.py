"""Embedders that wrap another one: loaded on first use, or guarded against use under a lock.

Most commands never need a vector, and an embedder is slow: everyone else would wait for the lock.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from remem.ports.models import Embedder, Embedding, ModelIdentity, QueryEmbedding


class GuardedEmbedder:
    """An embedder that refuses to work while this thread holds a lock, as `holds_lock()` says.

    That is a bug, never a mistake of the user: hence not a RememError, which a caller could
    take for an embedder that is down.
    """

    def __init__(self, embedder: Embedder, holds_lock: Callable[[], bool]) -> None:
        self._embedder = embedder
        self._holds_lock = holds_lock
        self._identity: ModelIdentity | None = None

    @property
    def identity(self) -> ModelIdentity:
        if self._identity is None:
            self._check()  # an endpoint may have to ask its server, once
            self._identity = self._embedder.identity
        return self._identity

    def language_support(self, text: str) -> int:
        return self._embedder.language_support(text)

    def knows(self, word: str) -> bool:
        return self._embedder.knows(word)

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        self._check()
        return self._embedder.embed(texts)

    def embed_quickly(self, texts: Sequence[str]) -> list[Embedding] | None:
        self._check()
        return self._embedder.embed_quickly(texts)

    def embed_query(self, text: str) -> QueryEmbedding:
        self._check()
        return self._embedder.embed_query(text)

    def close(self) -> None:
        self._embedder.close()

    def _check(self) -> None:
        if self._holds_lock():
            raise RuntimeError("an embedder was called inside a store's lock or transaction")


class LazyEmbedder:
    """An embedder that is loaded on first use."""

    def __init__(self, load: Callable[[], Embedder]) -> None:
        self._load = load
        self._loaded: Embedder | None = None
        self._lock = threading.Lock()

    @property
    def identity(self) -> ModelIdentity:
        return self._embedder().identity

    def language_support(self, text: str) -> int:
        return self._embedder().language_support(text)

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
            if self._loaded is not None:
                self._loaded.close()

    def _embedder(self) -> Embedder:
        with self._lock:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded


def lazy_minilm(folder: Path) -> LazyEmbedder:
    """Return MiniLM; numpy and onnxruntime are imported when it is loaded."""

    def load() -> Embedder:
        from remem.embed.minilm import MiniLM

        return MiniLM(folder)

    return LazyEmbedder(load)


def lazy_multilingual(folder: Path) -> LazyEmbedder:
    """Return the multilingual model."""

    def load() -> Embedder:
        from remem.embed.multilingual import Multilingual

        return Multilingual(folder)

    return LazyEmbedder(load)
