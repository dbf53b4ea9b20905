"""Interfaces of models: embedders, token counters, extractors and chat."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Protocol, TypeAlias

from remem.errors import EmbedderMismatch
from remem.fast_dataclass import dataclass

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from remem.model.lesson import LearnedLessons, Utterance
    from remem.model.statement import Extraction, SourceDocument


Chat: TypeAlias = "Callable[[str, str], str]"
"""A language model: takes instructions and a text, returns the answer or raises ModelError.
It is slow and may be wrong, so nothing depends on it."""

Floats: TypeAlias = "NDArray[np.float32]"
Bytes: TypeAlias = "NDArray[np.uint8]"


@dataclass(frozen=True, slots=True)
class ModelIdentity:
    """The model that made a vector; vectors of different identities are never compared."""

    name: str
    dimension: int
    quantisation: str

    def __str__(self) -> str:
        return f"{self.name}/{self.dimension}/{self.quantisation}"


def join_identities(identities: Iterable[ModelIdentity]) -> str:
    """Return the models that a store wants vectors of, as one text."""
    return " + ".join(map(str, identities))


@dataclass(frozen=True, slots=True)
class Embedding:
    """The vectors of one text.

    `pooled` has unit length. `tokens` holds 1-bit vectors of the informative tokens, one row of
    packed bytes each (numpy.packbits), for late interaction; None if the model makes no token
    vectors.
    """

    pooled: Floats
    tokens: Bytes | None = None


@dataclass(frozen=True, slots=True)
class QueryEmbedding:
    """The vectors of a question; tokens keep full precision.

    `pooled` has unit length, or a length that scales the model's cosines to the common range:
    unrelated below 0.2, the same meaning from 0.7.
    `tokens` has one row per informative token, in the space of `Embedding.tokens`;
    `weights` is the weight of each (rare words more than common ones).
    """

    pooled: Floats
    tokens: Floats | None = None
    weights: Floats | None = None


class Embedder(Protocol):
    """Turns texts into vectors; slow, may raise EmbedderError, never called under a lock."""

    @property
    def identity(self) -> ModelIdentity: ...

    def language_support(self, text: str) -> int:
        """Return how well the model knows the language of a text: 0 not at all, 1 somewhat, 2
        well."""

    def knows(self, word: str) -> bool:
        """Return whether the word is in the model's vocabulary, which means that it is spelled
        correctly."""

    def embed(self, texts: Sequence[str]) -> list[Embedding]: ...

    def embed_quickly(self, texts: Sequence[str]) -> list[Embedding] | None:
        """Return approximate vectors, comparable with the model's own but made a thousand times
        faster; None if the model cannot make them."""

    def embed_query(self, text: str) -> QueryEmbedding: ...

    def close(self) -> None: ...


class Reranker(Protocol):
    """Judges texts together with a question; slow, may raise RerankerError."""

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return one score per text, higher for a better answer."""

    def close(self) -> None: ...


class TokenCounter(Protocol):
    """Counts the tokens of a text; an estimate errs on the high side."""

    @property
    def name(self) -> str: ...

    def count(self, text: str) -> int: ...


class Extractor(Protocol):
    """Splits memory files into statements and finds what is worth learning in conversations.

    Statements are quoted word for word. Callers check that, because a language model may invent
    text.
    """

    def extract(self, document: SourceDocument) -> Extraction: ...
    def learn(self, utterances: Sequence[Utterance]) -> LearnedLessons: ...


def require_dimension(vector: Floats, identity: ModelIdentity) -> None:
    """Raise EmbedderMismatch for a vector of the wrong length, which would spoil every scan."""
    if vector.shape != (identity.dimension,):
        raise EmbedderMismatch(
            f"a vector of shape {vector.shape} does not match {identity}",
            hint="the model behind the embedder has changed; restart remem",
        )


def require_comparable(vector: Floats, identity: ModelIdentity) -> None:
    """Raise EmbedderMismatch for a vector that would spoil comparisons with the others."""
    require_dimension(vector, identity)
    if not isfinite(float(vector @ vector)):
        raise EmbedderMismatch(f"a vector of {identity} contains values that are not finite")
