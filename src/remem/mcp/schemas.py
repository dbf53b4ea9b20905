"""What does a tool's answer look like to a client? JSON Schema of its result, kept small."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

from pydantic import TypeAdapter

from remem.core.wire import name_of

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


@cache
def output_schema(result: type[DataclassInstance]) -> dict[str, Any]:
    """The schema of a result; what may be None is left out of answers, so it is optional."""
    schema: dict[str, Any] = _trimmed(TypeAdapter(result).json_schema(mode="serialization"))
    parts = {part.__name__: part for part in _parts(result)}
    nested = {name: _renamed(each, parts[name]) for name, each in schema.get("$defs", {}).items()}
    return {**_renamed(schema, result), **({"$defs": nested} if nested else {})}


def _parts(result: type[DataclassInstance]) -> Iterator[type[DataclassInstance]]:
    """The result's own type, and those of its fields."""
    yield result
    for hint in get_type_hints(result).values():
        for each in _dataclasses_in(hint):
            yield from _parts(each)


def _dataclasses_in(hint: Any) -> Iterator[type[DataclassInstance]]:
    if isinstance(hint, type) and is_dataclass(hint):
        yield hint
    for each in get_args(hint):
        yield from _dataclasses_in(each)


def _renamed(schema: dict[str, Any], part: type[DataclassInstance]) -> dict[str, Any]:
    """Properties by the names that hosts know them by."""
    names = {each.name: name_of(each) for each in fields(part)}
    return {
        **schema,
        "properties": {names[name]: each for name, each in schema["properties"].items()},
        "required": [names[name] for name in schema["required"]],
    }


def _trimmed(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_trimmed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "properties" in schema:
        schema = {**schema, "required": _always_there(schema)}
    if "anyOf" in schema:
        (only,) = [each for each in schema["anyOf"] if each != {"type": "null"}]
        return _trimmed(only)
    return {
        key: {name: _trimmed(each) for name, each in value.items()}
        if key in ("properties", "$defs")
        else _trimmed(value)
        for key, value in schema.items()
        if key not in ("title", "default", "description")
    }


def _always_there(schema: dict[str, Any]) -> list[str]:
    return [
        name
        for name, each in schema["properties"].items()
        if {"type": "null"} not in each.get("anyOf", ())
    ]
