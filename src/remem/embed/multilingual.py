"""The Universal Sentence Encoder, for texts in many languages.

A text and its translation have similar vectors, so a question in one language finds an entry in
another. There are no vectors for single words. numpy and onnxruntime are imported with the first
text.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from remem.embed.model_files import MODEL, MULTILINGUAL, LoadedOnce, require_library, verified_path
from remem.errors import EmbedderError
from remem.ports.models import Embedding, Floats, ModelIdentity, QueryEmbedding
from remem.text.language import FULL_SUPPORT, PARTIAL_SUPPORT, language_of

if TYPE_CHECKING:
    from remem.embed.runtime import Session


DIMENSION: Final = 512
LANGUAGES: Final = frozenset("ar de en es fr it ja ko nl pl pt ru th tr zh".split()) | {""}
"""The empty string stands for a text whose language is unclear; it counts as supported."""
_MAX_CHARACTERS: Final = 1_200
"""The vector is an average over the text, and the vector of a longer text is too vague to be
useful."""

_COSINE_FACTOR: Final = 1.5
"""The model's cosines are smaller than MiniLM's: of 1,000 unrelated pairs, one in twenty is above
0.13, and paraphrases are between 0.3 and 0.5. For MiniLM these figures are 0.2 and 0.7."""


class Multilingual:
    """The model in `folder` (see fetch.py), loaded with the first text.

    Each text is run separately, so that its vector does not depend on what else is embedded.
    """

    def __init__(self, folder: Path) -> None:
        self._session = LoadedOnce(MULTILINGUAL, lambda: _load(folder))

    @property
    def identity(self) -> ModelIdentity:
        return ModelIdentity(MULTILINGUAL.name, DIMENSION, f"int8-{MULTILINGUAL.build}")

    def language_support(self, text: str) -> int:
        return FULL_SUPPORT if language_of(text) in LANGUAGES else PARTIAL_SUPPORT

    def knows(self, word: str) -> bool:  # noqa: ARG002 - the port's signature
        """Return False: the vocabulary's pieces are rarely complete words."""
        return False

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        return [Embedding(self._vector(text)) for text in texts]

    def embed_quickly(self, texts: Sequence[str]) -> None:
        """Return None: this model has no quick vectors."""

    def embed_query(self, text: str) -> QueryEmbedding:
        return QueryEmbedding(self._vector(text) * _COSINE_FACTOR)

    def close(self) -> None:
        self._session.close()

    def _vector(self, text: str) -> Floats:
        import numpy as np

        # The model stops reading at a NUL character, and has no vector for an empty text.
        plain = text[:_MAX_CHARACTERS].replace("\0", " ").strip() or " "
        vector = self._session().run_text(plain)
        length = float(np.linalg.norm(vector))
        if not 0 < length < float("inf"):
            raise EmbedderError(f"{MULTILINGUAL.name} returned a vector that is zero or not finite")
        unit: Floats = (vector / length).astype(np.float32)
        return unit


def _load(folder: Path) -> Session:
    from remem.embed.runtime import session

    require_library(MULTILINGUAL)
    from onnxruntime_extensions import get_library_path

    return session(verified_path(folder, MODEL, MULTILINGUAL), operators=get_library_path())
