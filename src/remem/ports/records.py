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
"""The id of a text: the id of an entry, or the number of a passage."""

EntryState = Literal["live", "current", "archived", "any"]
"""live: current and not untrusted. current: neither archived nor superseded. archived: archived or
superseded, so every entry that is not current."""

Order = Literal["stored", "latest", "important", "position"]
"""stored: in the order they were stored. latest: latest change first. important: by priority, then
latest change first. position: by the position in the file or conversation that `Where.from_source`
names."""

_EMPTY: Final[Mapping[Any, Any]] = MappingProxyType({})

TallyBy = Literal["category", "priority", "trust", "home", "tag", "all"]
"""The value by which entries are counted. home: the stem of the domain file. all: none, so that all
entries are counted together."""
SourcePosition = tuple[str, int]
"""The name of a source, such as a file or a conversation, and a position, such as a line number."""


class Home(NamedTuple):
    """The domain file that contains an entry: its stem and part number."""

    stem: str
    part: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """Conditions on entries, which must all be met; conditions left at None are ignored.

    Times have the format of an entry's times.

    - `state`: the entry is in this state; ignored if `filter` or `archived_as` is given.
    - `filter`: it passes the filter of a search. `archived_as`: it was archived for this reason.
    - `tag`, `without_tag`: the entry has, or does not have, this tag.
    - `excluded_source`: its `source`, the way in which it was stored, is not this one.
    - `stem`: it is in a domain file with this stem. `home`: it is in exactly this domain file.
    - `from_source`: it comes from this file or conversation.
    - `from_lines`: it comes from one of these lines, given by file and line number.
    - `created`: it was created between two times, or at one of them.
    - `revised_after`: it has several versions, and the latest one is newer than this time.
    - `idle_since`: it was last changed and last used before this time.
    - `expires_until`, `expires_after`: it expires at this time or before, or after it.
    - `wording_hash`: one of its versions, earlier ones included, has the text with this hash.
    - `links_to`: it is linked to the entry with this id.
    """

    state: EntryState = "live"
    filter: Filter | None = None
    category: Category | None = None
    priority: Priority | None = None
    trust: Trust | None = None
    archived_as: ArchiveReason | None = None
    tag: str | None = None
    without_tag: str | None = None
    excluded_source: str | None = None
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
    """When an entry was last used and last listed, and its domain file.

    To use an entry is to read it by its id or to cite it; an answer or the index only lists it.
    """

    home: Home
    used: str | None = None
    listed: str | None = None


class OutboxItem(NamedTuple):
    """A file that has to be written; `seq` is the number of the latest change to it."""

    file: str
    seq: int


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """The last content that remem wrote to a file, as digests: of the file and of each entry."""

    digest: str
    items: dict[str, str]


class Matches(NamedTuple, Generic[Key]):
    """Hits with their scores, best first, and the total number of matches."""

    hits: list[tuple[Key, float]]
    total: int


class Neighbours(NamedTuple):
    """The ids of the entries before a position, nearest first, and of the one after it."""

    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TermStatistics:
    """How often each term occurs in the entries that were asked for, and how common the terms are.

    By the ids of the entries that contain a term, `counts` has the number of occurrences of each
    term and `lengths` the number of words. Of all entries, `entries_with_term` counts those with
    each term, `total_entries` is their number, and `mean_length` their mean length in words.
    """

    counts: dict[str, tuple[float, ...]] = field(default_factory=dict)
    lengths: dict[str, int] = field(default_factory=dict)
    entries_with_term: tuple[int, ...] = ()
    total_entries: int = 0
    mean_length: float = 1.0


class VectorState(NamedTuple):
    """The state of the vectors of a store.

    `models` are the models that texts are queued for, as `join_identities` writes them, `vectors`
    the number of vectors of each model, and `pending` the number of queued texts. While texts are
    queued, `quick` is the number of quick vectors among the vectors of each model.
    """

    models: str | None = None
    vectors: Mapping[ModelIdentity, int] = _EMPTY
    pending: int = 0
    quick: Mapping[ModelIdentity, int] = _EMPTY


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
    `scope`: the scope that the database says it belongs to.
    """

    sqlite_version: str
    schema: int | None
    structure: tuple[str, ...] = ()
    damaged: tuple[str, ...] = ()
    damaged_history: tuple[str, ...] = ()
    derived: tuple[str, ...] = ()
    entries: int = 0
    newest_entry_at: str | None = None
    scope: str | None = None

    @property
    def intact(self) -> bool:
        """Whether every record is intact."""
        return not (self.structure or self.damaged or self.damaged_history)
