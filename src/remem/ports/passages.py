"""The interface of a passage store."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

from remem.model.passage import FileMark, Passage, Source
from remem.ports.entries import VectorReader, VectorWriter
from remem.ports.graph import GraphReader, GraphWriter
from remem.ports.models import Floats, ModelIdentity
from remem.ports.records import Matches

T = TypeVar("T")


class PassageReader(VectorReader[int], Protocol):
    """Reads the passages of one scope; each passage has a number that is never reused."""

    @property
    def graph(self) -> GraphReader: ...

    def files(self) -> dict[str, FileMark]: ...
    def passages(self, numbers: Iterable[int]) -> dict[int, Passage]: ...
    def of_file(self, path: str) -> list[tuple[int, Passage]]: ...
    def keyword(
        self, terms: Sequence[str], sources: Sequence[Source], limit: int
    ) -> Matches[int]: ...
    def stored_spelling(self, term: str) -> str | None: ...
    def nearest(
        self, identity: ModelIdentity, query: Floats, sources: Sequence[Source], limit: int
    ) -> list[tuple[int, float]]: ...
    def counts(self) -> tuple[int, int]:
        """Return the number of files and of passages."""

    def conversation_count(self) -> int:
        """Return the number of passages that come from transcripts."""


class PassageTransaction(PassageReader, VectorWriter[int], Protocol):
    """Changes passages; all changes commit together or not at all."""

    @property
    def graph(self) -> GraphWriter: ...

    def replace(self, changed: Sequence[tuple[FileMark, Sequence[Passage]]]) -> None:
        """Replace the passages of some files."""

    def update_marks(self, marks: Sequence[FileMark]) -> None:
        """Update the marks of files whose content is unchanged."""

    def forget(self, paths: Sequence[str]) -> None: ...


class PassageStore(Protocol):
    """The passages and the graph of one scope; both can be dropped and rebuilt at any time."""

    @property
    def writable(self) -> bool: ...
    @property
    def problem(self) -> str | None: ...
    def read(self) -> AbstractContextManager[PassageReader]: ...
    def write(self, operation: Callable[[PassageTransaction], T]) -> T: ...
    def reopen(self) -> None:
        """Try to open the database file again, if a store in memory is being used instead of it."""

    def pop_notice(self) -> str | None:
        """Return why all files had to be read again; None once that was returned.

        The call after the one that returned it also clears `problem`.
        """

    def scrub(self) -> None:
        """Remove the bytes of deleted passages from the database file."""

    def close(self) -> None: ...
