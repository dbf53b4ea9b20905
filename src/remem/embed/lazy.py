"""When is a model loaded? When somebody first asks for a vector: most commands never do.

Is an embedder called while a lock is held? It is slow, and everyone else would wait.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from remem.ports.models import Embedder, Embedding, ModelIdentity, QueryEmbedding


class Guarded:
    """An embedder that refuses to work while `held()` says that this thread holds a lock.

    That is a mistake of the program, never of its user: hence no RememError, which a caller
    could take for an embedder that is down.
    """

    def __init__(self, embedder: Embedder, held: Callable[[], bool]) -> None:
        self._embedder = embedder
        self._held = held
        self._identity: ModelIdentity | None = None

    @property
    def identity(self) -> ModelIdentity:
        if self._identity is None:
            self._check()  # an endpoint may have to ask its server, once
            self._identity = self._embedder.identity
        return self._identity

    def reads(self, text: str) -> int:
        return self._embedder.reads(text)

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
        if self._held():
            raise RuntimeError("an embedder was called inside a store's lock or transaction")


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
        from remem.embed.minilm import MiniLM

        return MiniLM(folder)

    return Lazily(load)


def multilingual_in(folder: Path) -> Lazily:
    """The model of many languages."""

    def load() -> Embedder:
        from remem.embed.multilingual import Multilingual

        return Multilingual(folder)

    return Lazily(load)
