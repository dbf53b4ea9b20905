"""all-MiniLM-L6-v2, running on this machine without a network."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from remem.embed.model_files import MINILM, MODEL, VOCABULARY, verified_path
from remem.embed.runtime import Session, session
from remem.embed.token_vectors import AXES, Basis, ContentTokens, basis, pack_signs
from remem.embed.wordpiece import WordPiece, mostly_latin
from remem.errors import EmbedderError
from remem.ports.models import Embedding, Floats, ModelIdentity, QueryEmbedding
from remem.text.language import FULL_SUPPORT, PARTIAL_SUPPORT, language_of

if TYPE_CHECKING:
    from remem.embed.quick import QuickEmbedder


DIMENSION: Final = 384
MAX_TOKENS: Final = 256
"""The length that the model was trained on."""


_SUPPORTED: Final = ("en", "")
"""A text of unclear language counts as English."""
_PARTIALLY_SUPPORTED: Final = frozenset("da de es fr it nl pl pt sv tr".split())
"""Languages in Latin script, in which the model knows names and loanwords."""


@dataclass(frozen=True, slots=True)
class _Model:
    session: Session
    pieces: WordPiece
    content_tokens: ContentTokens
    basis: Basis

    def run(self, text: str) -> tuple[NDArray[np.int64], Floats, Floats]:
        ids = np.array(self.pieces.ids(text), np.int64)
        return ids, *self.session.run(ids)

    def embedding(self, text: str) -> Embedding:
        ids, pooled, hidden = self.run(text)
        content = hidden[self.content_tokens.positions(ids)]
        return Embedding(pooled, pack_signs(self.basis.project(content)))

    def query(self, text: str) -> QueryEmbedding:
        ids, pooled, hidden = self.run(text)
        positions = self.content_tokens.positions(ids)
        weights = self.content_tokens.weights(ids)[positions]
        return QueryEmbedding(pooled, self.basis.project(hidden[positions]), weights)


class MiniLM:
    """The model in `folder` (see fetch.py), loaded with the first text.

    Each text runs alone, so that its vector does not depend on what else is embedded; `threads` is
    the number of texts of one `embed` that run at a time.
    """

    def __init__(self, folder: Path, *, threads: int = 1) -> None:
        self._folder = folder
        self._threads = threads
        self._lock = threading.Lock()
        self._model: _Model | None = None
        self._closed = False
        self._quick: tuple[QuickEmbedder | None] | None = None

    @property
    def identity(self) -> ModelIdentity:
        quantisation = f"int8-{MINILM.build}+{AXES}x1bit-{basis().mark}"
        return ModelIdentity(MINILM.name, DIMENSION, quantisation)

    def language_support(self, text: str) -> int:
        """It was trained on English; for other scripts it is worse than no model at all."""
        language = language_of(text)
        if language in _SUPPORTED and mostly_latin(text):
            return FULL_SUPPORT
        return PARTIAL_SUPPORT if language in _PARTIALLY_SUPPORTED else 0

    def knows(self, word: str) -> bool:
        return word.casefold() in self._words

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        if not texts:
            return []
        model = self._loaded_model()
        if self._threads == 1 or len(texts) == 1:
            return [model.embedding(text) for text in texts]
        from concurrent.futures import ThreadPoolExecutor  # not needed for a question

        with ThreadPoolExecutor(self._threads) as pool:
            return list(pool.map(model.embedding, texts))

    def embed_quickly(self, texts: Sequence[str]) -> list[Embedding] | None:
        from remem.embed.quick import load_quick  # most commands need no quick vectors

        with self._lock:
            if self._quick is None:
                self._quick = (load_quick(self._folder),)
            (quick,) = self._quick
        return quick.embed(texts) if quick else None

    def embed_query(self, text: str) -> QueryEmbedding:
        return self._loaded_model().query(text)

    def close(self) -> None:
        with self._lock:
            self._closed, self._model, self._quick = True, None, (None,)

    @cached_property
    def _words(self) -> frozenset[str]:
        """The vocabulary, read without loading the model: checking a spelling should be fast."""
        return frozenset(_vocabulary(self._folder))

    def _loaded_model(self) -> _Model:
        with self._lock:
            if self._closed:
                raise EmbedderError(f"{MINILM.name} was closed")
            if self._model is None:
                self._model = _load(self._folder)
            return self._model


def _load(folder: Path) -> _Model:
    vocabulary = _vocabulary(folder)
    loaded = session(verified_path(folder, MODEL))
    return _Model(loaded, WordPiece(vocabulary, MAX_TOKENS), ContentTokens(vocabulary), basis())


def _vocabulary(folder: Path) -> list[str]:
    return verified_path(folder, VOCABULARY).read_text(encoding="utf-8").splitlines()
