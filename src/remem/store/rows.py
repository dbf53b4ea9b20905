"""Convert entries to rows of a table and to records of their history; find them by their ids."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from operator import itemgetter
from typing import Any, ClassVar, Final, cast

from remem.model.entry import (
    ASSISTANT,
    CATEGORIES,
    PRIORITIES,
    ArchiveReason,
    Entry,
    Origin,
    Version,
)
from remem.ports.records import TallyBy
from remem.text.similarity import Fingerprint

COLUMNS: Final = (
    "id category content context priority tags related_to source origins trust created_at "
    "updated_at expires_at token_estimate archived superseded_by version strength uses"
).split()
TALLIED: Final[dict[TallyBy, str]] = {
    "all": "'all'",
    "category": "e.category",
    "priority": "e.priority",
    "trust": "e.trust",
    "home": "e.home || ':' || e.part",
    "tag": "t.tag",
}
"""What entries are counted by, as SQL; `t` is the table of tags."""

_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))

# Bits of the number that is stored with each vector, by which scans filter.
FACET_ARCHIVED: Final = 1
FACET_UNTRUSTED: Final = 2
FACET_NO_VECTOR: Final = 4
FACET_PRIORITY_SHIFT: Final = 3
FACET_CATEGORY_SHIFT: Final = 5
FACET_QUICK: Final = 256


def entry_from(values: Sequence[Any], archive_reason: ArchiveReason | None = None) -> Entry:
    """Return the inverse of `values_of`; written out for speed, because a recall reads hundreds."""
    id_, category, content, context, priority, tags, related_to, source, origins, *rest = values
    trust, created_at, updated_at, expires_at, token_estimate, archived, *rest = rest
    superseded_by, version, strength, uses = rest
    return Entry(
        id_,
        category,
        content,
        created_at,
        updated_at,
        context,
        priority,
        _texts(tags),
        _texts(related_to),
        source,
        origins_of(origins),
        trust,
        expires_at,
        token_estimate,
        bool(archived),
        superseded_by,
        version,
        strength,
        uses,
        archive_reason,
    )


def values_of(entry: Entry) -> list[Any]:
    """Return the values of `COLUMNS`, in their order."""
    return [
        entry.id,
        entry.category,
        entry.content,
        entry.context,
        entry.priority,
        compact(entry.tags),
        compact(entry.related_to),
        entry.source,
        _origins_text(entry.origins),
        entry.trust,
        entry.created_at,
        entry.updated_at,
        entry.expires_at,
        entry.token_estimate,
        int(entry.archived),
        entry.superseded_by,
        entry.version,
        entry.strength,
        entry.uses,
    ]


def lookup_values(fingerprint: Fingerprint) -> list[int]:
    return [fingerprint.same, fingerprint.longest]


def state_of(entry: Entry) -> list[bool]:
    """Return whether an entry is current (neither archived nor superseded), and whether it is
    live."""
    return [not (entry.archived or entry.superseded_by), entry.live]


def facets(entry: Entry) -> int:
    is_archived = bool(entry.archived or entry.superseded_by)
    return facets_of(entry.category, entry.priority, entry.trust, is_archived)


def facets_of(category: str, priority: str, trust: str, is_archived: bool) -> int:
    """Return the facets of an entry; `is_archived` also means superseded."""
    return (
        (FACET_ARCHIVED if is_archived else 0)
        | (FACET_UNTRUSTED if trust == "untrusted" else 0)
        | PRIORITIES.index(priority) << FACET_PRIORITY_SHIFT
        | CATEGORIES.index(category) << FACET_CATEGORY_SHIFT
    )


def record_of(entry: Entry) -> str:
    """Return an entry as JSON, as stored in its history."""
    return compact(asdict(entry))


def entry_of(record: str) -> Entry:
    """Return the inverse of `record_of`."""
    return entry_from_mapping(json.loads(record))


def entry_from_mapping(values: Mapping[str, Any]) -> Entry:
    origins = tuple(Origin(**origin) for origin in values.get("origins", ()))
    lists = {key: tuple(values.get(key, ())) for key in ("tags", "related_to")}
    return Entry(**{**values, **lists, "origins": origins})


def compact(value: object) -> str:
    """Return a value as JSON without spaces."""
    return "[]" if value == () else _ENCODER.encode(value)


def _texts(text: str) -> tuple[str, ...]:
    return () if text == "[]" else tuple(json.loads(text))


@lru_cache(maxsize=1_000)
def origins_of(text: str) -> tuple[Origin, ...]:
    """Return the origins from JSON; cached, because entries stored together share them."""
    if text == "[]":
        return ()
    return tuple(Origin(*values) for values in cast(list[list[Any]], json.loads(text)))


@lru_cache(maxsize=1_000)
def _origins_text(origins: tuple[Origin, ...]) -> str:
    """Return the origins as JSON; cached, because entries stored together share them."""
    return compact(
        [[origin.source, origin.position, origin.speaker, origin.role] for origin in origins]
    )


def places_of(origins: Sequence[Origin]) -> Iterator[tuple[int, int, int]]:
    """Yield the source number, the position, and whether the turn is an assistant's."""
    for origin in origins:
        if origin.position is not None:
            yield source_number(origin.source), origin.position, int(origin.role == ASSISTANT)


@lru_cache(maxsize=10_000)
def source_number(source: str) -> int:
    """Return a source's name as a number, to save space."""
    digest = hashlib.blake2b(source.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def without_id(value: object, id_: str) -> object:
    """Return a JSON value without an id and without what is recorded under it."""
    match value:
        case dict():
            return {key: without_id(item, id_) for key, item in value.items() if key != id_}
        case list():
            return [without_id(item, id_) for item in value]
        case _:
            return value


class LocatedEntries(ABC):
    """Entries by their ids, with the numbers that identify them inside the store.

    A snapshot reads each entry only once, because nobody can change it.
    """

    _is_unchanging: ClassVar[bool] = True

    def __init__(self) -> None:
        self._loaded: dict[str, tuple[int, Entry]] = {}

    @abstractmethod
    def _locate(self, ids: list[str]) -> dict[str, tuple[int, Entry]]:
        """Read the entries with these ids."""

    @abstractmethod
    def _read_numbers(self, ids: list[str]) -> dict[str, int]:
        """Read the numbers of the entries with these ids."""

    def find(self, ids: Iterable[str]) -> dict[str, Entry]:
        """Return the entries with these ids, in the order they were stored."""
        located = sorted(self._located(ids).values(), key=itemgetter(0))
        return {entry.id: entry for _, entry in located}

    def _located(self, ids: Iterable[str]) -> dict[str, tuple[int, Entry]]:
        """Return the numbers and entries with these ids."""
        requested = list(dict.fromkeys(ids))
        located = {id_: self._loaded[id_] for id_ in requested if id_ in self._loaded}
        if missing := [id_ for id_ in requested if id_ not in located]:
            located |= self._locate(missing)
            if self._is_unchanging:
                self._loaded |= located
        return located

    def _numbers_of(self, ids: Iterable[str]) -> dict[str, int]:
        requested = list(ids)
        numbers = {id_: self._loaded[id_][0] for id_ in requested if id_ in self._loaded}
        if missing := [id_ for id_ in requested if id_ not in numbers]:
            numbers |= self._read_numbers(missing)
        return numbers


def versions_of(changes: Iterable[tuple[str, Entry]]) -> list[Version]:
    """Return the history of an entry: what changed it, and what it was then."""
    return [Version(entry.version, entry.updated_at, change, entry) for change, entry in changes]
