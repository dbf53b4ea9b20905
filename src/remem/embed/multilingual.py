"""What does the Universal Sentence Encoder make of a text in one of many languages?

One vector for a text, near to that of its translation: a question in one language finds what was
said in another. It has no vectors of single words.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from remem.embed.convert.multilingual_source import require_library
from remem.embed.model_files import MODEL, MULTILINGUAL, verified
from remem.embed.runtime import Session, session
from remem.errors import EmbedderError
from remem.ports.models import Embedding, Floats, ModelIdentity, QueryEmbedding
from remem.text.language import SOMEWHAT, WELL, language_of

DIMENSION: Final = 512
LEARNED: Final = frozenset("ar de en es fr it ja ko nl pl pt ru th tr zh".split()) | {""}
"""What nothing tells apart is taken for one of them."""
_LONGEST: Final = 1_200
"""Characters; longer texts lose more by being averaged than they gain by being whole."""

_STRETCH: Final = np.float32(1.5)
"""Its cosines are small: of 1,000 pairs that have nothing to do with each other one in twenty is
above 0.13, and what means the same lies between 0.3 and 0.5. MiniLM says 0.2 and 0.7 to that."""


class Multilingual:
    """The model in `folder` (see fetch.py); loaded when the first text comes. Each text runs
    alone, so its vector does not depend on what else is embedded."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._session: Session | None = None
        self._closed = False

    @property
    def identity(self) -> ModelIdentity:
        return ModelIdentity(MULTILINGUAL.name, DIMENSION, f"int8-{MULTILINGUAL.build}")

    def reads(self, text: str) -> int:
        return WELL if language_of(text) in LEARNED else SOMEWHAT

    def knows(self, word: str) -> bool:  # noqa: ARG002 - the port's signature
        """Its pieces are those of many languages, and seldom whole words."""
        return False

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        return [Embedding(self._vector(text)) for text in texts]

    def embed_quickly(self, texts: Sequence[str]) -> None:
        """It has no rougher way."""

    def embed_query(self, text: str) -> QueryEmbedding:
        return QueryEmbedding(self._vector(text) * _STRETCH)

    def close(self) -> None:
        with self._lock:
            self._closed, self._session = True, None

    def _vector(self, text: str) -> Floats:
        # It stops at a zero byte, and has nothing to say about an empty text.
        plain = text[:_LONGEST].replace("\0", " ").strip() or " "
        vector = self._ready().run_text(plain)
        length = float(np.linalg.norm(vector))
        if not 0 < length < float("inf"):
            raise EmbedderError(f"{MULTILINGUAL.name} gave a vector without a direction")
        unit: Floats = (vector / length).astype(np.float32)
        return unit

    def _ready(self) -> Session:
        with self._lock:
            if self._closed:
                raise EmbedderError(f"{MULTILINGUAL.name} was closed")
            if self._session is None:
                self._session = _load(self._folder)
            return self._session


def _load(folder: Path) -> Session:
    require_library()
    from onnxruntime_extensions import get_library_path

    return session(verified(folder, MODEL, MULTILINGUAL), operators=get_library_path())
