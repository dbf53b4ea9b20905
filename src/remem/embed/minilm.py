"""The embedder all-MiniLM-L6-v2, which runs on this machine and needs no network.

numpy and onnxruntime are imported with the first text, because most commands need no vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from remem.embed.model_files import MINILM, LazyPart, read_vocabulary
from remem.ports.models import Embedding, ModelIdentity, QueryEmbedding
from remem.text.language import FULL_SUPPORT, PARTIAL_SUPPORT, language_of

if TYPE_CHECKING:
    from remem.embed.quick import QuickEmbedder
    from remem.embed.token_vectors import Encoder


_SUPPORTED: Final = ("en", "")
"""The empty string is an unclear language, which counts as English."""
_PARTIALLY_SUPPORTED: Final = frozenset("da de es fr it nl pl pt sv tr".split())
"""Languages in Latin script; the model knows the names and English words in such texts."""


class MiniLM:
    """The model in a folder that `fetch` has written; it is loaded with the first text.

    Each text is run separately, so that its vector does not depend on other texts.
    """

    def __init__(self, folder: Path) -> None:
        self._encoder = LazyPart(MINILM, lambda: _load_encoder(folder))
        self._quick = LazyPart(MINILM, lambda: _load_quick(folder))
        # The vocabulary is read without loading the model, so that checking a spelling is fast.
        self._words = LazyPart(MINILM, lambda: frozenset(read_vocabulary(folder)))

    @property
    def identity(self) -> ModelIdentity:
        return MINILM.identity

    def language_support(self, text: str) -> int:
        """Return full support for English, partial for languages in Latin script, else none.

        For other scripts, no vectors at all are better than those of this model.
        """
        from remem.embed.wordpiece import mostly_latin

        language = language_of(text)
        if language in _SUPPORTED and mostly_latin(text):
            return FULL_SUPPORT
        return PARTIAL_SUPPORT if language in _PARTIALLY_SUPPORTED else 0

    def knows(self, word: str) -> bool:
        return word.casefold() in self._words()

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        with self._encoder.use() as encoder:
            return [encoder.embedding(text) for text in texts]

    def embed_quickly(self, texts: Sequence[str]) -> list[Embedding] | None:
        with self._quick.use() as quick:
            return quick.embed(texts) if quick else None

    def embed_query(self, text: str) -> QueryEmbedding:
        with self._encoder.use() as encoder:
            return encoder.query(text)

    def close(self) -> None:
        for part in (self._encoder, self._quick, self._words):
            part.close()


def _load_encoder(folder: Path) -> Encoder:
    from remem.embed.token_vectors import load_encoder

    return load_encoder(folder)


def _load_quick(folder: Path) -> QuickEmbedder | None:
    from remem.embed.quick import load_quick

    return load_quick(folder)
