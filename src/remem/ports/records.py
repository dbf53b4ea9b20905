"""The values that stores take and return.

Rows are named tuples: every command imports this module, and a frozen dataclass takes five times as
long to define.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Any, Final, Generic, Literal, NamedTuple, TypeVar

from remem.fast_dataclass import dataclass
from remem.model.entry import ArchiveReason, Category, Filter, Priority, Trust
from remem.ports.models import ModelIdentity

Key = TypeVar("Key")
"""The id of a text: that of an entry, or the number of a passage."""

State = Literal["live", "current", "archived", "any"]
"""live: current and trusted. current: neither archived nor superseded. archived: archived or
superseded."""

Order = Literal["stored", "latest", "important", "position"]
"""stored: in the order they were stored. latest: latest change first. important: by priority, then
the latest first. position: by the position in `from_source`."""

_NONE: Final[Mapping[Any, Any]] = MappingProxyType({})

TallyBy = Literal["category", "priority", "trust", "home", "tag", "all"]


class Home(NamedTuple):
    """The domain file that contains an entry: its stem and part number."""

    stem: str
    part: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """Conditions on entries, which must all be met; conditions left at None are ignored.

    `filter` and `archived_as` replace `state`. `from_source` is a file or conversation that the
    entry comes from, `from_lines` are lines of files. `wording_hash` is the hash of a text that the
    entry has or had. `idle_since`: neither used nor changed since then. `revised_after`: has a
    version newer than this time.
    """

    state: State = "live"
    filter: Filter | None = None
    category: Category | None = None
    priority: Priority | None = None
    trust: Trust | None = None
    archived_as: ArchiveReason | None = None
    tag: str | None = None
    without_tag: str | None = None
    without_source: str | None = None
    stem: str | None = None
    home: Home | None = None
    from_source: str | None = None
    from_lines: tuple[tuple[str, int], ...] | None = None
    created: tuple[str, str] | None = None
    revised_after: str | None = None
    idle_since: str | None = None
    expires_until: str | None = None
    expires_after: str | None = None
    wording_hash: int | None = None
    links_to: str | None = None


class Tally(NamedTuple):
    """The number of entries of a kind, and their tokens."""

    entries: int = 0
    tokens: int = 0


class Usage(NamedTuple):
    """The domain file of an entry, and when the entry was last used and last listed.

    An entry is used if it is read by its id or cited.
    """

    home: Home
    used: str | None = None
    listed: str | None = None


class OutboxItem(NamedTuple):
    """A file that has to be written; `seq` is the latest change."""

    file: str
    seq: int


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """The last write of a file: its digest, and the digest of each entry's text in it, by id."""

    digest: str
    items: dict[str, str]


class Matches(NamedTuple, Generic[Key]):
    """Hits with their scores, best first, and the total number of matches."""

    hits: list[tuple[Key, float]]
    total: int


Place = tuple[str, int]
"""A source and a position in it."""


class Neighbours(NamedTuple):
    """The entries before a place, nearest first, and the one after it."""

    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TermStatistics:
    """How often each term occurs in some entries, and how common the terms are.

    Entries without any of the terms are omitted. `entries_with_term` is the number of entries with
    each term, `total_entries` the number of all entries, `mean_length` their mean length in words.
    """

    counts: dict[str, tuple[float, ...]] = field(default_factory=dict)
    lengths: dict[str, int] = field(default_factory=dict)
    entries_with_term: tuple[int, ...] = ()
    total_entries: int = 0
    mean_length: float = 1.0


class VectorState(NamedTuple):
    """The state of the vectors of a store.

    `models` are the models that texts are queued for, as `join_identities` writes them, `vectors`
    the number of vectors of each model, and `pending` the number of queued texts. If there are
    any, `quick` is the number of vectors of each model that are quick vectors.
    """

    models: str | None = None
    vectors: Mapping[ModelIdentity, int] = _NONE
    pending: int = 0
    quick: Mapping[ModelIdentity, int] = _NONE


class PendingText(NamedTuple, Generic[Key]):
    """A text that is queued for embedding."""

    id: Key
    version: int
    text: str


class Tombstone(NamedTuple):
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
    def intact(self) -> bool:
        """Whether every record is intact."""
        return not (self.structure or self.damaged or self.damaged_history)
