"""Read the statements that are given to `memory_graph_ingest`, and those that are current.

Besides subject, relation and object, the forms of the MCP memory server (entities, relations,
observations), of mcp-neo4j-memory (source, target) and of Graphiti's triplets are accepted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from remem.errors import InvalidInput, quoted
from remem.graph.links import (
    is_relation,
    links_in,
    observation_text,
    relation_text,
    relation_type,
)
from remem.model.entry import Entry
from remem.text.timestamps import normalize_end_time
from remem.text.words import fold

_SUBJECT: Final = ("subject", "from", "source", "source_node_name")
_RELATION: Final = ("relation", "predicate", "relationType", "edge_name", "type")
_OBJECT: Final = ("object", "object_value", "to", "target", "target_node_name")
_SINCE: Final = ("valid_at", "valid_from")
_ENTITY: Final = ("name", "entityName")
_KIND: Final = ("entityType", "type", "kind")
_OBSERVATIONS: Final = ("observations", "contents")
_LISTS: Final = ("entities", "relations", "observations", "triplets")
_HINT: Final = (
    'write {"subject": "Ann", "relation": "works at", "object": "Acme"}, or '
    '{"name": "Ann", "entityType": "person", "observations": ["speaks Spanish"]}'
)


@dataclass(frozen=True, slots=True)
class GraphStatement:
    """A line to store.

    If it states a relation, `key` is its folded subject and its type, and `object` is folded too.
    """

    text: str
    key: tuple[str, str] | None = None
    object: str = ""
    since: str | None = None
    supersedes: tuple[str, ...] = ()


class _StatedObject(NamedTuple):
    """An entry that states a relation, and the folded object of the relation."""

    entry: Entry
    object: str


class CurrentStatements:
    """The relations that the current entries of a scope state, by subject and relation."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._by_key: dict[tuple[str, str], dict[str, _StatedObject]] = defaultdict(dict)
        for entry in entries:
            self.replace(entry, ())

    def replace(self, entry: Entry, ended_ids: Iterable[str]) -> None:
        """Add an entry, and remove those that it supersedes."""
        if not is_relation(entry.content):
            return
        for link in links_in(entry.content):
            if link.subject is not None:
                statements = self._by_key[fold(link.subject), relation_type(link.relation)]
                for id_ in ended_ids:
                    statements.pop(id_, None)
                statements[entry.id] = _StatedObject(entry, fold(link.target))

    def with_other_objects(self, statement: GraphStatement) -> list[Entry]:
        """Return the entries that state the same relation of the subject to another object.

        Entries that became true later than the statement are left out, because a statement about
        the past does not replace the present. So are entries that state several relations.
        """
        if statement.key is None:
            return []
        since = normalize_end_time(statement.since, "valid_at") if statement.since else None
        return [
            stated.entry
            for stated in self._by_key.get(statement.key, {}).values()
            if stated.object != statement.object
            and (since is None or stated.entry.created_at <= since)
        ]

    def next_with_other_object(self, statement: GraphStatement) -> Entry | None:
        """Return the first entry with another object that became true after the statement."""
        if statement.key is None or not statement.since:
            return None
        since = normalize_end_time(statement.since, "valid_at")
        later = [
            stated.entry
            for stated in self._by_key.get(statement.key, {}).values()
            if stated.object != statement.object and stated.entry.created_at > since
        ]
        return min(later, key=lambda entry: entry.created_at, default=None)


def read_statements(values: Sequence[Mapping[str, Any]]) -> list[GraphStatement]:
    """Return the checked statements; raise InvalidInput for one that cannot be understood."""
    if not values:
        raise InvalidInput("there is nothing to ingest", hint=_HINT)
    return [
        statement
        for number, item in enumerate(values, 1)
        for unpacked in _unpacked(item)
        for statement in _read(unpacked, number)
    ]


def _unpacked(item: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the items in the lists of the MCP memory server; other items are yielded unchanged."""
    lists = [item[name] for name in _LISTS if isinstance(item.get(name), list)]
    items = [value for values in lists for value in values]
    if items and all(isinstance(value, Mapping) for value in items):
        yield from items
    else:
        yield item


def _read(item: Mapping[str, Any], number: int) -> Iterator[GraphStatement]:
    subject, target = _text(item, _SUBJECT), _text(item, _OBJECT)
    if subject and target:
        relation = _text(item, _RELATION)
        if not relation:
            raise InvalidInput(f"statement {number} has no relation", hint=_HINT)
        yield _relation(item, subject, relation, target, number)
        return
    name = _text(item, _ENTITY)
    if not name:
        raise InvalidInput(f"statement {number} cannot be understood: {quoted(item)}", hint=_HINT)
    kind = _text(item, _KIND)
    observations = _texts(item, _OBSERVATIONS, number)
    if not kind and not observations:
        raise InvalidInput(f"statement {number} says nothing about {quoted(name)}", hint=_HINT)
    if kind:
        yield GraphStatement(relation_text(name, "is a", kind))
    for observation in observations:
        yield GraphStatement(observation_text(name, observation))


def _relation(
    item: Mapping[str, Any], subject: str, relation: str, target: str, number: int
) -> GraphStatement:
    text = relation_text(subject, relation, target)
    detail = _text(item, ("fact",))
    return GraphStatement(
        f"{text}: {detail}" if detail else text,
        (fold(subject), relation_type(relation)),
        fold(target),
        _text(item, _SINCE) or None,
        tuple(_texts(item, ("supersedes",), number)),
    )


def _text(item: Mapping[str, Any], names: Sequence[str]) -> str:
    """Return the first text with one of these names; empty if there is none."""
    for name in names:
        value = item.get(name)
        if isinstance(value, str) and value.strip():
            return value.strip()
    return ""


def _texts(item: Mapping[str, Any], names: Sequence[str], number: int) -> list[str]:
    """Return the texts of all lists with these names; a single text counts as a list."""
    texts: list[str] = []
    for name in names:
        values = item.get(name) or []
        values = [values] if isinstance(values, str) else values
        if not isinstance(values, list) or not all(isinstance(text, str) for text in values):
            raise InvalidInput(f"{name} of statement {number} is not a list of texts", hint=_HINT)
        texts += [text.strip() for text in values if text.strip()]
    return texts
