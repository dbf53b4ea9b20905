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
"""A language model: it takes instructions and a text, and returns its answer or raises ModelError.

It is slow and may be wrong, so everything works without it."""

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
    """Return the identities as one text, joined by plus signs."""
    return " + ".join(map(str, identities))


@dataclass(frozen=True, slots=True)
class Embedding:
    """The vectors of one text.

    `pooled` is the vector of the whole text; it has unit length. `tokens` has one row for each
    informative token: its 1-bit vector, packed into bytes by `numpy.packbits`. They are compared
    with the tokens of a question (late interaction). It is None if the model makes none.
    """

    pooled: Floats
    tokens: Bytes | None = None


@dataclass(frozen=True, slots=True)
class QueryEmbedding:
    """The vectors of a question.

    `pooled` is the vector of the whole question. Its length scales the model's cosines to a common
    range, in which unrelated texts are below 0.2 and texts of the same meaning from 0.7; it is 1 if
    the model's own cosines are in that range. `tokens` has one row, in full precision, for each
    informative token, and `weights` the weight of each: rare words weigh more than common ones.
    """

    pooled: Floats
    tokens: Floats | None = None
    weights: Floats | None = None


class Embedder(Protocol):
    """Turns texts into vectors; slow, may raise EmbedderError, never called under a lock."""

    @property
    def identity(self) -> ModelIdentity: ...

    def language_support(self, text: str) -> int:
        """Return how well the model knows the language of a text: 0 not at all, 1 a bit, 2 well."""

    def knows(self, word: str) -> bool:
        """Return whether a word is in the model's vocabulary, and so is spelled correctly."""

    def embed(self, texts: Sequence[str]) -> list[Embedding]: ...

    def embed_quickly(self, texts: Sequence[str]) -> list[Embedding] | None:
        """Return approximate vectors, or None if the model cannot make them.

        They are comparable with the model's own, but made about a thousand times faster.
        """

    def embed_query(self, text: str) -> QueryEmbedding: ...

    def close(self) -> None: ...


class Reranker(Protocol):
    """Judges how well texts answer a question; slow, may raise RerankerError."""

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
    """Raise EmbedderMismatch for a vector of the wrong dimension, which no search could compare."""
    if vector.shape != (identity.dimension,):
        raise EmbedderMismatch(
            f"a vector of shape {vector.shape} does not match {identity}",
            hint="the model behind the embedder has changed; restart remem",
        )


def require_comparable(vector: Floats, identity: ModelIdentity) -> None:
    """Raise EmbedderMismatch for a vector of the wrong dimension or with NaN or infinite values."""
    require_dimension(vector, identity)
    if not isfinite(float(vector @ vector)):
        raise EmbedderMismatch(f"a vector of {identity} contains values that are not finite")
