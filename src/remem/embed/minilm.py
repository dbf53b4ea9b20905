"""What does all-MiniLM-L6-v2 make of a text, on this machine and without a network?

What shape do all-MiniLM-L6-v2's answers have? For who uses it, and who builds its file.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from remem.embed.model_files import MINILM, MODEL, VOCABULARY, verified
from remem.embed.runtime import Session, session
from remem.embed.token_vectors import AXES, Basis, Telling, basis, packed
from remem.embed.wordpiece import WordPiece, mostly_latin
from remem.errors import EmbedderError
from remem.ports.models import Embedding, Floats, ModelIdentity, QueryEmbedding
from remem.text.language import SOMEWHAT, WELL, language_of

if TYPE_CHECKING:
    from remem.embed.quick import Quick


DIMENSION: Final = 384
LONGEST: Final = 256
"""Tokens: what the model was trained on."""


_LEARNED: Final = ("en", "")
"""What nothing tells from English is taken for it."""
_RELATED: Final = frozenset("da de es fr it nl pl pt sv tr".split())
"""Written in the same letters; it knows names and borrowed words."""


@dataclass(frozen=True, slots=True)
class _Model:
    session: Session
    pieces: WordPiece
    telling: Telling
    basis: Basis

    def run(self, text: str) -> tuple[NDArray[np.int64], Floats, Floats]:
        ids = np.array(self.pieces.ids(text), np.int64)
        return ids, *self.session.run(ids)

    def embedding(self, text: str) -> Embedding:
        ids, pooled, hidden = self.run(text)
        kept = hidden[self.telling.places(ids)]
        return Embedding(pooled, packed(self.basis.project(kept)))

    def query(self, text: str) -> QueryEmbedding:
        ids, pooled, hidden = self.run(text)
        places = self.telling.places(ids)
        weights = self.telling.weights(ids)[places]
        return QueryEmbedding(pooled, self.basis.project(hidden[places]), weights)


class MiniLM:
    """The local model in `folder` (see fetch.py); loaded when the first text comes.

    Each text runs alone, so its vector does not depend on what else is embedded; `threads`
    is how many texts of one `embed` run at a time.
    """

    def __init__(self, folder: Path, *, threads: int = 1) -> None:
        self._folder = folder
        self._threads = threads
        self._lock = threading.Lock()
        self._model: _Model | None = None
        self._closed = False
        self._quick: tuple[Quick | None] | None = None

    @property
    def identity(self) -> ModelIdentity:
        quantisation = f"int8-{MINILM.build}+{AXES}x1bit-{basis().mark}"
        return ModelIdentity(MINILM.name, DIMENSION, quantisation)

    def reads(self, text: str) -> int:
        """It learned English: in other scripts it does worse than no model at all."""
        language = language_of(text)
        if language in _LEARNED and mostly_latin(text):
            return WELL
        return SOMEWHAT if language in _RELATED else 0

    def knows(self, word: str) -> bool:
        return word.casefold() in self._words

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        if not texts:
            return []
        model = self._ready()
        if self._threads == 1 or len(texts) == 1:
            return [model.embedding(text) for text in texts]
        from concurrent.futures import ThreadPoolExecutor  # a question comes alone

        with ThreadPoolExecutor(self._threads) as pool:
            return list(pool.map(model.embedding, texts))

    def embed_quickly(self, texts: Sequence[str]) -> list[Embedding] | None:
        from remem.embed.quick import quick_in  # most commands make none

        with self._lock:
            if self._quick is None:
                self._quick = (quick_in(self._folder),)
            (quick,) = self._quick
        return quick.embed(texts) if quick else None

    def embed_query(self, text: str) -> QueryEmbedding:
        return self._ready().query(text)

    def close(self) -> None:
        with self._lock:
            self._closed, self._model, self._quick = True, None, (None,)

    @cached_property
    def _words(self) -> frozenset[str]:
        """Read without the model: who asks for a spelling need not wait for that."""
        return frozenset(_vocabulary(self._folder))

    def _ready(self) -> _Model:
        with self._lock:
            if self._closed:
                raise EmbedderError(f"{MINILM.name} was closed")
            if self._model is None:
                self._model = _load(self._folder)
            return self._model


def _load(folder: Path) -> _Model:
    vocabulary = _vocabulary(folder)
    loaded = session(verified(folder, MODEL))
    return _Model(loaded, WordPiece(vocabulary, LONGEST), Telling(vocabulary), basis())


def _vocabulary(folder: Path) -> list[str]:
    return verified(folder, VOCABULARY).read_text(encoding="utf-8").splitlines()
