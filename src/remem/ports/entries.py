"""The interface of an entry store.

A `Store` belongs to exactly one scope, so no method takes a scope. Entries are identified by their
ids. Callers decide which domain file contains an entry; the store only records it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, Protocol, TypeVar

from remem.model.entry import Category, Entry, Filter, Trust, Version
from remem.ports.models import Floats, ModelIdentity
from remem.ports.records import (
    Home,
    Matches,
    Neighbours,
    Order,
    OutboxItem,
    Place,
    Shortfall,
    Tally,
    TallyBy,
    TermStatistics,
    Tombstone,
    Usage,
    Where,
    WrittenFile,
)
from remem.ports.vectors import VectorReader, VectorWriter
from remem.text.similarity import Fingerprint

T = TypeVar("T")

Duplicate = Literal["same", "faded", "former", "part", "similar"]
"""same: has the same text. faded: has the same text, but was archived by decay. former: had the
text in an earlier version. part: its longest sentence is in the text. similar: may share 80 % of
its words."""


class EntryReader(Protocol):
    """Reads the entries of one scope."""

    def ids(self) -> list[str]:
        """All ids, in the order the entries were stored."""

    def find(self, ids: Iterable[str]) -> dict[str, Entry]:
        """The entries with these ids, in the order they were stored; unknown ids are omitted."""

    def select(
        self, where: Where, order: Order = "stored", limit: int | None = None
    ) -> list[Entry]: ...
    def tally(self, by: TallyBy, where: Where) -> dict[str, Tally]:
        """The number of entries for each value, most frequent first."""

    def history(self, id_: str) -> list[Version]:
        """All versions of an entry, oldest first; empty if the id is unknown."""

    def usage(self, ids: Iterable[str]) -> dict[str, Usage]: ...
    def home_of(self, id_: str) -> Home | None: ...
    def tombstones(
        self, id_: str | None = None, wording_hash: int | None = None
    ) -> list[Tombstone]:
        """All tombstones, or those for an id or a wording."""

    def notices(self, limit: int) -> list[str]: ...
    def get_state(self, key: str) -> str | None: ...
    def get_states(self, prefix: str) -> dict[str, str]:
        """State values by key, without the prefix."""


class SearchIndex(VectorReader[str], Protocol):
    """Finds entries by words, vectors and places; filters apply before counts and limits."""

    def keyword(self, terms: Sequence[str], where: Filter, limit: int) -> Matches[str]: ...
    def search_faded(self, terms: Sequence[str], limit: int) -> list[Entry]:
        """Entries archived by decay that contain one of the terms, best first."""

    def term_statistics(
        self, terms: Sequence[str], ids: Sequence[str], *, live: bool = True
    ) -> TermStatistics:
        """Count the terms in the given entries; with `live=False`, archived and untrusted entries
        are included."""

    def nearest(
        self, identity: ModelIdentity, query: Floats, where: Filter, limit: int
    ) -> list[tuple[str, float]]: ...
    def neighbours(self, places: Iterable[Place]) -> dict[Place, Neighbours]:
        """The live entries before and after each place."""

    def sources_with_assistant(self, sources: Sequence[str]) -> frozenset[str]:
        """The sources that contain an assistant's turns."""

    def spelling_correction(self, term: str) -> str | None:
        """A stored word that a misspelt term probably means."""

    def is_new_text(self, id_: str, fingerprint: Fingerprint) -> bool:
        """Whether neither the id nor the text was ever stored, and no entry is part of the text.

        If so, only "similar" entries can be found. Erased entries count as stored.
        """

    def duplicates(
        self, how: Duplicate, category: Category, trust: Trust, fingerprint: Fingerprint
    ) -> list[Entry]:
        """Entries that a new text may repeat, within one category and trust."""


class Outbox(Protocol):
    """The files that have to be written, and what was last written to them."""

    def outbox(self) -> list[OutboxItem]: ...
    def projected(self, file: str) -> WrittenFile | None: ...
    def projected_files(self) -> list[str]: ...


class Snapshot(EntryReader, SearchIndex, Outbox, Protocol):
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

    def revise(self, entry: Entry, change: str, home: Home) -> None:
        """Store a new version, and keep the old one in the history."""

    def update(self, entry: Entry, home: Home | None = None) -> None:
        """Change an entry without a new version: strength, links, origins, its file."""

    def record_use(self, ids: Sequence[str], now: str, *, used: bool) -> None:
        """Count that entries were listed (once a day) or used."""

    def erase(self, id_: str, at: str) -> None:
        """Remove an entry completely, except for its tombstone."""

    def add_tombstones(self, tombstones: Iterable[Tombstone]) -> None: ...
    def rebuild_search(self) -> None:
        """Rebuild everything that is derived from the entries; vectors are queued again."""

    def add_to_outbox(self, file: str) -> None: ...
    def record_written(
        self, file: str, upto: int, digest: str, items: Mapping[str, str]
    ) -> None: ...
    def add_notice(self, at: str, text: str) -> None: ...
    def put_state(self, key: str, value: str | None) -> None:
        """Save a value; None removes it."""


class Store(Protocol):
    """The entries of one scope."""

    @property
    def writable(self) -> bool: ...
    @property
    def problem(self) -> str | None: ...
    @property
    def generation(self) -> int:
        """Increases each time the store is reopened on different files."""

    def read(self) -> AbstractContextManager[Snapshot]: ...
    def write(self, operation: Callable[[Transaction], T]) -> T: ...
    def write_later(self, operation: Callable[[Transaction], Any]) -> None: ...
    def without_waiting(self) -> AbstractContextManager[Sequence[str]]:
        """Inside this block, this thread's writes wait only briefly for other programs, then fail
        with StoreBusy. Yields a list that collects the reasons for failed writes."""

    def scrub(self) -> None:
        """Remove all bytes of deleted rows from the database file and its log."""

    def shortfall(self) -> Shortfall | None:
        """What was acknowledged before and is missing now; None after `accept_shortfall`."""

    def accept_shortfall(self) -> None:
        """Accept the current content as the new baseline; the shortfall has already been
        recorded."""

    def close(self) -> None: ...
