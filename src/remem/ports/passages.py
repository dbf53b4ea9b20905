"""What must a store of passages do? Take files in, and find what they say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from remem.model.passage import FileMark, Passage, Source
from remem.ports.models import Embedding, Floats, ModelIdentity
from remem.ports.records import Matches, Pending


class PassageReading(Protocol):
    """What can be asked of the passages of one scope."""

    def files(self) -> dict[str, FileMark]: ...
    def passages(self, rows: Iterable[int]) -> dict[int, Passage]: ...
    def of_file(self, path: str) -> list[tuple[int, Passage]]: ...
    def keyword(self, terms: Sequence[str], sources: Sequence[Source], limit: int) -> Matches: ...
    def spelling(self, term: str) -> str | None: ...
    def nearest(
        self, identity: ModelIdentity, query: Floats, sources: Sequence[Source], limit: int
    ) -> list[tuple[int, float]]: ...
    def vectors_of(self, identity: ModelIdentity, rows: Iterable[int]) -> dict[int, Embedding]: ...
    def covered(self) -> dict[ModelIdentity, int]: ...
    def pending(
        self, limit: int, after: int = 0, bare_of: ModelIdentity | None = None
    ) -> list[Pending]: ...
    def quick_among(self, identity: ModelIdentity, rows: Iterable[int]) -> frozenset[int]: ...
    def pending_count(self) -> int: ...
    def last_pending(self) -> int:
        """The last row that waits for a vector, or 0."""

    def counts(self) -> tuple[int, int]:
        """How many files, and how many passages."""

    def of_conversations(self) -> int:
        """How many of the passages are of conversations."""

    def note(self, key: str) -> str | None: ...


class PassageStore(Protocol):
    """A projection of one scope's files: it can be dropped and made anew at any time."""

    @property
    def writable(self) -> bool: ...
    @property
    def trouble(self) -> str | None: ...
    def read(self) -> AbstractContextManager[PassageReading]: ...
    def replace(self, changed: Sequence[tuple[FileMark, Sequence[Passage]]]) -> None:
        """The files' passages are these from now on; durable at once, or not at all."""

    def remark(self, marks: Sequence[FileMark]) -> None:
        """The files look different, and say what they said."""

    def forget(self, paths: Sequence[str]) -> None: ...
    def want_vectors(self, *models: ModelIdentity) -> None: ...
    def save_vectors(
        self,
        identity: ModelIdentity,
        embedded: Sequence[tuple[int, int, Embedding]],
        *,
        more: bool = False,
    ) -> None:
        """With `more` the texts keep waiting, for another model."""

    def save_quick_vectors(
        self, identity: ModelIdentity, embedded: Sequence[tuple[int, int, Embedding]]
    ) -> None:
        """Until the model's own are there; what waits for those keeps waiting."""

    def drop_vectors(self, identity: ModelIdentity, rows: Sequence[int]) -> None:
        """Of one model, for texts that others know better."""

    def served(self, rows: Sequence[tuple[int, int]]) -> None:
        """These texts wait no longer."""

    def keep_note(self, key: str, value: str) -> None: ...
    def reopen(self) -> None:
        """Try the file again, where another place serves because it could not be opened."""

    def take_notice(self) -> str | None:
        """Why everything had to be read again, if it had to. The first answer after it says so;
        the next call forgets it, and so does `trouble` then."""

    def scrub(self) -> None:
        """Leave no byte of what files no longer say."""

    def close(self) -> None: ...
