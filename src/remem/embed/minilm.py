"""The embedder all-MiniLM-L6-v2, which runs on this machine without a network.

numpy and onnxruntime are imported with the first text, because most commands need no vectors.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from remem.embed.model_files import MINILM, read_vocabulary
from remem.embed.wordpiece import mostly_latin
from remem.errors import EmbedderError
from remem.ports.models import Embedding, ModelIdentity, QueryEmbedding
from remem.text.language import FULL_SUPPORT, PARTIAL_SUPPORT, language_of

if TYPE_CHECKING:
    from remem.embed.quick import QuickEmbedder
    from remem.embed.token_vectors import Encoder


_SUPPORTED: Final = ("en", "")
"""The empty string stands for a text whose language is unclear; it counts as English."""
_PARTIALLY_SUPPORTED: Final = frozenset("da de es fr it nl pl pt sv tr".split())
"""Languages in Latin script, in which the model knows names and loanwords."""


class MiniLM:
    """The model in `folder` (see fetch.py), loaded with the first text.

    Each text runs alone, so that its vector does not depend on what else is embedded.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._encoder: Encoder | None = None
        self._closed = False
        self._quick: tuple[QuickEmbedder | None] | None = None

    @property
    def identity(self) -> ModelIdentity:
        from remem.embed.token_vectors import AXES, DIMENSION, basis

        quantisation = f"int8-{MINILM.build}+{AXES}x1bit-{basis().version}"
        return ModelIdentity(MINILM.name, DIMENSION, quantisation)

    def language_support(self, text: str) -> int:
        """English is supported; for other scripts the model is worse than no model at all."""
        language = language_of(text)
        if language in _SUPPORTED and mostly_latin(text):
            return FULL_SUPPORT
        return PARTIAL_SUPPORT if language in _PARTIALLY_SUPPORTED else 0

    def knows(self, word: str) -> bool:
        return word.casefold() in self._words

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        return [self._loaded().embedding(text) for text in texts]

    def embed_quickly(self, texts: Sequence[str]) -> list[Embedding] | None:
        from remem.embed.quick import load_quick

        with self._lock:
            if self._quick is None:
                self._quick = (load_quick(self._folder),)
            (quick,) = self._quick
        return quick.embed(texts) if quick else None

    def embed_query(self, text: str) -> QueryEmbedding:
        return self._loaded().query(text)

    def close(self) -> None:
        with self._lock:
            self._closed, self._encoder, self._quick = True, None, (None,)

    @cached_property
    def _words(self) -> frozenset[str]:
        """The vocabulary, read without loading the model: checking a spelling should be fast."""
        return frozenset(read_vocabulary(self._folder))

    def _loaded(self) -> Encoder:
        with self._lock:
            if self._closed:
                raise EmbedderError(f"{MINILM.name} was closed")
            if self._encoder is None:
                from remem.embed.token_vectors import load_encoder

                self._encoder = load_encoder(self._folder)
            return self._encoder
