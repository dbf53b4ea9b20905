"""The knowledge graph as the MCP memory server shows it: entities, observations and relations.

Each statement is an entry: `[[Ann]] is a [[person]]`, `[[Ann]]: speaks Thai` and
`[[Ann]] works at [[Acme]]`. Names match regardless of case.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from remem.graph.links import LINK_PATTERN, is_relation, links_in
from remem.model.arguments import named_in_json
from remem.model.entry import Entry
from remem.text.words import fold

IS_A: Final = ("is a", "is an")
_OBSERVATION: Final = re.compile(rf"{LINK_PATTERN}:[ \t]+(\S.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class KnownEntity:
    """A named thing, its type and the observations about it."""

    name: str
    entity_type: str = field(metadata=named_in_json("entityType"))
    observations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KnownRelation:
    """A relation from one named thing to another."""

    source: str = field(metadata=named_in_json("from"))
    target: str = field(metadata=named_in_json("to"))
    relation_type: str = field(metadata=named_in_json("relationType"))

    @property
    def key(self) -> tuple[str, str, str]:
        return fold(self.source), fold(self.relation_type), fold(self.target)


@dataclass(slots=True)
class _Thing:
    """An entity while the entries are read.

    `type_entries` are the ids of the entries that state its type; `observations` maps each
    observation to the id of its entry.
    """

    name: str
    type: str = ""
    type_entries: list[str] = field(default_factory=list)
    observations: dict[str, str] = field(default_factory=dict)


class Knowledge:
    """The statements among some entries, with the ids of the entries that state them."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._things: dict[str, _Thing] = {}
        self._relations: dict[tuple[str, str, str], tuple[KnownRelation, list[str]]] = {}
        for entry in entries:
            self._add(entry)

    @property
    def entities(self) -> list[KnownEntity]:
        """All entities, in the order in which they were first described."""
        return [_entity(thing) for thing in self._things.values()]

    @property
    def relations(self) -> list[KnownRelation]:
        return [relation for relation, _ in self._relations.values()]

    def entity(self, name: str) -> KnownEntity | None:
        thing = self._things.get(fold(name))
        return _entity(thing) if thing else None

    def has_relation(self, relation: KnownRelation) -> bool:
        return relation.key in self._relations

    def relations_of(self, names: Iterable[str]) -> list[KnownRelation]:
        """Return the relations that start or end at one of the names."""
        folded_names = set(map(fold, names))
        return [
            relation
            for (start, _, end), (relation, _) in self._relations.items()
            if start in folded_names or end in folded_names
        ]

    def records_of_entity(self, name: str) -> list[str]:
        """Return the ids of the entries that describe an entity or relate it to others."""
        folded = fold(name)
        thing = self._things.get(folded, _Thing(name))
        of_relations = [
            id_
            for (start, _, end), (_, ids) in self._relations.items()
            if folded in (start, end)
            for id_ in ids
        ]
        return [*thing.type_entries, *thing.observations.values(), *of_relations]

    def records_of_observations(self, name: str, observations: Sequence[str]) -> list[str]:
        thing = self._things.get(fold(name), _Thing(name))
        return [thing.observations[text] for text in observations if text in thing.observations]

    def records_of_relation(self, relation: KnownRelation) -> list[str]:
        return self._relations.get(relation.key, (relation, []))[1]

    def _add(self, entry: Entry) -> None:
        if match := _OBSERVATION.fullmatch(entry.content):
            thing = self._thing(match[1].strip())
            thing.observations.setdefault(match[2], entry.id)
            return
        link = next(links_in(entry.content), None)
        if link is None or link.subject is None or not is_relation(entry.content):
            return
        thing_before = self._things.get(fold(link.subject))
        if link.relation in IS_A and (
            thing_before is None or thing_before.type in ("", link.target)
        ):
            thing = self._thing(link.subject)
            thing.type = link.target
            thing.type_entries.append(entry.id)
            return
        # An entity has one type, so a second one is a relation like any other.
        relation = KnownRelation(link.subject, link.target, link.relation)
        self._relations.setdefault(relation.key, (relation, []))[1].append(entry.id)

    def _thing(self, name: str) -> _Thing:
        return self._things.setdefault(fold(name), _Thing(name))


def _entity(thing: _Thing) -> KnownEntity:
    return KnownEntity(thing.name, thing.type, tuple(thing.observations))
