"""Convert entries to the values that databases store, and back; find entries by their ids."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from functools import lru_cache
from operator import itemgetter
from typing import Any, ClassVar, Final, cast

from remem.errors import StoreError
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
TALLY_COLUMNS: Final[dict[TallyBy, str]] = {
    "all": "'all'",
    "category": "e.category",
    "priority": "e.priority",
    "trust": "e.trust",
    "home": "e.home || ':' || e.part",
    "tag": "t.tag",
}
"""The SQL expression for each value by which entries are counted; `t` is the table of tags."""

MAX_GAP: Final = 4
"""Entries of a source whose positions (turns or lines) are further apart are not neighbours."""
MAX_SENTENCES: Final = 8
"""A text with more sentences than this is never reported as new; duplicates of it are looked up."""

_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))

# The facets of a vector are a number with the properties by which a scan filters. Its bits:
FACET_ARCHIVED: Final = 1
FACET_UNTRUSTED: Final = 2
FACET_NO_VECTOR: Final = 4  # the vector was removed; its sign bits are out of date
FACET_PRIORITY_SHIFT: Final = 3
FACET_CATEGORY_SHIFT: Final = 5
FACET_QUICK: Final = 256  # approximate, until the model itself has encoded the text


def entry_from_values(values: Sequence[Any], archive_reason: ArchiveReason | None = None) -> Entry:
    """Return the entry with these values of `COLUMNS`.

    The fields are written out for speed, because a recall reads hundreds of entries.
    """
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
        _texts_in(tags),
        _texts_in(related_to),
        source,
        origins_in(origins),
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


def column_values(entry: Entry) -> list[Any]:
    """Return an entry's values of `COLUMNS`, in their order."""
    return [
        entry.id,
        entry.category,
        entry.content,
        entry.context,
        entry.priority,
        compact(entry.tags),
        compact(entry.related_to),
        entry.source,
        _json_of_origins(entry.origins),
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


def lookup_hashes(fingerprint: Fingerprint) -> list[int]:
    """Return the values of the columns `same` and `longest`.

    They are hashes of the folded text, and of its longest sentence.
    """
    return [fingerprint.same, fingerprint.longest]


def state_flags(entry: Entry) -> list[bool]:
    """Return the values of the columns `standing` and `live`.

    They say whether an entry is current (neither archived nor superseded), and whether it is live.
    """
    return [not (entry.archived or entry.superseded_by), entry.live]


def facets_of(entry: Entry) -> int:
    """Return the facets of an entry's vector."""
    is_archived = bool(entry.archived or entry.superseded_by)
    return facets_from_columns(entry.category, entry.priority, entry.trust, is_archived)


def facets_from_columns(category: str, priority: str, trust: str, is_archived: bool) -> int:
    """Return the facets of an entry's vector; superseded entries count as archived."""
    return (
        (FACET_ARCHIVED if is_archived else 0)
        | (FACET_UNTRUSTED if trust == "untrusted" else 0)
        | PRIORITIES.index(priority) << FACET_PRIORITY_SHIFT
        | CATEGORIES.index(category) << FACET_CATEGORY_SHIFT
    )


def json_of(entry: Entry) -> str:
    """Return an entry as JSON, as stored in its history."""
    return compact(asdict(entry))


def entry_from_json(text: str) -> Entry:
    """Return the inverse of `json_of`."""
    values = json.loads(text)
    origins = tuple(Origin(**origin) for origin in values.get("origins", ()))
    lists = {key: tuple(values.get(key, ())) for key in ("tags", "related_to")}
    return Entry(**{**values, **lists, "origins": origins})


def compact(value: object) -> str:
    """Return a value as JSON without spaces."""
    return "[]" if value == () else _ENCODER.encode(value)


def _texts_in(text: str) -> tuple[str, ...]:
    """Return the texts in a JSON array."""
    return () if text == "[]" else tuple(json.loads(text))


@lru_cache(maxsize=1_000)
def origins_in(text: str) -> tuple[Origin, ...]:
    """Return the origins in a JSON array; cached, because entries stored together share them."""
    if text == "[]":
        return ()
    return tuple(Origin(*values) for values in cast(list[list[Any]], json.loads(text)))


@lru_cache(maxsize=1_000)
def _json_of_origins(origins: tuple[Origin, ...]) -> str:
    """Return the inverse of `origins_in`; cached for the same reason."""
    return compact(
        [[origin.source, origin.position, origin.speaker, origin.role] for origin in origins]
    )


def places_of(origins: Sequence[Origin]) -> Iterator[tuple[int, int, int]]:
    """Yield a row of the places table for each origin with a position.

    It has the number of the source, the position, and 1 if an assistant spoke there, else 0.
    """
    for origin in origins:
        if origin.position is not None:
            yield source_number(origin.source), origin.position, int(origin.role == ASSISTANT)


@lru_cache(maxsize=10_000)
def source_number(source: str) -> int:
    """Return a 64-bit hash of a source's name, which takes less space than the name."""
    digest = hashlib.blake2b(source.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def duplicate_id_error(id_: str) -> StoreError:
    """Return the error for inserting an entry whose id is already used in the store."""
    return StoreError(f"an entry with the id {id_} already exists", hint="nothing was stored")


def without_id(value: object, id_: str) -> object:
    """Return a JSON value without the key `id_` in any of its objects."""
    match value:
        case dict():
            return {key: without_id(item, id_) for key, item in value.items() if key != id_}
        case list():
            return [without_id(item, id_) for item in value]
        case _:
            return value


class EntryLookup(ABC):
    """Finds entries by their ids, and the numbers that identify them inside the store.

    A snapshot does not change, so it caches the entries that it has read; a transaction, which can
    change them, does not.
    """

    _may_cache: ClassVar[bool] = True

    def __init__(self) -> None:
        self._cached_entries: dict[str, tuple[int, Entry]] = {}

    @abstractmethod
    def _read_entries(self, ids: list[str]) -> dict[str, tuple[int, Entry]]:
        """Read the numbers and entries with these ids."""

    @abstractmethod
    def _read_numbers(self, ids: list[str]) -> dict[str, int]:
        """Read the numbers of the entries with these ids."""

    def find(self, ids: Iterable[str]) -> dict[str, Entry]:
        """Return the entries with these ids, in the order they were stored."""
        numbered = sorted(self._numbered_entries(ids).values(), key=itemgetter(0))
        return {entry.id: entry for _, entry in numbered}

    def _numbered_entries(self, ids: Iterable[str]) -> dict[str, tuple[int, Entry]]:
        """Return the numbers and entries with these ids."""
        requested = list(dict.fromkeys(ids))
        numbered = {
            id_: self._cached_entries[id_] for id_ in requested if id_ in self._cached_entries
        }
        if missing := [id_ for id_ in requested if id_ not in numbered]:
            numbered |= self._read_entries(missing)
            if self._may_cache:
                self._cached_entries |= numbered
        return numbered

    def _numbers_of(self, ids: Iterable[str]) -> dict[str, int]:
        """Return the numbers of the entries with these ids."""
        requested = list(ids)
        numbers = {
            id_: self._cached_entries[id_][0] for id_ in requested if id_ in self._cached_entries
        }
        if missing := [id_ for id_ in requested if id_ not in numbers]:
            numbers |= self._read_numbers(missing)
        return numbers


def history_of(changes: Iterable[tuple[str, Entry]]) -> list[Version]:
    """Return the history of an entry, from the text of each change and the entry after it."""
    return [Version(entry.version, entry.updated_at, change, entry) for change, entry in changes]
