"""What must a model do for remem? Make vectors, count tokens, take texts apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

from remem.core.lesson import Lesson, Said
from remem.core.statement import Document, Extraction

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Floats: TypeAlias = "NDArray[np.float32]"
Bytes: TypeAlias = "NDArray[np.uint8]"


@dataclass(frozen=True, slots=True)
class ModelIdentity:
    """What a vector was made by; vectors of two identities are never compared."""

    name: str
    dimension: int
    quantisation: str

    def __str__(self) -> str:
        return f"{self.name}/{self.dimension}/{self.quantisation}"


@dataclass(frozen=True, slots=True)
class Embedding:
    """One text as the model sees it.

    `pooled` has length one. `tokens` holds the 1-bit vectors of the text's telling
    tokens, a row of packed bytes each (numpy.packbits), for late interaction; it is None
    where a model gives none.
    """

    pooled: Floats
    tokens: Bytes | None = None


@dataclass(frozen=True, slots=True)
class QueryEmbedding:
    """A question as the model sees it; its tokens keep their full precision.

    `tokens` has one row per telling token, in the space of `Embedding.tokens`;
    `weights` says how much each of them tells (rare words more than common ones).
    """

    pooled: Floats
    tokens: Floats | None = None
    weights: Floats | None = None


class Embedder(Protocol):
    """Turns texts into vectors. Slow, may fail with EmbedderError, never called under a lock."""

    @property
    def identity(self) -> ModelIdentity: ...

    def reads(self, text: str) -> bool:
        """Whether the model was made for the script that the text is written in."""

    def embed(self, texts: Sequence[str]) -> list[Embedding]: ...

    def embed_query(self, text: str) -> QueryEmbedding: ...

    def close(self) -> None: ...


class TokenCounter(Protocol):
    """Says what a text costs a model to read; an estimate errs on the high side."""

    @property
    def name(self) -> str: ...

    def count(self, text: str) -> int: ...


class Extractor(Protocol):
    """Takes a memory file apart into statements; every line is in one of them, or left.

    Of a conversation it takes only what lasts, in the words in which it was said.
    """

    def extract(self, document: Document) -> Extraction: ...
    def learn(self, said: Sequence[Said]) -> list[Lesson]: ...
