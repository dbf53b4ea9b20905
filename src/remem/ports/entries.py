"""What must a store of entries do? Keep what it acknowledged, and find it again.

A `Store` belongs to exactly one scope: wiring opens it, and no method takes a scope.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from remem.model.entry import Category, Entry, Filter, Priority, Trust, Version
from remem.ports.models import Embedding, Floats, ModelIdentity
from remem.ports.records import (
    Beside,
    Counts,
    Dirty,
    Located,
    Matches,
    Occurrences,
    Pending,
    Place,
    Projected,
    Shortfall,
    Stated,
    Tombstone,
    Unseen,
)
from remem.text.similarity import Fingerprint

T = TypeVar("T")


class Reading(Protocol):
    """What can be asked of the entries of one scope."""

    def find(self, ids: Iterable[str]) -> list[Entry]: ...
    def locate(self, rows: Iterable[int]) -> dict[int, Entry]: ...
    def history(self, id_: str) -> list[Version]: ...
    def reworded_since(self, moment: str, limit: int) -> list[Located]:
        """Entries that have had another version and were changed since, the latest first."""

    def everything(self) -> Iterator[Entry]: ...
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
        """Live entries, the latest changed first."""

    def count_of(
        self,
        *,
        category: Category | None = None,
        priority: Priority | None = None,
        tag: str | None = None,
        without_tag: str | None = None,
    ) -> int:
        """How many live entries there are of a kind."""

    def untrusted(self) -> list[Entry]: ...
    def taken_from(self, places: Sequence[tuple[str, int]]) -> list[Entry]:
        """Entries, archived ones too, that name one of these lines as their origin."""

    def due(self, now: str, limit: int) -> list[Located]: ...
    def expired_early(self, now: str) -> list[Located]: ...
    def counts(self) -> Counts: ...
    def unseen_since(self, before: str) -> list[Unseen]: ...
    def note(self, key: str) -> str | None: ...
    def notes(self, start: str) -> dict[str, str]:
        """The remarks whose keys begin so, by what follows."""

    def notices(self, limit: int) -> list[str]: ...
    def tombstones(self) -> list[Tombstone]: ...
    def erased(self, id_: str | None, wording: int | None) -> str | None: ...
    def linking_to(self, id_: str) -> list[int]: ...
    def worded(self, wording: int) -> list[int]:
        """The rows of all entries, archived ones too, that say or once said so."""


class Likenesses(Protocol):
    """Entries that a new text may repeat; equal category and trust only."""

    def by_ids(self, ids: Sequence[str]) -> dict[str, Located]: ...
    def is_news(self, id_: str, print_: Fingerprint) -> bool:
        """True only if no entry, erased or not, has the id, and none was ever worded like the
        text or stands in it: then the next three have nothing to find."""

    def same_as(self, kind: Category, trust: Trust, print_: Fingerprint) -> list[Located]: ...
    def worded_before(self, kind: Category, trust: Trust, print_: Fingerprint) -> list[Located]: ...
    def extended_by(self, kind: Category, trust: Trust, print_: Fingerprint) -> list[Located]: ...
    def similar_to(self, kind: Category, trust: Trust, print_: Fingerprint) -> list[Located]: ...


class Searching(Protocol):
    """The legs of recall; each applies the filter before it counts or cuts."""

    def keyword(self, terms: Sequence[str], where: Filter, limit: int) -> Matches: ...
    def occurrences(
        self, terms: Sequence[str], rows: Sequence[int], *, live: bool = True
    ) -> Occurrences:
        """How often entries hold each term; unless `live`, archived and untrusted ones too."""

    def beside(self, places: Iterable[Place]) -> dict[Place, Beside]:
        """The live entries before and after each place."""

    def with_assistant(self, sources: Sequence[str]) -> frozenset[str]:
        """The sources in which an assistant speaks."""

    def newest(self, where: Filter, span: tuple[str, str] | None, limit: int) -> list[int]: ...
    def spelling(self, term: str) -> str | None: ...
    def nearest(
        self, identity: ModelIdentity, query: Floats, where: Filter, limit: int
    ) -> list[tuple[int, float]]: ...
    def vectors_of(self, identity: ModelIdentity, rows: Iterable[int]) -> dict[int, Embedding]: ...
    def covered(self) -> dict[ModelIdentity, int]: ...
    def pending(
        self, limit: int, after: int = 0, bare_of: ModelIdentity | None = None
    ) -> list[Pending]:
        """Texts that wait for a vector, in the order of their rows, from a row on; or only those
        that have no vector of a model, not even a quick one."""

    def quick_among(self, identity: ModelIdentity, rows: Iterable[int]) -> frozenset[int]:
        """The rows whose vector of a model is a quick one."""

    def quick_count(self, identity: ModelIdentity) -> int: ...

    def pending_count(self) -> int: ...
    def last_pending(self) -> int:
        """The last row that waits for a vector, or 0."""


class Projecting(Protocol):
    """What the files beside the store have to say, and have said."""

    def standing_in(self, home: str, part: int) -> list[Entry]: ...
    def place_of(self, id_: str) -> tuple[str, int] | None: ...
    def places(self) -> list[tuple[str, int, int, int]]: ...
    def common_tags(self, home: str, limit: int) -> list[str]: ...
    def stated_in(self, file: str) -> list[Stated]:
        """The live entries with the owner's trust that name a line of a file as their origin,
        in the order of those lines."""

    def outbox(self) -> list[Dirty]: ...
    def projected(self, file: str) -> Projected | None: ...
    def projected_files(self) -> list[str]: ...


class Fading(Protocol):
    """What decay has to know."""

    def last_used(self, rows: Iterable[int]) -> dict[int, str]:
        """When entries were last read by their id, or cited; never used ones are left out."""

    def idle(self, priority: Priority, before: str) -> list[Located]:
        """Live entries of a priority that were neither used nor changed since a moment."""

    def faded(self, rows: Sequence[int] | None = None) -> list[Located]:
        """Entries that decay has archived: among some rows, or all there are."""

    def faded_as(self, kind: Category, trust: Trust, print_: Fingerprint) -> list[Located]:
        """Of those, the ones that say the same as a text."""

    def faded_saying(self, terms: Sequence[str], limit: int) -> list[Located]:
        """Of those, the ones that hold one of the words, the best first."""


class Snapshot(Reading, Likenesses, Searching, Projecting, Fading, Protocol):
    """Everything that can be read."""


class Transaction(Snapshot, Protocol):
    """What an operation may change; all of it becomes durable at once, or none."""

    def insert(self, entry: Entry, print_: Fingerprint, home: str, change: str) -> None: ...
    def revise(self, old: Located, new: Entry, home: str, change: str) -> None: ...
    def keep_history(self, id_: str, versions: Sequence[Version]) -> None: ...
    def touch(self, old: Located, new: Entry) -> None: ...
    def rehome(self, old: Located, home: str) -> None: ...
    def shown(self, ids: Sequence[str], now: str, *, used: bool) -> None: ...
    def want_vectors(self, *models: ModelIdentity) -> None: ...
    def save_vectors(
        self,
        identity: ModelIdentity,
        embedded: Sequence[tuple[int, int, Embedding]],
        *,
        more: bool = False,
    ) -> None:
        """With `more` the texts keep waiting, for another model."""

    def save_quick_vectors(
        self, identity: ModelIdentity, embedded: Sequence[tuple[int, int, Embedding]]
    ) -> None:
        """Until the model's own are there; what waits for those keeps waiting."""

    def drop_vectors(self, identity: ModelIdentity, rows: Sequence[int]) -> None:
        """Of one model, for texts that others know better."""

    def served(self, rows: Sequence[tuple[int, int]]) -> None:
        """These texts, by row and version, wait no longer."""

    def mark(self, file: str) -> None: ...
    def written(self, file: str, upto: int, digest: str, items: Mapping[str, str]) -> None: ...
    def drop_projections(self) -> None: ...
    def restore(self, rows: Sequence[int]) -> None: ...
    def erase(self, old: Located, at: str) -> None: ...
    def bury(self, tombstones: Iterable[Tombstone]) -> None: ...
    def announce(self, at: str, text: str) -> None: ...
    def keep_note(self, key: str, value: str) -> None: ...


class Coming(Protocol):
    """A text that is about to be stored, and the id that it would have.

    An operation may name those that it stores in an attribute `coming`: then a store can look
    up together what the texts of many callers repeat.
    """

    @property
    def id(self) -> str: ...
    @property
    def print_(self) -> Fingerprint: ...


@dataclass(frozen=True, slots=True)
class Deferred(Generic[T]):
    """An operation that takes work to make. A store may make it on the thread that writes,
    before the transaction: many callers who work at once would take the interpreter from
    that thread at every step."""

    make: Callable[[], Callable[[Transaction], T]]

    def __call__(self, tx: Transaction) -> T:
        return self.make()(tx)


class Store(Protocol):
    """The record of one scope."""

    @property
    def writable(self) -> bool: ...
    @property
    def trouble(self) -> str | None: ...
    def read(self) -> AbstractContextManager[Snapshot]: ...
    def write(self, operation: Callable[[Transaction], T]) -> T: ...
    def write_later(self, operation: Callable[[Transaction], Any]) -> None: ...
    def hurried(self) -> AbstractContextManager[Sequence[str]]:
        """Inside, no write of this thread waits for a program that holds the database: it fails
        with StoreBusy. The block gets the reasons."""

    def scrub(self) -> None: ...
    def shortfall(self) -> Shortfall | None:
        """What was acknowledged and is missing since the store was opened, until `settle`."""

    def settle(self) -> None:
        """The shortfall is on record; from here on what the store holds counts."""

    @property
    def displaced(self) -> bool:
        """Whether its files were removed or replaced since they were opened."""

    @property
    def generation(self) -> int:
        """Rises whenever other files have taken the place of those that were open."""

    def close(self) -> None: ...
