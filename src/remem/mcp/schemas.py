"""What does a tool's answer look like to a client? JSON Schema of its result, kept small."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


@cache
def output_schema(result: type[DataclassInstance]) -> dict[str, Any]:
    """The schema of a result; what may be None is left out of answers, so it is optional."""
    schema: dict[str, Any] = _trimmed(TypeAdapter(result).json_schema(mode="serialization"))
    return schema


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
