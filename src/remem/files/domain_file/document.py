"""What does the comment behind a bullet say about its memory?

The comment holds one JSON object with sorted keys; what has its usual value is left out.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Final

from remem.core.entry import (
    CATEGORIES,
    PRIORITIES,
    TRUSTS,
    Category,
    Entry,
    Origin,
    Priority,
    Trust,
)
from remem.core.homes import STEMS
from remem.errors import shown
from remem.notes.domain_text import UNSEEN

CATEGORY_OF: Final[dict[str, Category]] = {stem: category for category, stem in STEMS.items()}


@dataclass(frozen=True, slots=True)
class Meta:
    """What a comment says. `category` None: that of the file; `exact`: see `domain_text`."""

    category: Category | None = None
    priority: Priority = "medium"
    trust: Trust = "agent"
    tags: tuple[str, ...] = ()
    context: str | None = None
    created: str | None = None
    updated: str | None = None
    expires: str | None = None
    related: tuple[str, ...] = ()
    source: str = "session"
    origins: tuple[Origin, ...] = ()
    exact: str | None = None


def meta_of(entry: Entry, home: str, exact: str | None = None) -> Meta:
    """What the comment of an entry says in the file `home`."""
    return Meta(
        category=None if CATEGORY_OF.get(home) == entry.category else entry.category,
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


def write_meta(meta: Meta) -> str:
    """The JSON of a comment: one line that can neither end the comment nor begin another."""
    values = {
        key: _plain(value)
        for key, value, usual in zip(_READERS, _values(meta), _USUAL, strict=True)
        if value != usual
    }
    text = _ENCODER.encode(values)
    text = text.replace("--", r"\u002d\u002d").replace("<", r"\u003c").replace(">", r"\u003e")
    return UNSEEN.sub(lambda match: json.dumps(match.group())[1:-1], text)


def read_meta(text: str) -> Meta:
    """The inverse of `write_meta`; ValueError says what is wrong with a broken comment."""
    try:
        values = json.loads(text, object_pairs_hook=_object)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    if not isinstance(values, dict):
        raise ValueError("it is not an object")
    return Meta(**{key: _read(key, value) for key, value in values.items()})


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    values = dict(pairs)
    if len(values) != len(pairs):
        raise ValueError("it has a key twice")
    return values


def _plain(value: object) -> object:
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    if isinstance(value, Origin):
        fields = ("source", "position", "speaker", "role")
        return {key: getattr(value, key) for key in fields if getattr(value, key) is not None}
    return value


def _read(key: str, value: object) -> Any:
    if key not in _READERS:
        raise ValueError(f"it has an unknown key {shown(key)}")
    try:
        return _READERS[key](value)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{key} cannot be {shown(value)}") from error


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    value.encode()  # half of a surrogate pair has no UTF-8 form, and could never be stored
    return value


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise TypeError
    return tuple(_text(each) for each in value)


def _origins(value: object) -> tuple[Origin, ...]:
    if not isinstance(value, list):
        raise TypeError
    return tuple(_origin(each) for each in value)


def _origin(value: object) -> Origin:
    if not isinstance(value, dict):
        raise TypeError
    fields = dict(value)
    position = fields.pop("position", None)
    if position is not None and type(position) is not int:
        raise TypeError
    return Origin(position=position, **{key: _text(each) for key, each in fields.items()})


def _one_of(choices: tuple[str, ...]) -> Callable[[object], str]:
    def read(value: object) -> str:
        if not isinstance(value, str) or value not in choices:
            raise ValueError
        return value

    return read


_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))
_READERS: Final[dict[str, Callable[[object], object]]] = {
    "category": _one_of(CATEGORIES),
    "priority": _one_of(PRIORITIES),
    "trust": _one_of(TRUSTS),
    "tags": _texts,
    "context": _text,
    "created": _text,
    "updated": _text,
    "expires": _text,
    "related": _texts,
    "source": _text,
    "origins": _origins,
    "exact": _text,
}
_values: Final = attrgetter(*_READERS)
_USUAL: Final = _values(Meta())
