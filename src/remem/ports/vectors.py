"""The interface of vectors, which entry stores and passage stores share.

A text is queued until every configured model has made its vector.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

from remem.ports.models import Embedding, ModelIdentity
from remem.ports.records import Key, PendingText

T = TypeVar("T")

Embedded = Sequence[tuple[Key, int, Embedding]]
"""The id and version of a text, and its vector."""


class VectorReader(Protocol[Key]):
    """Reads vectors and the queue."""

    def vectors_of(
        self, identity: ModelIdentity, ids: Iterable[Key], *, quick: bool = True
    ) -> dict[Key, Embedding]:
        """The vectors of a model; with `quick=False` only those that the model itself made."""

    def vector_counts(self) -> dict[ModelIdentity, int]: ...
    def quick_count(self, identity: ModelIdentity) -> int:
        """How many of a model's vectors are quick vectors."""

    def vector_models(self) -> str | None:
        """The models that texts are queued for, as `join_identities` writes them."""

    def pending(
        self, limit: int, after: Key | None = None, missing_for: ModelIdentity | None = None
    ) -> list[PendingText[Key]]:
        """Queued texts in the order they were stored, starting after the text `after`.

        With `missing_for`, only texts that have no vector of that model, not even a quick one.
        """

    def pending_among(self, ids: Sequence[Key]) -> list[PendingText[Key]]:
        """Those of the texts that are queued, in the order of `ids`."""

    def pending_count(self) -> int: ...


class VectorWriter(VectorReader[Key], Protocol[Key]):
    """Writes vectors and the queue."""

    def set_vector_models(self, *models: ModelIdentity) -> None:
        """Set the models to embed with; after a change, missing vectors are queued."""

    def save_vectors(
        self,
        identity: ModelIdentity,
        embedded: Embedded[Key],
        *,
        more: bool = False,
        quick: bool = False,
    ) -> None:
        """Store vectors of unchanged texts; with `more`, the texts stay queued for another model.

        Quick vectors are provisional: they are stored only for texts without vectors, and the
        texts stay queued.
        """

    def drop_vectors(self, identity: ModelIdentity, ids: Sequence[Key]) -> None:
        """Remove one model's vectors of texts that another model reads better."""

    def dequeue_vectors(self, texts: Sequence[tuple[Key, int]]) -> None:
        """Remove texts, by id and version, from the queue."""


class VectorStore(Protocol[Key]):
    """A store of texts that have vectors."""

    def read(self) -> AbstractContextManager[VectorReader[Key]]: ...
    def write(self, operation: Callable[[VectorWriter[Key]], T]) -> T: ...
