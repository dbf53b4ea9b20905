"""The values that stores take and return."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from remem.model.entry import Entry, Priority


@dataclass(frozen=True, slots=True)
class EntryRow:
    """An entry and its row number, which searches use."""

    row: int
    entry: Entry


@dataclass(frozen=True, slots=True)
class OutboxItem:
    """A file that has to be written; `seq` is the latest change."""

    file: str
    seq: int


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """What was last written to a file: its digest, and the digest of each entry's
    text in it, by id."""

    digest: str
    items: dict[str, str]


@dataclass(frozen=True, slots=True)
class LifetimeCounts:
    """How many entries and file changes a store has counted in its lifetime."""

    entries: int
    changes: int


@dataclass(frozen=True, slots=True)
class Shortfall:
    """A store holds less than it had acknowledged: the counts before and now."""

    had: LifetimeCounts
    has: LifetimeCounts


@dataclass(frozen=True, slots=True)
class UnseenEntries:
    """Live entries of a domain file that have not been seen or changed for some time."""

    stem: str
    entries: int
    tokens: int
    last_access: str


@dataclass(frozen=True, slots=True)
class Counts:
    """How many entries a scope holds."""

    live: int = 0
    archived: int = 0
    untrusted: int = 0
    tokens: int = 0
    by_category: dict[str, int] = field(default_factory=dict)
    by_priority: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Matches:
    """Rows with their scores, best first, and the total number of matches."""

    rows: list[tuple[int, float]]
    total: int


Place = tuple[str, int]
"""A source and a position in it."""


class EntryFromFile(NamedTuple):
    """An entry that came from one of the owner's files; its text is not loaded."""

    row: int
    priority: Priority
    context: str


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The rows before a place, nearest first, and the row after it."""

    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Occurrences:
    """How often each term occurs in some rows, and how common the terms are.

    Rows without any of the terms are omitted. `entries_with_term` is the number of entries with
    each term, `total_entries` the number of all entries, `mean_length` their mean length in words.
    """

    counts: dict[int, tuple[float, ...]] = field(default_factory=dict)
    lengths: dict[int, int] = field(default_factory=dict)
    entries_with_term: tuple[int, ...] = ()
    total_entries: int = 0
    mean_length: float = 1.0


@dataclass(frozen=True, slots=True)
class PendingText:
    """A text that is queued for embedding."""

    row: int
    version: int
    text: str


@dataclass(frozen=True, slots=True)
class Tombstone:
    """An erased entry: its id and the hash of a wording that it had."""

    id: str
    wording_hash: int
    at: str


@dataclass(frozen=True, slots=True)
class Examination:
    """The result of examining a database.

    `structure`: problems with the file itself. `damaged`, `damaged_history`: ids of records whose
    checksum is wrong. `derived`: problems with data that can be rebuilt from the records.
    `owner`: the scope that the database says it belongs to.
    """

    sqlite_version: str
    schema: int | None
    structure: tuple[str, ...] = ()
    damaged: tuple[str, ...] = ()
    damaged_history: tuple[str, ...] = ()
    derived: tuple[str, ...] = ()
    entries: int = 0
    newest_entry_at: str | None = None
    owner: str | None = None

    @property
    def sound(self) -> bool:
        """Whether every record is intact."""
        return not (self.structure or self.damaged or self.damaged_history)
