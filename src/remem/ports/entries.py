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

TextVectors = Sequence[tuple[Key, int, Embedding]]
"""Some texts, each given by its id and version, with their vectors."""
Duplicate = Literal["same", "faded", "former", "part", "similar"]
"""How a stored entry repeats a new text.

same: it has the same text. faded: it has the same text, but was archived by decay. former: an
earlier version of it had this text. part: its longest sentence is in the new text. similar: the two
may have 80 % of their words in common.
"""


class VectorReader(Protocol[Key]):
    """Reads vectors and the queue of texts that need one."""

    def vectors_of(
        self, identity: ModelIdentity, ids: Iterable[Key], *, quick: bool = True
    ) -> dict[Key, Embedding]:
        """Return one model's vectors of some texts, by id; `quick=False` leaves out quick ones."""

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
        embedded: TextVectors[Key],
        *,
        keep_queued: bool = False,
        quick: bool = False,
    ) -> None:
        """Store the vectors of texts that have not changed since, and remove them from the queue.

        With `keep_queued`, the texts stay queued, because another model has to embed them too.
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
        """Count entries and their tokens by one of their values; the most frequent value is first.

        An entry with several tags is counted under each of them.
        """

    def history(self, id_: str) -> list[Version]:
        """Return all versions of an entry, oldest first; empty if the id is unknown."""

    def usage(self, ids: Iterable[str]) -> dict[str, Usage]: ...
    def tombstones(
        self, id_: str | None = None, wording_hash: int | None = None
    ) -> list[Tombstone]:
        """Return the tombstones with this id, or with this wording, or all tombstones."""

    def record(self, namespace: Namespace[R], key: str = "") -> R | None: ...
    def records(self, namespace: Namespace[R]) -> dict[str, R]:
        """Return all records of a namespace, in the order of their keys."""

    def outbox(self) -> list[OutboxItem]:
        """Return the files that still have to be written."""


class SearchIndex(VectorReader[str], Protocol):
    """Finds entries by words, vectors and places; filters apply before counts and limits."""

    def keyword(self, terms: Sequence[str], where: Filter, limit: int) -> Matches[str]: ...
    def search_faded(self, terms: Sequence[str], limit: int) -> list[Entry]:
        """Return the entries archived by decay that contain one of the terms, best first."""

    def term_statistics(
        self, terms: Sequence[str], ids: Sequence[str], *, live: bool = True
    ) -> TermStatistics:
        """Count the terms in the entries with these ids, and in all live entries.

        With `live=False`, archived and untrusted entries are counted too.
        """

    def nearest(
        self, identity: ModelIdentity, query: Floats, where: Filter, limit: int
    ) -> list[tuple[str, float]]: ...
    def neighbours(self, places: Iterable[SourcePosition]) -> dict[SourcePosition, Neighbours]:
        """Return the live entries before and after each place."""

    def sources_with_assistant(self, sources: Sequence[str]) -> frozenset[str]:
        """Return the sources that contain an assistant's turns."""

    def stored_spelling(self, term: str) -> str | None:
        """Return the term if its stem is stored, else a stored word that it is a typo of, or None.

        Words that are too short or too long, numbers and n-grams are not looked up.
        """

    def is_new_text(self, id_: str, fingerprint: Fingerprint) -> bool:
        """Return whether neither the id nor the text was ever stored; erased entries count too.

        A text is not new either if it contains the longest sentence of an entry, and a very long
        text counts as not new. For a new text, `duplicates` finds at most "similar" entries.
        """

    def duplicates(
        self, kind: Duplicate, category: Category, trust: Trust, fingerprint: Fingerprint
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
        """Save a changed entry and its domain file.

        With `change`, a reason, the entry is saved as a new version and the old one is kept in the
        history. Without it, only strength, links, origins or the file may differ.
        """

    def record_use(self, ids: Sequence[str], now: str, *, was_used: bool) -> None:
        """Record that entries were used or, at most once a day, that they were listed."""

    def erase(self, id_: str, at: str) -> None:
        """Remove an entry completely, except for its tombstone."""

    def add_tombstones(self, tombstones: Iterable[Tombstone]) -> None: ...
    def rebuild_search(self) -> None:
        """Rebuild everything that is derived from the entries; vectors are queued again."""

    def add_to_outbox(self, file: str) -> None: ...
    def remove_from_outbox(self, file: str, last_seq: int) -> None:
        """Remove a written file from the outbox, unless it was added again after `last_seq`."""

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
        """Remove the bytes of deleted rows; return where some may remain, or None."""

    def close(self) -> None: ...
