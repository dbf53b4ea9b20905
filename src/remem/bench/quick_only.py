"""What do quick vectors alone find? As right after an import, before the model has read a text."""

from __future__ import annotations

from collections.abc import Sequence

from remem.errors import EmbedderError
from remem.ports import Embedder, Embedding, ModelIdentity, QueryEmbedding


class QuickOnly:
    """Every text keeps its quick vector; questions are the model's own."""

    def __init__(self, real: Embedder) -> None:
        self._real = real

    @property
    def identity(self) -> ModelIdentity:
        return self._real.identity

    def reads(self, text: str) -> int:
        return self._real.reads(text)

    def knows(self, word: str) -> bool:
        return self._real.knows(word)

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        made = self._real.embed_quickly(texts)
        if made is None:
            raise EmbedderError(
                f"{self._real.identity.name} has no quick vectors",
                hint="run `remem models fetch minilm`",
            )
        return made

    def embed_quickly(self, texts: Sequence[str]) -> None:
        """Those that `embed` makes are quick."""

    def embed_query(self, text: str) -> QueryEmbedding:
        return self._real.embed_query(text)

    def close(self) -> None:
        """Stays open: many workspaces are measured with one model."""
