"""Build compact JSON Schemas of tool results.

A general library would take 50 ms at every server start, and most of its output would have to be
removed again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Final, Literal, get_args, get_origin, get_type_hints

from remem.model.arguments import json_name

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_JSON_TYPES: Final = {str: "string", int: "integer", float: "number", bool: "boolean"}

_Definitions = dict[type, dict[str, Any]]
"""The schemas of nested objects, by class."""


@cache
def output_schema(result: type[DataclassInstance]) -> dict[str, Any]:
    """Return the schema of a result.

    Fields that may be None are optional, because answers omit them.
    """
    definitions: _Definitions = {}
    schema = _object_schema(result, definitions)
    by_name = {
        kind.__name__: definitions[kind]
        for kind in sorted(definitions, key=lambda kind: kind.__name__)
    }
    assert len(by_name) == len(definitions), f"two classes in {result.__name__} share a name"
    return {"$defs": by_name, **schema} if by_name else schema


def _object_schema(kind: type[DataclassInstance], definitions: _Definitions) -> dict[str, Any]:
    hints = get_type_hints(kind)
    values = {json_name(field): hints[field.name] for field in fields(kind)}
    return {
        "properties": {name: _value_schema(hint, definitions) for name, hint in values.items()},
        "required": [name for name, hint in values.items() if NoneType not in get_args(hint)],
        "type": "object",
    }


def _value_schema(hint: Any, definitions: _Definitions) -> dict[str, Any]:
    if hint is Any:
        return {}
    if hint in _JSON_TYPES:
        return {"type": _JSON_TYPES[hint]}
    if is_dataclass(hint) and isinstance(hint, type):
        if hint not in definitions:
            definitions[hint] = {}  # registered first, because the class may refer to itself
            definitions[hint] |= _object_schema(hint, definitions)
        return {"$ref": f"#/$defs/{hint.__name__}"}
    origin, inner = get_origin(hint), [arg for arg in get_args(hint) if arg is not NoneType]
    if origin is UnionType and len(inner) == 1:
        return _value_schema(inner[0], definitions)
    if origin is Literal:
        return {"enum": inner, "type": "string"}
    if origin is tuple and inner[1:] == [...]:
        return {"items": _value_schema(inner[0], definitions), "type": "array"}
    if origin in (dict, Mapping):
        return {"additionalProperties": _value_schema(inner[1], definitions), "type": "object"}
    raise TypeError(f"unsupported type in a tool result: {hint}")
