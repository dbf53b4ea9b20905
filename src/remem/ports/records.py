"""In what do stores and their callers speak? Small values, each of one kind."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from remem.model.entry import Entry, Priority


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
class Progress:
    """How many entries, and how many changes to files, a store has ever counted."""

    entries: int
    changes: int


@dataclass(frozen=True, slots=True)
class Shortfall:
    """A store holds less than it had acknowledged: what it once counted, and counts now."""

    had: Progress
    has: Progress


@dataclass(frozen=True, slots=True)
class Unseen:
    """Live entries of a home that nobody saw or changed for some time; when last, and how many."""

    home: str
    entries: int
    tokens: int
    last_access: str


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


Place = tuple[str, int]
"""A source and a position in it."""


class Stated(NamedTuple):
    """An entry that the owner's own file states, without its text."""

    row: int
    priority: Priority
    context: str


@dataclass(frozen=True, slots=True)
class Beside:
    """The rows that stand before a place, the nearest first, and the one after it."""

    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Occurrences:
    """How often rows hold each of some terms, and how rare these are.

    A row that holds none of them is left out. `holders` counts the entries that hold a term,
    `among` all that there are; `mean_length` is that of all, in words.
    """

    counts: dict[int, tuple[float, ...]] = field(default_factory=dict)
    lengths: dict[int, int] = field(default_factory=dict)
    holders: tuple[int, ...] = ()
    among: int = 0
    mean_length: float = 1.0


@dataclass(frozen=True, slots=True)
class Pending:
    """A text that waits for its vector."""

    row: int
    version: int
    text: str


@dataclass(frozen=True, slots=True)
class Tombstone:
    """An entry that was erased: its id, and the hash of a wording that it had."""

    id: str
    wording: int
    at: str


@dataclass(frozen=True, slots=True)
class Examined:
    """What an examination of a database found.

    `structure`: the file itself is not sound. `damaged`, `damaged_history`: ids of records
    that are not what was written. `derived`: what can be made anew from the records.
    `owner`: the scope that it says it belongs to.
    """

    sqlite: str
    schema: int | None
    structure: tuple[str, ...] = ()
    damaged: tuple[str, ...] = ()
    damaged_history: tuple[str, ...] = ()
    derived: tuple[str, ...] = ()
    entries: int = 0
    newest: str | None = None
    owner: str | None = None

    @property
    def sound(self) -> bool:
        """Whether every record can be relied on."""
        return not (self.structure or self.damaged or self.damaged_history)
