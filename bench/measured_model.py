"""What do all models under measurement do alike? They ask the real one, and stay open."""

from __future__ import annotations

from collections.abc import Sequence

from remem.ports.models import Embedder, Embedding, ModelIdentity, QueryEmbedding


class MeasuredModel:
    """A model around the real one; what a measurement changes of it, a subclass says."""

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
        """Always encoded, so that times are true."""
        return self._real.embed_query(text)

    def close(self) -> None:
        """Stays open: one run opens many workspaces with it."""
