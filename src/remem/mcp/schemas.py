"""What does a tool's answer look like to a client? JSON Schema of its result, kept small.

A general library would take a twentieth of a second for it, at every start of a server, and most
of what it writes would have to be cut off again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Final, Literal, get_args, get_origin, get_type_hints

from remem.text.host_json import name_of

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_ATOMS: Final = {str: "string", int: "integer", float: "number", bool: "boolean"}

_Parts = dict[type, dict[str, Any]]
"""The objects inside a result, each described once."""


@cache
def output_schema(result: type[DataclassInstance]) -> dict[str, Any]:
    """The schema of a result; what may be None is left out of answers, so it is optional."""
    parts: _Parts = {}
    whole = _object(result, parts)
    named = {part.__name__: parts[part] for part in sorted(parts, key=lambda each: each.__name__)}
    assert len(named) == len(parts), f"two parts of {result.__name__} have one name"
    return {"$defs": named, **whole} if named else whole


def _object(kind: type[DataclassInstance], parts: _Parts) -> dict[str, Any]:
    hints = get_type_hints(kind)
    values = {name_of(field): hints[field.name] for field in fields(kind)}
    return {
        "properties": {name: _value(hint, parts) for name, hint in values.items()},
        "required": [name for name, hint in values.items() if NoneType not in get_args(hint)],
        "type": "object",
    }


def _value(hint: Any, parts: _Parts) -> dict[str, Any]:
    if hint in _ATOMS:
        return {"type": _ATOMS[hint]}
    if is_dataclass(hint) and isinstance(hint, type):
        if hint not in parts:
            parts[hint] = {}  # known before it is described: it may hold others of its kind
            parts[hint] |= _object(hint, parts)
        return {"$ref": f"#/$defs/{hint.__name__}"}
    origin, inner = get_origin(hint), [arg for arg in get_args(hint) if arg is not NoneType]
    if origin is UnionType and len(inner) == 1:
        return _value(inner[0], parts)
    if origin is Literal:
        return {"enum": inner, "type": "string"}
    if origin is tuple and inner[1:] == [...]:
        return {"items": _value(inner[0], parts), "type": "array"}
    if origin in (dict, Mapping):
        return {"additionalProperties": _value(inner[1], parts), "type": "object"}
    raise TypeError(f"no answer can hold {hint}")
