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
    Located,
    Matches,
    Neighbours,
    Occurrences,
    OutboxItem,
    Place,
    Shortfall,
    StatedEntry,
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
    def locate(self, rows: Iterable[int]) -> dict[int, Entry]: ...
    def history(self, id_: str) -> list[Version]: ...
    def reworded_since(self, moment: str, limit: int) -> list[Located]:
        """Entries with an earlier version that changed after `moment`, latest first."""

    def all_entries(self) -> Iterator[Entry]: ...
    def rows(self) -> list[int]: ...
    def top(
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

    def due(self, now: str, limit: int) -> list[Located]: ...
    def expired_early(self, now: str) -> list[Located]: ...
    def counts(self) -> Counts: ...
    def unseen_since(self, before: str) -> list[UnseenEntries]: ...
    def get_state(self, key: str) -> str | None: ...
    def get_states(self, prefix: str) -> dict[str, str]:
        """State values by key, without the prefix."""

    def notices(self, limit: int) -> list[str]: ...
    def tombstones(self) -> list[Tombstone]: ...
    def erased(self, id_: str | None, wording: int | None) -> str | None: ...
    def linking_to(self, id_: str) -> list[int]: ...
    def with_wording(self, wording: int) -> list[int]:
        """Rows of all entries, including archived ones, that have or had this wording."""


class DuplicateQueries(Protocol):
    """Finds entries that a new text may repeat, within one category and trust."""

    def by_ids(self, ids: Sequence[str]) -> dict[str, Located]: ...
    def is_new_text(self, id_: str, fingerprint: Fingerprint) -> bool:
        """Whether neither the id nor the text was ever stored, and no entry is part of the text.

        If so, the next three lookups find nothing. Erased entries count as stored.
        """

    def same_as(self, kind: Category, trust: Trust, fingerprint: Fingerprint) -> list[Located]: ...
    def formerly_worded(
        self, kind: Category, trust: Trust, fingerprint: Fingerprint
    ) -> list[Located]: ...
    def extended_by(
        self, kind: Category, trust: Trust, fingerprint: Fingerprint
    ) -> list[Located]: ...
    def similar_to(
        self, kind: Category, trust: Trust, fingerprint: Fingerprint
    ) -> list[Located]: ...


class SearchQueries(Protocol):
    """Finds candidates for a recall; filters apply before counts and limits."""

    def keyword(self, terms: Sequence[str], where: Filter, limit: int) -> Matches: ...
    def occurrences(
        self, terms: Sequence[str], rows: Sequence[int], *, live: bool = True
    ) -> Occurrences:
        """Count the terms in some entries; unless `live`, archived and untrusted ones too."""

    def neighbours(self, places: Iterable[Place]) -> dict[Place, Neighbours]:
        """The live entries before and after each place."""

    def with_assistant(self, sources: Sequence[str]) -> frozenset[str]:
        """The sources that contain an assistant's turns."""

    def newest(self, where: Filter, span: tuple[str, str] | None, limit: int) -> list[int]: ...
    def spelling(self, term: str) -> str | None: ...
    def nearest(
        self, identity: ModelIdentity, query: Floats, where: Filter, limit: int
    ) -> list[tuple[int, float]]: ...


class ProjectionQueries(Protocol):
    """What the Markdown projections contain, and what was last written to them."""

    def entries_in_file(self, home: str, part: int) -> list[Entry]: ...
    def places(self) -> list[tuple[str, int, int, int]]: ...
    def common_tags(self, home: str, limit: int) -> list[str]: ...
    def stated_in(self, file: str) -> list[StatedEntry]:
        """Live, owner-trusted entries that originate in a file, in line order."""

    def outbox(self) -> list[OutboxItem]: ...
    def projected(self, file: str) -> WrittenFile | None: ...
    def projected_files(self) -> list[str]: ...


class DecayQueries(Protocol):
    """Queries for decay."""

    def last_used(self, rows: Iterable[int]) -> dict[int, str]:
        """When entries were last read by id or cited; unused entries are omitted."""

    def idle(self, priority: Priority, before: str) -> list[Located]:
        """Live entries of a priority that were neither used nor changed since `before`."""

    def faded(self, rows: Sequence[int] | None = None) -> list[Located]:
        """Entries archived by decay, optionally limited to some rows."""

    def faded_same_as(
        self, kind: Category, trust: Trust, fingerprint: Fingerprint
    ) -> list[Located]:
        """Faded entries with the same text."""

    def search_faded(self, terms: Sequence[str], limit: int) -> list[Located]:
        """Faded entries that contain one of the terms, best first."""


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

    def insert(self, entry: Entry, fingerprint: Fingerprint, home: str, change: str) -> None: ...
    def revise(self, old: Located, new: Entry, home: str, change: str) -> None: ...
    def add_history(self, id_: str, versions: Sequence[Version]) -> None: ...
    def touch(self, old: Located, new: Entry) -> None: ...
    def rehome(self, old: Located, home: str) -> None: ...
    def shown(self, ids: Sequence[str], now: str, *, used: bool) -> None: ...
    def mark(self, file: str) -> None: ...
    def written(self, file: str, upto: int, digest: str, items: Mapping[str, str]) -> None: ...
    def drop_projections(self) -> None: ...
    def restore(self, rows: Sequence[int]) -> None: ...
    def erase(self, old: Located, at: str) -> None: ...
    def add_tombstones(self, tombstones: Iterable[Tombstone]) -> None: ...
    def add_notice(self, at: str, text: str) -> None: ...


class Store(Protocol):
    """The entries of one scope."""

    @property
    def writable(self) -> bool: ...
    @property
    def trouble(self) -> str | None: ...
    def read(self) -> AbstractContextManager[Snapshot]: ...
    def write(self, operation: Callable[[Transaction], T]) -> T: ...
    def write_later(self, operation: Callable[[Transaction], Any]) -> None: ...
    def without_waiting(self) -> AbstractContextManager[Sequence[str]]:
        """In this block, writes of the thread fail with StoreBusy while another program holds the
        database. Yields the list of reasons."""

    def scrub(self) -> None: ...
    def shortfall(self) -> Shortfall | None:
        """What was acknowledged before and is missing now, until `accept_shortfall`."""

    def accept_shortfall(self) -> None:
        """Count from the present content from now on; the shortfall is on record."""

    @property
    def displaced(self) -> bool:
        """Whether the files were removed or replaced since they were opened."""

    @property
    def generation(self) -> int:
        """Increases whenever the store was opened again on other files."""

    def close(self) -> None: ...
