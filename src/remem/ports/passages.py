"""The interface of a passage store."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from remem.model.passage import FileMark, Passage, Source
from remem.ports.models import Embedding, Floats, ModelIdentity
from remem.ports.records import Matches, PendingText


class PassageReader(Protocol):
    """Reads the passages of one scope."""

    def files(self) -> dict[str, FileMark]: ...
    def passages(self, rows: Iterable[int]) -> dict[int, Passage]: ...
    def of_file(self, path: str) -> list[tuple[int, Passage]]: ...
    def keyword(self, terms: Sequence[str], sources: Sequence[Source], limit: int) -> Matches: ...
    def spelling(self, term: str) -> str | None: ...
    def nearest(
        self, identity: ModelIdentity, query: Floats, sources: Sequence[Source], limit: int
    ) -> list[tuple[int, float]]: ...
    def vectors_of(self, identity: ModelIdentity, rows: Iterable[int]) -> dict[int, Embedding]: ...
    def vector_counts(self) -> dict[ModelIdentity, int]: ...
    def pending(
        self, limit: int, after: int = 0, missing_for: ModelIdentity | None = None
    ) -> list[PendingText]: ...
    def rows_with_quick_vectors(
        self, identity: ModelIdentity, rows: Iterable[int]
    ) -> frozenset[int]: ...
    def pending_count(self) -> int: ...
    def last_pending(self) -> int:
        """The highest queued row, or 0."""

    def counts(self) -> tuple[int, int]:
        """Number of files and of passages."""

    def conversation_count(self) -> int:
        """Number of passages that come from transcripts."""

    def get_state(self, key: str) -> str | None: ...


class PassageStore(Protocol):
    """A projection of one scope's files; it can be dropped and rebuilt at any time."""

    @property
    def writable(self) -> bool: ...
    @property
    def trouble(self) -> str | None: ...
    def read(self) -> AbstractContextManager[PassageReader]: ...
    def replace(self, changed: Sequence[tuple[FileMark, Sequence[Passage]]]) -> None:
        """Replace the passages of some files, all in one transaction."""

    def update_marks(self, marks: Sequence[FileMark]) -> None:
        """Update the marks of files whose content is unchanged."""

    def forget(self, paths: Sequence[str]) -> None: ...
    def set_vector_models(self, *models: ModelIdentity) -> None: ...
    def save_vectors(
        self,
        identity: ModelIdentity,
        embedded: Sequence[tuple[int, int, Embedding]],
        *,
        more: bool = False,
    ) -> None:
        """Store vectors; with `more`, the passages stay queued for another model."""

    def save_quick_vectors(
        self, identity: ModelIdentity, embedded: Sequence[tuple[int, int, Embedding]]
    ) -> None:
        """Store provisional vectors; the passages stay queued for the model's own."""

    def drop_vectors(self, identity: ModelIdentity, rows: Sequence[int]) -> None:
        """Remove one model's vectors of texts that another model reads better."""

    def dequeue_vectors(self, rows: Sequence[tuple[int, int]]) -> None:
        """Remove passages, by row and version, from the queue."""

    def put_state(self, key: str, value: str) -> None: ...
    def reopen(self) -> None:
        """Try to open the file again if memory is used in its place."""

    def take_notice(self) -> str | None:
        """Why all files had to be read again, if so; the next call clears it and `trouble`."""

    def scrub(self) -> None:
        """Remove all bytes of text that the files no longer contain."""

    def close(self) -> None: ...
