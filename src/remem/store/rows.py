"""Conversion of entries to rows of a table and to records of their history."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any, Final, cast

from remem.model.entry import ASSISTANT, CATEGORIES, PRIORITIES, ArchiveReason, Entry, Origin
from remem.text.similarity import Fingerprint

COLUMNS: Final = (
    "id category content context priority tags related_to source origins trust created_at "
    "updated_at expires_at token_estimate archived superseded_by version strength uses"
).split()

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
    """Origins from JSON; cached, because entries stored together share them."""
    if text == "[]":
        return ()
    return tuple(Origin(*values) for values in cast(list[list[Any]], json.loads(text)))


@lru_cache(maxsize=1_000)
def _origins_text(origins: tuple[Origin, ...]) -> str:
    """Origins as JSON; cached, because entries stored together share them."""
    return compact(
        [[origin.source, origin.position, origin.speaker, origin.role] for origin in origins]
    )


def places_of(origins: Sequence[Origin]) -> Iterator[tuple[int, int, int]]:
    """Source number, position, and whether the turn is an assistant's."""
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
