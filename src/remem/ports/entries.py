"""The interface of an entry store.

A `Store` belongs to exactly one scope, so no method takes a scope. Entries are identified by their
ids. Callers decide which domain file contains an entry; the store only records it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Literal, Protocol, TypeVar

from remem.model.entry import Category, Entry, Filter, Trust, Version
from remem.ports.models import Embedding, Floats, ModelIdentity
from remem.ports.records import (
    Home,
    Key,
    Matches,
    Neighbours,
    Order,
    OutboxItem,
    PendingText,
    SourcePosition,
    Tally,
    TallyBy,
    TermStatistics,
    Tombstone,
    Usage,
    VectorState,
    Where,
)
from remem.ports.state import Namespace, R
from remem.text.similarity import Fingerprint

T = TypeVar("T")

Embedded = Sequence[tuple[Key, int, Embedding]]
"""The id and version of a text, and its vector."""


class VectorReader(Protocol[Key]):
    """Reads vectors and the queue of texts that need one."""

    def vectors_of(
        self, identity: ModelIdentity, ids: Iterable[Key], *, quick: bool = True
    ) -> dict[Key, Embedding]:
        """Return the vectors of a model; with `quick=False` only those that the model itself
        made."""

    def sample_vectors(self, identity: ModelIdentity, count: int) -> list[Embedding]:
        """Return the vectors of some texts, spread evenly over all of them."""

    def vector_state(self) -> VectorState: ...
    def pending(
        self,
        limit: int,
        after: Key | None = None,
        missing_for: ModelIdentity | None = None,
        *,
        among: Sequence[Key] | None = None,
    ) -> list[PendingText[Key]]:
        """Return at most `limit` queued texts, in the order they were stored.

        With `after`, only texts stored after this one are returned; with `missing_for`, only texts
        that have no vector of this model, not even a quick one; with `among`, only these texts.
        """


class VectorWriter(VectorReader[Key], Protocol[Key]):
    """Writes vectors and changes the queue."""

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


Duplicate = Literal["same", "faded", "former", "part", "similar"]
"""same: has the same text. faded: has the same text, but was archived by decay. former: had the
text in an earlier version. part: its longest sentence is in the text. similar: may share 80 % of
its words."""


class EntryReader(Protocol):
    """Reads the entries of one scope."""

    def change_mark(self) -> str:
        """Return a text that is different after every change to an entry.

        A change adds an entry or puts its file into the outbox; uses and vectors do not count.
        """

    def ids(self) -> list[str]:
        """Return all ids, in the order the entries were stored."""

    def find(self, ids: Iterable[str]) -> dict[str, Entry]:
        """Return the entries with these ids, in the order they were stored.

        Unknown ids are omitted.
        """

    def select(
        self, where: Where, order: Order = "stored", limit: int | None = None
    ) -> list[Entry]:
        """Return the entries that meet some conditions, at most `limit`."""

    def tally(self, by: TallyBy, where: Where) -> dict[str, Tally]:
        """Return the number and the tokens of the entries with each value, most frequent first."""

    def history(self, id_: str) -> list[Version]:
        """Return all versions of an entry, oldest first; empty if the id is unknown."""

    def usage(self, ids: Iterable[str]) -> dict[str, Usage]: ...
    def tombstones(
        self, id_: str | None = None, wording_hash: int | None = None
    ) -> list[Tombstone]:
        """Return all tombstones, or those that have this id or this wording."""

    def record(self, namespace: Namespace[R], key: str = "") -> R | None: ...
    def records(self, namespace: Namespace[R]) -> dict[str, R]:
        """Return all records of a namespace, in the order of their keys."""

    def outbox(self) -> list[OutboxItem]:
        """Return the files that have to be written."""


class SearchIndex(VectorReader[str], Protocol):
    """Finds entries by words, vectors and places; filters apply before counts and limits."""

    def keyword(self, terms: Sequence[str], where: Filter, limit: int) -> Matches[str]: ...
    def search_faded(self, terms: Sequence[str], limit: int) -> list[Entry]:
        """Return the entries archived by decay that contain one of the terms, best first."""

    def term_statistics(
        self, terms: Sequence[str], ids: Sequence[str], *, live: bool = True
    ) -> TermStatistics:
        """Count the terms in some entries, and how common they are.

        With `live=False`, archived and untrusted entries are included in everything.
        """

    def nearest(
        self, identity: ModelIdentity, query: Floats, where: Filter, limit: int
    ) -> list[tuple[str, float]]: ...
    def neighbours(self, places: Iterable[SourcePosition]) -> dict[SourcePosition, Neighbours]:
        """Return the live entries before and after each place."""

    def sources_with_assistant(self, sources: Sequence[str]) -> frozenset[str]:
        """Return the sources that contain an assistant's turns."""

    def stored_spelling(self, term: str) -> str | None:
        """Return the term itself if its stem is stored, else the word with a stored stem that it is
        probably a typo of.

        Return None if there is neither, and for words that are too short or too long, numbers and
        n-grams.
        """

    def is_new_text(self, id_: str, fingerprint: Fingerprint) -> bool:
        """Return whether neither the id nor the text was ever stored, and no entry is part of the
        text.

        If so, `duplicates` finds at most "similar" entries. Erased entries count as stored.
        """

    def duplicates(
        self, how: Duplicate, category: Category, trust: Trust, fingerprint: Fingerprint
    ) -> list[Entry]:
        """Return the entries that a new text may repeat, within one category and trust."""


class Snapshot(EntryReader, SearchIndex, Protocol):
    """A consistent view of one scope."""


class Transaction(Snapshot, VectorWriter[str], Protocol):
    """A snapshot that can also be changed; all changes commit together or not at all."""

    def insert(
        self,
        entry: Entry,
        change: str,
        home: Home,
        *,
        fingerprint: Fingerprint | None = None,
        history: Sequence[Version] = (),
    ) -> None:
        """Add an entry; `history` are the earlier versions of an imported entry."""

    def update(self, entry: Entry, home: Home, change: str | None = None) -> None:
        """Change an entry.

        With `change`, this is a new version, and the old one is kept in the history; without it,
        only strength, links, origins or the file differ.
        """

    def record_use(self, ids: Sequence[str], now: str, *, was_used: bool) -> None:
        """Record that entries were used or, at most once a day, that they were listed."""

    def erase(self, id_: str, at: str) -> None:
        """Remove an entry completely, except for its tombstone."""

    def add_tombstones(self, tombstones: Iterable[Tombstone]) -> None: ...
    def rebuild_search(self) -> None:
        """Rebuild everything that is derived from the entries; vectors are queued again."""

    def add_to_outbox(self, file: str) -> None: ...
    def remove_from_outbox(self, file: str, upto: int) -> None:
        """Remove a file that was written, unless it was added again after the item `upto`."""

    def put_record(self, namespace: Namespace[R], key: str, record: R | None) -> None:
        """Save a record; None removes it."""


class Store(Protocol):
    """The entries of one scope."""

    @property
    def writable(self) -> bool: ...
    @property
    def problem(self) -> str | None:
        """Why the store works only in part; None if it works."""

    @property
    def generation(self) -> int:
        """A number that increases each time the store is reopened on different files."""

    def read(self) -> AbstractContextManager[Snapshot]: ...
    def write(self, operation: Callable[[Transaction], T]) -> T: ...
    def scrub(self) -> str | None:
        """Remove all bytes of deleted rows; return where some may remain, None if nowhere."""

    def close(self) -> None: ...
