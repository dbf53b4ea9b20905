"""Typed records that a store keeps next to its entries, each in a namespace under a key.

The module that needs a record declares its namespace; the names are listed here, so that no two
modules use the same one. A record is stored as JSON and read back by its type.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import (
    Any,
    Final,
    Generic,
    Literal,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from remem.errors import StoreDamaged
from remem.fast_dataclass import dataclass
from remem.model.recovery import Recovery

R = TypeVar("R")

NamespaceName = Literal[
    "activity",
    "arrivals",
    "cited",
    "consolidation",
    "conversation",
    "decay notice",
    "declined",
    "earlier",
    "erasure",
    "flush change",
    "flush file",
    "form of files",
    "held fact",
    "intent",
    "lesson",
    "loss",
    "many valued",
    "migrated",
    "migrated files",
    "migration",
    "notice",
    "open part",
    "page",
    "pages",
    "planned",
    "proposal",
    "recovery",
    "scope",
    "scope name",
    "share",
    "signature",
    "space use",
    "spaces",
    "verdict",
    "written",
]
NAMESPACES: Final[frozenset[NamespaceName]] = frozenset(get_args(NamespaceName))
FILE_STATE: Final[frozenset[str]] = frozenset({"written", "planned", "earlier", "signature"})
"""Records about written files, which can be determined again."""
CHECKOUT_STATE: Final[frozenset[str]] = frozenset(
    {"written", "planned", "signature", "flush change", "flush file", "page"}
)
"""Records that each checkout of the files has for itself, where several machines share a store.

Earlier versions of the files ("earlier") are shared: an edit may be based on a version that another
checkout has written and that came here with git.
"""
_EXPENDABLE: Final[frozenset[str]] = FILE_STATE | {
    "activity",
    "arrivals",
    "decay notice",
    "flush file",
    "notice",
    "open part",
    "page",
    "pages",
    "recovery",
    "space use",
}
"""Records that are ignored if they are damaged, because no memory depends on them."""


@dataclass(frozen=True, slots=True)
class Namespace(Generic[R]):
    """A kind of record.

    `hint` is the type of its records: plain values, dataclasses, tuples and dictionaries of these,
    or a union of dataclasses.
    """

    name: NamespaceName
    hint: Any

    def dump(self, record: R) -> str:
        """Return the record as JSON."""
        value = to_plain(record)
        if len(_classes_in(self.hint)) > 1:
            value = {"type": type(record).__name__, **value}
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    def load(self, text: str) -> R | None:
        """Return the record in a JSON text; None if it is damaged and expendable."""
        try:
            record: R = from_plain(self.hint, json.loads(text))
        except (ValueError, TypeError, KeyError) as error:
            if self.name in _EXPENDABLE:
                return None
            raise StoreDamaged(
                f"a record of kind {self.name!r} is unreadable: {error}",
                hint="run `remem doctor --repair`",
            ) from error
        return record


ACTIVITY: Final[Namespace[str]] = Namespace("activity", str)
"""The times of the last store, recall and flush, the reason of the last flush, and the month in
which the log of a space was last trimmed."""
SCOPE: Final[Namespace[str]] = Namespace("scope", str)
"""The scope that the store belongs to."""
SCOPE_NAMES: Final[Namespace[str]] = Namespace("scope name", str)
"""The scopes of a workspace, where its stores share a database."""
LOSS: Final[Namespace[int]] = Namespace("loss", int)
"""The number of entries whose acknowledged changes are missing from the store."""
RECOVERY: Final[Namespace[Recovery]] = Namespace("recovery", Recovery)
"""The record of lost and restored entries, until it has been reported."""


def to_plain(value: Any) -> Any:
    """Return a record as plain JSON values.

    Dataclass fields with their default value are left out.
    """
    if is_dataclass(value):
        values = [(field, getattr(value, field.name)) for field in fields(value)]
        return {field.name: to_plain(item) for field, item in values if item != field.default}
    if isinstance(value, Mapping):
        return {key: to_plain(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [to_plain(item) for item in value]
    return value


def from_plain(hint: Any, value: Any) -> Any:
    """Return the value of a type that plain JSON values describe; raise an error if they do not
    fit."""
    arguments, origin = get_args(hint), get_origin(hint)
    if origin in (Union, UnionType):
        return _one_of(hint, value)
    if origin is tuple:
        items = list(value)
        if arguments[-1] is Ellipsis:
            return tuple(from_plain(arguments[0], item) for item in items)
        return tuple(from_plain(kind, item) for kind, item in zip(arguments, items, strict=True))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {key: from_plain(arguments[1], item) for key, item in value.items()}
    if origin is Literal:
        if value not in arguments:
            raise TypeError(f"{value!r} is not one of {arguments}")
    elif is_dataclass(hint):
        make = cast("Any", hint)
        kinds = _field_types(make)
        return make(**{key: from_plain(kinds[key], value[key]) for key in value if key in kinds})
    elif hint is not Any and not isinstance(value, hint):
        raise TypeError(f"{value!r} is not of type {hint.__name__}")
    return value


def _one_of(hint: Any, value: Any) -> Any:
    if value is None and NoneType in get_args(hint):
        return None
    classes = _classes_in(hint)
    if len(classes) > 1:
        return from_plain(next(kind for kind in classes if kind.__name__ == value["type"]), value)
    [kind] = (kind for kind in get_args(hint) if kind is not NoneType)
    return from_plain(kind, value)


def _classes_in(hint: Any) -> list[Any]:
    return [kind for kind in get_args(hint) if is_dataclass(kind)]


@cache
def _field_types(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)
