"""The interface of an entry store.

A `Store` belongs to exactly one scope, so no method takes a scope.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar

from remem.model.entry import Category, Entry, Filter, Priority, Trust, Version
from remem.ports.models import Floats, ModelIdentity
from remem.ports.records import (
    Counts,
    EntryFromFile,
    EntryRow,
    Matches,
    Neighbours,
    Occurrences,
    OutboxItem,
    Place,
    Shortfall,
    Tombstone,
    UnseenEntries,
    WrittenFile,
)
from remem.ports.vectors import VectorReader, VectorWriter
from remem.text.similarity import Fingerprint

T = TypeVar("T")


class EntryReader(Protocol):
    """Reads the entries of one scope."""

    def find(self, ids: Iterable[str]) -> list[Entry]: ...
    def entries_by_row(self, rows: Iterable[int]) -> dict[int, Entry]: ...
    def history(self, id_: str) -> list[Version]: ...
    def revised_since(self, moment: str, limit: int) -> list[EntryRow]:
        """Entries revised after `moment`, latest first."""

    def all_entries(self) -> Iterator[Entry]: ...
    def rows(self) -> list[int]: ...
    def latest(
        self,
        *,
        category: Category | None = None,
        priority: Priority | None = None,
        tag: str | None = None,
        without_tag: str | None = None,
        without_source: str | None = None,
        limit: int,
    ) -> list[Entry]:
        """Live entries, latest change first."""

    def count_of(
        self,
        *,
        category: Category | None = None,
        priority: Priority | None = None,
        tag: str | None = None,
        without_tag: str | None = None,
    ) -> int:
        """Number of live entries that match."""

    def untrusted(self) -> list[Entry]: ...
    def with_origin_lines(self, places: Sequence[tuple[str, int]]) -> list[Entry]:
        """Entries, including archived ones, whose origin is one of these lines."""

    def past_expiry(self, now: str, limit: int) -> list[EntryRow]:
        """Current entries whose expiry has passed."""

    def expired_early(self, now: str) -> list[EntryRow]:
        """Entries archived as expired although their expiry is still in the future."""

    def counts(self) -> Counts: ...
    def not_seen_since(self, moment: str) -> list[UnseenEntries]:
        """Live entries by domain file that have not been seen, used or changed since `moment`."""

    def get_state(self, key: str) -> str | None: ...
    def get_states(self, prefix: str) -> dict[str, str]:
        """State values by key, without the prefix."""

    def notices(self, limit: int) -> list[str]: ...
    def tombstones(self) -> list[Tombstone]: ...
    def erased_id(self, id_: str | None, wording_hash: int | None) -> str | None:
        """The id of an erased entry, found by its id or the hash of its text."""

    def linking_to(self, id_: str) -> list[int]:
        """Rows of the entries that link to an entry."""

    def with_wording(self, wording_hash: int) -> list[int]:
        """Rows of all entries, including archived ones, whose text has or had this hash."""


class DuplicateQueries(Protocol):
    """Finds entries that a new text may repeat, within one category and trust."""

    def by_ids(self, ids: Sequence[str]) -> dict[str, EntryRow]: ...
    def is_new_text(self, id_: str, fingerprint: Fingerprint) -> bool:
        """Whether neither the id nor the text was ever stored, and no entry is part of the text.

        If so, `same_as`, `formerly_worded` and `extended_by` find nothing. Erased entries count
        as stored.
        """

    def same_as(
        self, category: Category, trust: Trust, fingerprint: Fingerprint
    ) -> list[EntryRow]: ...
    def formerly_worded(
        self, category: Category, trust: Trust, fingerprint: Fingerprint
    ) -> list[EntryRow]: ...
    def extended_by(
        self, category: Category, trust: Trust, fingerprint: Fingerprint
    ) -> list[EntryRow]: ...
    def similar_to(
        self, category: Category, trust: Trust, fingerprint: Fingerprint
    ) -> list[EntryRow]: ...


class SearchQueries(Protocol):
    """Finds candidates for a recall; filters apply before counts and limits."""

    def keyword(self, terms: Sequence[str], where: Filter, limit: int) -> Matches: ...
    def occurrences(
        self, terms: Sequence[str], rows: Sequence[int], *, live: bool = True
    ) -> Occurrences:
        """Count the terms in the given entries; with `live=False`, archived and untrusted entries
        are included."""

    def neighbours(self, places: Iterable[Place]) -> dict[Place, Neighbours]:
        """The live entries before and after each place."""

    def with_assistant(self, sources: Sequence[str]) -> frozenset[str]:
        """The sources that contain an assistant's turns."""

    def newest(self, where: Filter, span: tuple[str, str] | None, limit: int) -> list[int]: ...
    def spelling_correction(self, term: str) -> str | None:
        """A stored word that a misspelt term probably means."""

    def nearest(
        self, identity: ModelIdentity, query: Floats, where: Filter, limit: int
    ) -> list[tuple[int, float]]: ...


class ProjectionQueries(Protocol):
    """What the Markdown projections contain, and what was last written to them."""

    def entries_in_file(self, stem: str, part: int) -> list[Entry]: ...
    def file_sizes(self) -> list[tuple[str, int, int, int]]:
        """Stem, part, number of entries and tokens of each domain file."""

    def common_tags(self, stem: str, limit: int) -> list[str]: ...
    def stated_in(self, file: str) -> list[EntryFromFile]:
        """Live, owner-trusted entries that came from a file, in line order."""

    def outbox(self) -> list[OutboxItem]: ...
    def projected(self, file: str) -> WrittenFile | None: ...
    def projected_files(self) -> list[str]: ...


class DecayQueries(Protocol):
    """Queries for decay."""

    def last_used(self, rows: Iterable[int]) -> dict[int, str]:
        """When entries were last read by id or cited; unused entries are omitted."""

    def idle(self, priority: Priority, moment: str) -> list[EntryRow]:
        """Live entries of a priority that have been neither used nor changed since `moment`."""

    def faded(self, rows: Sequence[int] | None = None) -> list[EntryRow]:
        """Entries archived by decay, optionally limited to some rows."""

    def faded_same_as(
        self, category: Category, trust: Trust, fingerprint: Fingerprint
    ) -> list[EntryRow]:
        """Entries archived by decay that have the same text."""

    def search_faded(self, terms: Sequence[str], limit: int) -> list[EntryRow]:
        """Entries archived by decay that contain one of the terms, best first."""


class Snapshot(
    EntryReader,
    DuplicateQueries,
    SearchQueries,
    VectorReader,
    ProjectionQueries,
    DecayQueries,
    Protocol,
):
    """A consistent view of one scope."""


class Transaction(Snapshot, VectorWriter, Protocol):
    """A snapshot that can also be changed; all changes commit together or not at all."""

    def insert(self, entry: Entry, fingerprint: Fingerprint, stem: str, change: str) -> None: ...
    def revise(self, old: EntryRow, new: Entry, stem: str, change: str) -> None: ...
    def add_history(self, id_: str, versions: Sequence[Version]) -> None: ...
    def update_in_place(self, old: EntryRow, new: Entry) -> None:
        """Change an entry without a new version: strength, use, links, origins."""

    def move_to_file(self, old: EntryRow, stem: str) -> None: ...
    def record_shown(self, ids: Sequence[str], now: str, *, used: bool) -> None:
        """Count that entries were listed (once a day) or used."""

    def add_to_outbox(self, file: str) -> None: ...
    def record_written(
        self, file: str, upto: int, digest: str, items: Mapping[str, str]
    ) -> None: ...
    def drop_derived_data(self) -> None: ...
    def rebuild_derived_data(self, rows: Sequence[int]) -> None: ...
    def erase(self, old: EntryRow, at: str) -> None:
        """Remove an entry completely, except for its tombstone."""

    def add_tombstones(self, tombstones: Iterable[Tombstone]) -> None: ...
    def add_notice(self, at: str, text: str) -> None: ...


class Store(Protocol):
    """The entries of one scope."""

    @property
    def writable(self) -> bool: ...
    @property
    def problem(self) -> str | None: ...
    def read(self) -> AbstractContextManager[Snapshot]: ...
    def write(self, operation: Callable[[Transaction], T]) -> T: ...
    def write_later(self, operation: Callable[[Transaction], Any]) -> None: ...
    def without_waiting(self) -> AbstractContextManager[Sequence[str]]:
        """Inside this block, this thread's writes wait only briefly for other programs, then fail
        with StoreBusy. Yields a list that collects the reasons for failed writes."""

    def scrub(self) -> None:
        """Remove all bytes of deleted rows from the database file and its log."""

    def shortfall(self) -> Shortfall | None:
        """What was acknowledged before and is missing now, until `accept_shortfall`."""

    def accept_shortfall(self) -> None:
        """Accept the current content as the new baseline; the shortfall has already been
        recorded."""

    @property
    def displaced(self) -> bool:
        """Whether the files were removed or replaced since they were opened."""

    @property
    def generation(self) -> int:
        """Increases each time the store is reopened on different files."""

    def close(self) -> None: ...
