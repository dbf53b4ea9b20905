"""The interface of vectors, which entry stores and passage stores share.

A text is queued until every configured model has made its vector. Texts are known by their rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

from remem.ports.models import Embedding, ModelIdentity
from remem.ports.records import PendingText

T = TypeVar("T")

Embedded = Sequence[tuple[int, int, Embedding]]
"""The row and version of a text, and its vector."""


class VectorReader(Protocol):
    """Reads vectors and the queue."""

    def vectors_of(self, identity: ModelIdentity, rows: Iterable[int]) -> dict[int, Embedding]: ...
    def vector_counts(self) -> dict[ModelIdentity, int]: ...
    def pending(
        self, limit: int, after: int = 0, missing_for: ModelIdentity | None = None
    ) -> list[PendingText]:
        """Queued texts with rows above `after`, in row order.

        With `missing_for`, only those that have no vector of that model, not even a quick one.
        """

    def pending_count(self) -> int: ...
    def last_pending(self) -> int:
        """The highest queued row, or 0."""

    def rows_with_quick_vectors(
        self, identity: ModelIdentity, rows: Iterable[int]
    ) -> frozenset[int]:
        """The rows whose vector of a model is only a quick one."""

    def quick_count(self, identity: ModelIdentity) -> int: ...
    def get_state(self, key: str) -> str | None: ...


class VectorWriter(Protocol):
    """Writes vectors and the queue."""

    def set_vector_models(self, *models: ModelIdentity) -> None:
        """Set the models to embed with; after a change, missing vectors are queued."""

    def save_vectors(
        self, identity: ModelIdentity, embedded: Embedded, *, more: bool = False
    ) -> None:
        """Store vectors of unchanged texts; with `more`, they stay queued for another model."""

    def save_quick_vectors(self, identity: ModelIdentity, embedded: Embedded) -> None:
        """Store provisional vectors where there are none; the texts stay queued."""

    def drop_vectors(self, identity: ModelIdentity, rows: Sequence[int]) -> None:
        """Remove one model's vectors of texts that another model reads better."""

    def dequeue_vectors(self, rows: Sequence[tuple[int, int]]) -> None:
        """Remove texts, by row and version, from the queue."""

    def put_state(self, key: str, value: str) -> None: ...


class VectorStore(Protocol):
    """A store of texts that have vectors."""

    def read(self) -> AbstractContextManager[VectorReader]: ...
    def write(self, operation: Callable[[VectorWriter], T]) -> T: ...
