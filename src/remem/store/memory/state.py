"""The state of a store in memory: plain dictionaries, copied for each transaction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from remem.model.entry import PRIORITIES, Entry, Version
from remem.ports.models import Embedding, ModelIdentity
from remem.ports.records import (
    Home,
    Order,
    Tally,
    TallyBy,
    Tombstone,
    Where,
)
from remem.text.similarity import folded_hash
from remem.text.words import fold


@dataclass(frozen=True, slots=True)
class StoredEntry:
    """An entry with what the store records about it.

    `change` says what led to the current version; `used` and `listed` are the times of the last
    use and listing.
    """

    number: int
    entry: Entry
    change: str
    home: Home
    earlier: tuple[Version, ...] = ()
    used: str | None = None
    listed: str | None = None

    @property
    def current(self) -> bool:
        return not (self.entry.archived or self.entry.superseded_by)

    @property
    def wordings(self) -> set[int]:
        """The hashes of the entry's current and earlier texts."""
        texts = (version.entry.content for version in self.earlier)
        return {folded_hash(self.entry.content), *map(folded_hash, texts)}


@dataclass(frozen=True, slots=True)
class Vector:
    """A vector; a quick one is provisional."""

    embedding: Embedding
    quick: bool


@dataclass(slots=True)
class MemoryState:
    """The content of a store; entries are in the order they were stored."""

    entries: dict[str, StoredEntry] = field(default_factory=dict)
    tombstones: dict[tuple[str, int], Tombstone] = field(default_factory=dict)
    outbox: dict[str, int] = field(default_factory=dict)
    records: dict[tuple[str, str], str] = field(default_factory=dict)
    vectors: dict[ModelIdentity, dict[str, Vector]] = field(default_factory=dict)
    queue: set[str] = field(default_factory=set)
    models: str | None = None
    counter: int = 0
    """The last number that was given to an entry or to a change to a file."""

    def copy(self) -> MemoryState:
        """Return a copy to change; the values in the dictionaries never change."""
        return replace(
            self,
            entries=dict(self.entries),
            tombstones=dict(self.tombstones),
            outbox=dict(self.outbox),
            records=dict(self.records),
            vectors={model: dict(known) for model, known in self.vectors.items()},
            queue=set(self.queue),
        )

    def next_number(self) -> int:
        """Increment the counter, and return it."""
        self.counter += 1
        return self.counter

    def select(self, where: Where, order: Order, limit: int | None) -> list[Entry]:
        """Return the entries that meet some conditions, at most `limit`."""
        selected = [stored for stored in self.entries.values() if _meets(stored, where)]
        if order == "latest":
            selected.sort(key=lambda stored: (stored.entry.updated_at, stored.number), reverse=True)
        elif order == "important":
            selected.sort(key=lambda stored: (stored.entry.created_at, stored.number), reverse=True)
            selected.sort(key=lambda stored: PRIORITIES.index(stored.entry.priority))
        elif order == "position":
            selected.sort(key=lambda stored: min(_positions(stored.entry, where.from_source)))
        return [stored.entry for stored in selected[:limit]]

    def tally(self, by: TallyBy, where: Where) -> dict[str, Tally]:
        """Return the number and the tokens of the entries with each value, most frequent first."""
        counts, tokens = Counter[str](), Counter[str]()
        for stored in self.entries.values():
            if _meets(stored, where):
                for value in _values_to_count(stored, by):
                    counts[value] += 1
                    tokens[value] += stored.entry.token_estimate
        order = sorted(counts, key=lambda value: (-counts[value], value))
        return {value: Tally(counts[value], tokens[value]) for value in order}


def _values_to_count(stored: StoredEntry, by: TallyBy) -> Iterable[str]:
    """Return the values under which an entry is counted."""
    match by:
        case "category" | "priority" | "trust":
            entry = stored.entry
            values = {"category": entry.category, "priority": entry.priority, "trust": entry.trust}
            return (values[by],)
        case "home":
            return (f"{stored.home.stem}:{stored.home.part}",)
        case "tag":
            return {fold(tag) for tag in stored.entry.tags}
        case "all":
            return ("all",)


def _meets(stored: StoredEntry, where: Where) -> bool:
    """Return whether an entry meets all conditions."""
    return all(_results(stored, where))


def _results(stored: StoredEntry, where: Where) -> Iterator[bool]:
    """Yield, for each condition, whether an entry meets it."""
    entry = stored.entry
    tags = {fold(tag) for tag in entry.tags}
    yield _in_state(stored, where)
    for expected, value in (
        (where.category, entry.category),
        (where.priority, entry.priority),
        (where.trust, entry.trust),
        (where.stem, stored.home.stem),
        (where.home, stored.home),
    ):
        yield expected is None or expected == value
    yield where.excluded_source is None or entry.source != where.excluded_source
    yield where.tag is None or fold(where.tag) in tags
    yield where.without_tag is None or fold(where.without_tag) not in tags
    yield where.wording_hash is None or where.wording_hash in stored.wordings
    yield where.links_to is None or where.links_to in entry.related_to
    yield from _results_for_times(stored, where)
    yield where.from_source is None or (entry.live and bool(_positions(entry, where.from_source)))
    yield where.from_lines is None or any(
        (origin.source, origin.position) in where.from_lines for origin in entry.origins
    )


def _results_for_times(stored: StoredEntry, where: Where) -> Iterator[bool]:
    entry, expires = stored.entry, stored.entry.expires_at
    yield where.created is None or where.created[0] <= entry.created_at <= where.created[1]
    revised = where.revised_after
    yield revised is None or (entry.version > 1 and entry.updated_at > revised)
    last_active = max(entry.updated_at, stored.used or "")
    yield where.idle_since is None or last_active < where.idle_since
    yield where.expires_until is None or (expires is not None and expires <= where.expires_until)
    yield where.expires_after is None or (expires is not None and expires > where.expires_after)


def _in_state(stored: StoredEntry, where: Where) -> bool:
    entry = stored.entry
    if where.filter is not None:
        return where.filter.admits(entry)
    if where.archived_as == "faded":
        return entry.faded
    if where.archived_as is not None:
        return entry.archived and entry.archive_reason == where.archived_as
    states = {
        "live": entry.live,
        "current": stored.current,
        "archived": not stored.current,
        "any": True,
    }
    return states[where.state]


def _positions(entry: Entry, source: str | None) -> list[int]:
    """Return the positions of an entry in a source."""
    return [
        origin.position
        for origin in entry.origins
        if origin.source == source and origin.position is not None
    ]
