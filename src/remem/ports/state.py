"""Typed records that a store keeps next to its entries.

A record is found by its namespace and its key, and stored as JSON. The module that needs a kind of
record declares its `Namespace` with the type of its records. The names are listed here, so that no
two modules use the same one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
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
"""Records about written files, which can be rebuilt from the files."""
CHECKOUT_STATE: Final[frozenset[str]] = frozenset(
    {"written", "planned", "signature", "flush change", "flush file", "page"}
)
"""Records that each checkout of the files has for itself, where several machines share a store.

The record of what earlier versions of a file contained ("earlier") is shared: a hand edit may be
based on a version that another checkout has written and that came here with git.
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


_arguments_of: Final = cache(get_args)
_origin_of: Final[Callable[[Any], Any]] = cache(get_origin)
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Namespace(Generic[R]):
    """A kind of record.

    `record_type` is made of plain values, dataclasses, tuples and dictionaries of these, or is a
    union of dataclasses.
    """

    name: NamespaceName
    record_type: Any

    def dump(self, record: R) -> str:
        """Return the record as JSON."""
        value = to_plain(record)
        if len(_classes_in(self.record_type)) > 1:
            value = {"type": type(record).__name__, **value}
        return _ENCODER.encode(value)

    def load(self, text: str) -> R | None:
        """Return the record in a JSON text; None if it is damaged and no memory depends on it."""
        try:
            record: R = from_plain(self.record_type, json.loads(text))
        except (ValueError, TypeError, KeyError) as error:
            if self.name in _EXPENDABLE:
                return None
            raise StoreDamaged(
                f"a record of kind {self.name!r} is unreadable: {error}",
                hint="run `remem doctor --repair`",
            ) from error
        return record


ACTIVITY: Final[Namespace[str]] = Namespace("activity", str)
"""The times of the last store, recall and flush, the reason for the last flush, and the month in
which the log of a space was last trimmed."""
SCOPE: Final[Namespace[str]] = Namespace("scope", str)
"""The scope that the store belongs to."""
SCOPE_NAMES: Final[Namespace[str]] = Namespace("scope name", str)
"""The scopes of a workspace, where its stores share a database."""
LOSS: Final[Namespace[int]] = Namespace("loss", int)
"""The number of entries whose acknowledged changes are missing from the store."""
RECOVERY: Final[Namespace[Recovery]] = Namespace("recovery", Recovery)
"""What was lost and restored when a damaged store was repaired, until it has been reported."""


def to_plain(value: Any) -> Any:
    """Return a record as plain JSON values.

    Dataclass fields with their default value are left out.
    """
    if isinstance(value, (str, int)):  # most values
        return value
    if is_dataclass(value):
        values = [(field, getattr(value, field.name)) for field in fields(value)]
        return {field.name: to_plain(item) for field, item in values if item != field.default}
    if isinstance(value, Mapping):
        return {key: to_plain(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [to_plain(item) for item in value]
    return value


def from_plain(type_: Any, value: Any) -> Any:
    """Return the value of this type that plain JSON values describe.

    Raise TypeError, ValueError or KeyError if they do not fit the type.
    """
    arguments, origin = _arguments_of(type_), _origin_of(type_)
    if origin in (Union, UnionType):
        return _from_plain_union(type_, value)
    if origin is tuple:
        items = list(value)
        if arguments[-1] is Ellipsis:
            return tuple(from_plain(arguments[0], item) for item in items)
        return tuple(from_plain(part, item) for part, item in zip(arguments, items, strict=True))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {key: from_plain(arguments[1], item) for key, item in value.items()}
    if origin is Literal:
        if value not in arguments:
            raise TypeError(f"{value!r} is not one of {arguments}")
    elif is_dataclass(type_):
        cls = cast("Any", type_)
        types = _field_types(cls)
        return cls(
            **{name: from_plain(types[name], value[name]) for name in value if name in types}
        )
    elif type_ is not Any and not isinstance(value, type_):
        raise TypeError(f"{value!r} is not of type {type_.__name__}")
    return value


def _from_plain_union(union: Any, value: Any) -> Any:
    if value is None and NoneType in get_args(union):
        return None
    classes = _classes_in(union)
    if len(classes) > 1:
        return from_plain(next(cls for cls in classes if cls.__name__ == value["type"]), value)
    [member] = (member for member in get_args(union) if member is not NoneType)
    return from_plain(member, value)


@cache
def _classes_in(union: Any) -> list[Any]:
    return [member for member in get_args(union) if is_dataclass(member)]


@cache
def _field_types(cls: Any) -> dict[str, Any]:
    return get_type_hints(cls)
