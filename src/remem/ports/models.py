"""Can this vector be compared with those of its model? One that cannot would spoil them all.

What must a model do for remem? Make vectors, count tokens, take texts apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Protocol, TypeAlias

from remem.errors import EmbedderMismatch

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from remem.model.lesson import Learned, Said
    from remem.model.statement import Document, Extraction


Chat: TypeAlias = "Callable[[str, str], str]"
"""A language model: told what to do and given a text, it answers, or raises ModelError. It is
slow, it may lie, and it is never needed."""

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


def named_together(identities: Iterable[ModelIdentity]) -> str:
    """How a store notes which models it wants vectors of."""
    return " + ".join(map(str, identities))


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

    `pooled` has length one, or a length that puts the model's cosines on the scale of others:
    below 0.2 they say nothing, from 0.7 on they mean the same.
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

    def reads(self, text: str) -> int:
        """How well the model knows the language of a text (`core.language`): 0 not at all,
        1 somewhat, 2 well."""

    def knows(self, word: str) -> bool:
        """Whether the model has a word of its own for it: then it is spelled as people spell it.
        Who cannot tell says no."""

    def embed(self, texts: Sequence[str]) -> list[Embedding]: ...

    def embed_quickly(self, texts: Sequence[str]) -> list[Embedding] | None:
        """Rougher vectors that can be compared with the model's own, a thousand times as fast;
        None where there are none."""

    def embed_query(self, text: str) -> QueryEmbedding: ...

    def close(self) -> None: ...


class TokenCounter(Protocol):
    """Says what a text costs a model to read; an estimate errs on the high side."""

    @property
    def name(self) -> str: ...

    def count(self, text: str) -> int: ...


class Extractor(Protocol):
    """Takes a memory file apart into statements; every line is in one of them, or left.

    Of a conversation it takes only what lasts, in the words in which it was said. Whoever asks
    looks whether they stand there: rules do not invent, and a language model may.
    """

    def extract(self, document: Document) -> Extraction: ...
    def learn(self, said: Sequence[Said]) -> Learned: ...


def require_comparable(vector: Floats, identity: ModelIdentity) -> None:
    if vector.shape != (identity.dimension,):
        raise EmbedderMismatch(
            f"a vector of shape {vector.shape} is not one of {identity}",
            hint="the model behind the embedder has changed; restart remem",
        )
    if not isfinite(float(vector @ vector)):
        raise EmbedderMismatch(f"a vector of {identity} holds something that is not a number")
