"""The metadata of an entry in a domain file, as one JSON object with sorted keys.

Default values are left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import field, fields, replace
from operator import attrgetter
from typing import Any, Final

from remem.errors import quoted
from remem.fast_dataclass import dataclass
from remem.model.domain_routing import STEMS
from remem.model.entry import (
    CATEGORIES,
    PRIORITIES,
    TRUSTS,
    Category,
    Entry,
    Origin,
    Priority,
    Trust,
)

INVISIBLE: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""Characters that break lines, reorder text or are invisible; `show` replaces them by visible ones.

The two joiners (U+200C, U+200D) are not among them: Persian and emoji need them.
"""

_CATEGORY_OF: Final[dict[str, Category]] = {stem: category for category, stem in STEMS.items()}
_SOURCE_AND_POSITION: Final = re.compile(r"(?P<source>.*):(?P<position>-?[0-9]{1,18})", re.DOTALL)
_ORIGIN_FIELDS: Final = tuple(origin_field.name for origin_field in fields(Origin))
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))
_SPACED: Final = json.JSONEncoder(ensure_ascii=False, sort_keys=True)


def category_of_file(stem: str) -> Category | None:
    """Return the category of the entries in a domain file; None if it is the file of a topic."""
    return _CATEGORY_OF.get(stem)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    value.encode()  # a lone surrogate has no UTF-8 form and could never be stored
    return value


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise TypeError
    return tuple(_text(item) for item in value)


def _origins(value: object) -> tuple[Origin, ...]:
    if not isinstance(value, list):
        raise TypeError
    return tuple(_origin(item) for item in value)


def _origin(value: object) -> Origin:
    """Return an origin, which is written as `MEMORY.md:12` if it has no speaker."""
    if isinstance(value, str) and (place := _SOURCE_AND_POSITION.fullmatch(value)):
        return Origin(_text(place["source"]), int(place["position"]))
    if not isinstance(value, dict):
        raise TypeError
    texts = dict(value)
    position = texts.pop("position", None)
    if position is not None and type(position) is not int:
        raise TypeError
    return Origin(position=position, **{key: _text(text) for key, text in texts.items()})


def _one_of(choices: tuple[str, ...]) -> Callable[[object], str]:
    def read(value: object) -> str:
        if not isinstance(value, str) or value not in choices:
            raise ValueError
        return value

    return read


def _key(read: Callable[[object], object], entry_field: str | None) -> dict[str, Any]:
    """Return the properties of a field of `Meta`.

    They are the function that checks and converts a JSON value, and the name of the field of
    `Entry`.
    """
    return {"read": read, "entry_field": entry_field}


@dataclass(frozen=True, slots=True)
class Meta:
    """The metadata of an entry.

    `category` is None if it is that of the file. `exact` is the text of the entry, if the visible
    text in the file differs from it.
    """

    category: Category | None = field(default=None, metadata=_key(_one_of(CATEGORIES), "category"))
    priority: Priority = field(default="medium", metadata=_key(_one_of(PRIORITIES), "priority"))
    trust: Trust = field(default="agent", metadata=_key(_one_of(TRUSTS), "trust"))
    tags: tuple[str, ...] = field(default=(), metadata=_key(_texts, "tags"))
    context: str | None = field(default=None, metadata=_key(_text, "context"))
    created: str | None = field(default=None, metadata=_key(_text, "created_at"))
    updated: str | None = field(default=None, metadata=_key(_text, "updated_at"))
    expires: str | None = field(default=None, metadata=_key(_text, "expires_at"))
    related: tuple[str, ...] = field(default=(), metadata=_key(_texts, "related_to"))
    source: str = field(default="session", metadata=_key(_text, "source"))
    origins: tuple[Origin, ...] = field(default=(), metadata=_key(_origins, "origins"))
    exact: str | None = field(default=None, metadata=_key(_text, None))


_FIELDS: Final = {meta_field.name: meta_field for meta_field in fields(Meta)}
_READERS: Final = {name: meta_field.metadata["read"] for name, meta_field in _FIELDS.items()}
_values: Final = attrgetter(*_FIELDS)
_DEFAULTS: Final = _values(Meta())
ENTRY_FIELDS: Final[tuple[str, ...]] = tuple(
    name for meta_field in _FIELDS.values() if (name := meta_field.metadata["entry_field"])
)
"""The fields of an entry that its metadata contain; its text and id are in the bullet."""


def meta_of(entry: Entry, stem: str, exact: str | None = None) -> Meta:
    """Return the metadata of an entry in the domain file `stem`."""
    return Meta(
        category=None if category_of_file(stem) == entry.category else entry.category,
        priority=entry.priority,
        trust=entry.trust,
        tags=entry.tags,
        context=entry.context,
        created=entry.created_at,
        updated=None if entry.updated_at == entry.created_at else entry.updated_at,
        expires=entry.expires_at,
        related=entry.related_to,
        source=entry.source,
        origins=entry.origins,
        exact=exact,
    )


def entry_from(id_: str, content: str, meta: Meta, stem: str) -> Entry | None:
    """Return the entry with these metadata in the domain file `stem`; None if data is missing."""
    category = meta.category or category_of_file(stem)
    if meta.created is None or category is None:
        return None
    complete = replace(meta, category=category, updated=meta.updated or meta.created)
    values = dict(zip(ENTRY_FIELDS, _values(complete), strict=False))  # `exact` is left over
    return Entry(id=id_, content=content, **values)


def write_meta(meta: Meta) -> str:
    """Return the metadata as JSON without spaces, for comments of the old form and for digests."""
    return encode_values(plain_values(meta, spaced=False), spaced=False)


def plain_values(meta: Meta, *, spaced: bool) -> dict[str, Any]:
    """Return the metadata as JSON values without defaults.

    With `spaced`, origins without a speaker are written as `MEMORY.md:12`.
    """
    return {
        key: _plain(value, spaced=spaced)
        for key, value, default in zip(_FIELDS, _values(meta), _DEFAULTS, strict=True)
        if value != default
    }


def encode_values(values: Mapping[str, Any], *, spaced: bool = True) -> str:
    """Return values as JSON on one line that can neither end a comment nor start another."""
    text = (_SPACED if spaced else _ENCODER).encode(values)
    text = text.replace("--", r"\u002d\u002d").replace("<", r"\u003c").replace(">", r"\u003e")
    return INVISIBLE.sub(lambda match: json.dumps(match.group())[1:-1], text)


def decode_values(text: str) -> dict[str, Any]:
    """Return the inverse of `encode_values`; ValueError if the text is malformed."""
    try:
        values = json.loads(text, object_pairs_hook=_object)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    if not isinstance(values, dict):
        raise ValueError("it is not a JSON object")
    return values


def meta_from(values: Mapping[str, Any]) -> Meta:
    """Return the inverse of `plain_values`; raise ValueError if a value cannot be used."""
    return Meta(**{key: _read(key, value) for key, value in values.items()})


def read_comment(text: str, known: Meta | None) -> Meta:
    """Return the metadata in a comment on a bullet; raise ValueError if it is malformed.

    A comment that remem wrote is complete, which shows by the time of creation. A comment that a
    person added changes only some of the `known` metadata.
    """
    values = {key: _read(key, value) for key, value in decode_values(text).items()}
    return Meta(**values) if known is None or "created" in values else replace(known, **values)


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    values = dict(pairs)
    if len(values) != len(pairs):
        raise ValueError("it has a duplicate key")
    return values


def _plain(value: object, *, spaced: bool) -> object:
    if isinstance(value, tuple):
        return [_plain(item, spaced=spaced) for item in value]
    if isinstance(value, Origin):
        text = f"{value.source}:{value.position}"
        has_only_place = value.speaker is None and value.role is None
        if spaced and has_only_place and _SOURCE_AND_POSITION.fullmatch(text):
            return text
        return {key: part for key in _ORIGIN_FIELDS if (part := getattr(value, key)) is not None}
    return value


def _read(key: str, value: object) -> Any:
    if key not in _READERS:
        raise ValueError(f"it has an unknown key {quoted(key)}")
    try:
        return _READERS[key](value)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{key} cannot be {quoted(value)}") from error
