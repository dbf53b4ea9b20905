"""Read the statements that are given to `memory_graph_ingest`, in the forms that agents know.

Besides subject, relation and object, the forms of the MCP memory server (entities, relations,
observations), of mcp-neo4j-memory (source, target) and of Graphiti's triplets are accepted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from remem.errors import InvalidInput, shown
from remem.graph.links import observation_text, relation_text, relation_type
from remem.text.words import fold

_SUBJECT: Final = ("subject", "from", "source", "source_node_name")
_RELATION: Final = ("relation", "predicate", "relationType", "edge_name", "type")
_OBJECT: Final = ("object", "object_value", "to", "target", "target_node_name")
_SINCE: Final = ("valid_at", "valid_from")
_ENTITY: Final = ("name", "entityName")
_KIND: Final = ("entityType", "type", "kind")
_OBSERVATIONS: Final = ("observations", "contents")


@dataclass(frozen=True, slots=True)
class Statement:
    """One line to keep; a relation has a `key`, which names its subject and relation."""

    text: str
    key: tuple[str, str] | None = None
    since: str | None = None
    supersedes: tuple[str, ...] = ()


def read_statements(given: Sequence[Mapping[str, Any]]) -> list[Statement]:
    """Return all statements, checked; one that cannot be understood raises InvalidInput."""
    if not given:
        raise InvalidInput("there is nothing to ingest", hint=_HINT)
    return [statement for number, one in enumerate(given, 1) for statement in _read(one, number)]


_HINT: Final = (
    'write {"subject": "Ann", "relation": "works at", "object": "Acme"}, or '
    '{"name": "Ann", "entityType": "person", "observations": ["speaks Spanish"]}'
)


def _read(one: Mapping[str, Any], number: int) -> Iterator[Statement]:
    subject, target = _text(one, _SUBJECT), _text(one, _OBJECT)
    if subject and target:
        relation = _text(one, _RELATION)
        if not relation:
            raise InvalidInput(f"statement {number} has no relation", hint=_HINT)
        yield _relation(one, subject, relation, target)
        return
    name = _text(one, _ENTITY)
    if not name:
        raise InvalidInput(f"statement {number} cannot be understood: {shown(one)}", hint=_HINT)
    kind = _text(one, _KIND)
    observations = _texts(one, number)
    if not kind and not observations:
        raise InvalidInput(f"statement {number} says nothing about {shown(name)}", hint=_HINT)
    if kind:
        yield Statement(relation_text(name, "is a", kind))
    for observation in observations:
        yield Statement(observation_text(name, observation))


def _relation(one: Mapping[str, Any], subject: str, relation: str, target: str) -> Statement:
    text = relation_text(subject, relation, target)
    detail = _text(one, ("fact",))
    supersedes = one.get("supersedes") or ()
    ids = (supersedes,) if isinstance(supersedes, str) else tuple(supersedes)
    return Statement(
        f"{text}: {detail}" if detail else text,
        (fold(subject), relation_type(relation)),
        _text(one, _SINCE) or None,
        ids,
    )


def _text(one: Mapping[str, Any], names: Sequence[str]) -> str:
    for name in names:
        value = one.get(name)
        if isinstance(value, str) and value.strip():
            return value.strip()
    return ""


def _texts(one: Mapping[str, Any], number: int) -> list[str]:
    found: list[str] = []
    for name in _OBSERVATIONS:
        values = one.get(name) or []
        values = [values] if isinstance(values, str) else values
        if not isinstance(values, list) or not all(isinstance(text, str) for text in values):
            raise InvalidInput(f"{name} of statement {number} is not a list of texts", hint=_HINT)
        found += [text.strip() for text in values if text.strip()]
    return found
