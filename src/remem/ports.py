"""What remem needs from the outside, on one page.

A `Store` belongs to exactly one scope: wiring opens it, and no method takes a scope.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

from remem.core.entry import Category, Entry, Priority, Trust, Version
from remem.core.filter import Filter
from remem.core.likeness import Fingerprint
from remem.core.passage import FileMark, Passage, Source

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

T = TypeVar("T")
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


Clock = Callable[[], str]
"""The present as UTC, `YYYY-MM-DDTHH:MM:SSZ`."""


@dataclass(frozen=True, slots=True)
class Located:
    """An entry and the number of its row, by which searches speak of it."""

    row: int
    entry: Entry


@dataclass(frozen=True, slots=True)
class Dirty:
    """A file that has to be written; `seq` says up to which change."""

    file: str
    seq: int


@dataclass(frozen=True, slots=True)
class Projected:
    """What was last written to a file: its digest, and that of each entry's item."""

    digest: str
    items: dict[str, str]


@dataclass(frozen=True, slots=True)
class Counts:
    """How much a scope holds."""

    live: int = 0
    archived: int = 0
    untrusted: int = 0
    tokens: int = 0
    by_category: dict[str, int] = field(default_factory=dict)
    by_priority: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Matches:
    """Rows with their scores, best first, and how many there were in all."""

    rows: list[tuple[int, float]]
    total: int


@dataclass(frozen=True, slots=True)
class Pending:
    """A text that waits for its vector."""

    row: int
    version: int
    text: str


class Reading(Protocol):
    """What can be asked of the entries of one scope."""

    def find(self, ids: Iterable[str]) -> list[Entry]: ...
    def locate(self, rows: Iterable[int]) -> dict[int, Entry]: ...
    def history(self, id_: str) -> list[Version]: ...
    def everything(self) -> Iterator[Entry]: ...
    def rows(self) -> list[int]: ...
    def top(
        self,
        *,
        category: Category | None = None,
        priority: Priority | None = None,
        tag: str | None = None,
        limit: int,
    ) -> tuple[list[Entry], int]: ...
    def untrusted(self) -> list[Entry]: ...
    def due(self, now: str, limit: int) -> list[Located]: ...
    def expired_early(self, now: str) -> list[Located]: ...
    def counts(self) -> Counts: ...
    def note(self, key: str) -> str | None: ...
    def notices(self, limit: int) -> list[str]: ...


class Likenesses(Protocol):
    """Entries that a new text may repeat; equal category and trust only."""

    def by_ids(self, ids: Sequence[str]) -> dict[str, Located]: ...
    def same_as(self, kind: Category, trust: Trust, print_: Fingerprint) -> list[Located]: ...
    def worded_before(self, kind: Category, trust: Trust, print_: Fingerprint) -> list[Located]: ...
    def extended_by(self, kind: Category, trust: Trust, print_: Fingerprint) -> list[Located]: ...
    def similar_to(self, kind: Category, trust: Trust, print_: Fingerprint) -> list[Located]: ...


class Searching(Protocol):
    """The legs of recall; each applies the filter before it counts or cuts."""

    def keyword(self, terms: Sequence[str], where: Filter, limit: int) -> Matches: ...
    def newest(self, where: Filter, span: tuple[str, str] | None, limit: int) -> list[int]: ...
    def spelling(self, term: str) -> str | None: ...
    def nearest(
        self, identity: ModelIdentity, query: Floats, where: Filter, limit: int
    ) -> list[tuple[int, float]]: ...
    def vectors_of(self, identity: ModelIdentity, rows: Iterable[int]) -> dict[int, Embedding]: ...
    def covered(self) -> dict[ModelIdentity, int]: ...
    def pending(self, limit: int) -> list[Pending]: ...
    def pending_count(self) -> int: ...


class Projecting(Protocol):
    """What the files beside the store have to say, and have said."""

    def standing_in(self, home: str, part: int) -> list[Entry]: ...
    def place_of(self, id_: str) -> tuple[str, int] | None: ...
    def places(self) -> list[tuple[str, int, int, int]]: ...
    def common_tags(self, home: str, limit: int) -> list[str]: ...
    def outbox(self) -> list[Dirty]: ...
    def projected(self, file: str) -> Projected | None: ...
    def projected_files(self) -> list[str]: ...


class Snapshot(Reading, Likenesses, Searching, Projecting, Protocol):
    """Everything that can be read."""


class Transaction(Snapshot, Protocol):
    """What an operation may change; all of it becomes durable at once, or none."""

    def insert(self, entry: Entry, print_: Fingerprint, home: str, change: str) -> None: ...
    def revise(self, old: Located, new: Entry, home: str, change: str) -> None: ...
    def keep_history(self, id_: str, versions: Sequence[Version]) -> None: ...
    def touch(self, old: Located, new: Entry) -> None: ...
    def rehome(self, old: Located, home: str) -> None: ...
    def shown(self, ids: Sequence[str], now: str, *, used: bool) -> None: ...
    def want_vectors(self, identity: ModelIdentity) -> None: ...
    def save_vectors(
        self, identity: ModelIdentity, embedded: Sequence[tuple[int, int, Embedding]]
    ) -> None: ...
    def mark(self, file: str) -> None: ...
    def written(self, file: str, upto: int, digest: str, items: Mapping[str, str]) -> None: ...
    def drop_projections(self) -> None: ...
    def restore(self, rows: Sequence[int]) -> None: ...
    def announce(self, at: str, text: str) -> None: ...
    def keep_note(self, key: str, value: str) -> None: ...


class Store(Protocol):
    """The record of one scope."""

    @property
    def writable(self) -> bool: ...
    @property
    def trouble(self) -> str | None: ...
    def read(self) -> AbstractContextManager[Snapshot]: ...
    def write(self, operation: Callable[[Transaction], T]) -> T: ...
    def write_later(self, operation: Callable[[Transaction], Any]) -> None: ...
    def close(self) -> None: ...


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
    def pending(self, limit: int) -> list[Pending]: ...
    def pending_count(self) -> int: ...
    def counts(self) -> tuple[int, int]:
        """How many files, and how many passages."""

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

    def forget(self, paths: Sequence[str]) -> None: ...
    def want_vectors(self, identity: ModelIdentity) -> None: ...
    def save_vectors(
        self, identity: ModelIdentity, embedded: Sequence[tuple[int, int, Embedding]]
    ) -> None: ...
    def keep_note(self, key: str, value: str) -> None: ...
    def close(self) -> None: ...
