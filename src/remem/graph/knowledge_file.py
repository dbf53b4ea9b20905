"""The file of the MCP memory server: one JSON object per line, an entity or a relation."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from remem.errors import InvalidInput
from remem.graph.knowledge import Knowledge
from remem.graph.statements import read_statements

_FIELD_OF_TYPE: Final = {"entity": "entityType", "relation": "relationType"}
"""A field that every line of a type has."""


def statements_as_entries(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield an import's lines, with the entities and relations of the server's file as entries.

    All other lines are yielded unchanged.
    """
    for number, line in enumerate(lines, 1):
        value = _server_record(line)
        if value is None:
            yield line
            continue
        try:
            statements = read_statements([value])
        except InvalidInput as error:
            raise InvalidInput(f"line {number}: {error}") from error
        for statement in statements:
            yield json.dumps({"category": "fact", "content": statement.text}).encode()


def file_lines(knowledge: Knowledge) -> Iterator[str]:
    """Yield the lines of a file that the server can read."""
    for entity in knowledge.entities:
        yield _json_line(
            type="entity",
            name=entity.name,
            entityType=entity.entity_type,
            observations=entity.observations,
        )
    for relation in knowledge.relations:
        yield _json_line(
            **{"type": "relation", "from": relation.source, "to": relation.target},
            relationType=relation.relation_type,
        )


def _server_record(line: bytes) -> dict[str, Any] | None:
    """Return the entity or relation in a line; None if it is something else."""
    if not any(name.encode() in line for name in _FIELD_OF_TYPE.values()):
        return None
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        return None
    required_field = _FIELD_OF_TYPE.get(value["type"])
    if required_field is None or required_field not in value:
        return None
    return {key: item for key, item in value.items() if key != "type"}


def _json_line(**line: Any) -> str:
    return json.dumps(line, ensure_ascii=False)
