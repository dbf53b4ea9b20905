"""The embedder multilingual-e5-small: a question finds texts in any of a hundred languages.

The model was trained with a prefix: "query: " before a question and "passage: " before a text. All
its vectors have a large part in common, so that even unrelated texts have a cosine of 0.75. This
part, which scripts/fit_multilingual.py wrote to `multilingual.npy`, is subtracted. numpy and
onnxruntime are imported with the first text.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from remem.embed.model_files import MULTILINGUAL, LazyPart
from remem.ports.models import Embedding, ModelIdentity, QueryEmbedding
from remem.text.language import FULL_SUPPORT

if TYPE_CHECKING:
    from remem.embed.e5_encoder import E5Encoder


class Multilingual:
    """The model in a folder that `fetch` has written; it is loaded with the first text.

    Each text is run separately, so that its vector does not depend on other texts.
    """

    def __init__(self, folder: Path) -> None:
        self._encoder = LazyPart(MULTILINGUAL, lambda: _load(folder))

    @property
    def identity(self) -> ModelIdentity:
        return MULTILINGUAL.identity

    def language_support(self, text: str) -> int:  # noqa: ARG002 - the port's signature
        return FULL_SUPPORT

    def knows(self, word: str) -> bool:
        return self._encoder().knows(word)

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        with self._encoder.use() as encoder:
            return [encoder.embedding(text) for text in texts]

    def embed_quickly(self, texts: Sequence[str]) -> list[Embedding] | None:
        with self._encoder.use() as encoder:
            return encoder.quick(texts)

    def embed_query(self, text: str) -> QueryEmbedding:
        with self._encoder.use() as encoder:
            return encoder.query(text)

    def close(self) -> None:
        self._encoder.close()


def _load(folder: Path) -> E5Encoder:
    from remem.embed.e5_encoder import load_encoder

    return load_encoder(folder)
