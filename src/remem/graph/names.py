"""Find the node of the graph that a name leads to.

Names that are equal after folding lead to one node, and so do the names and aliases of an entity.
Others are merged by a statement: `[[ACME Corp]] is the same as [[Acme]]`. It is a memory like any
other, so a merge has a history, and forgetting it separates the names again. Statements keep the
names that were written, whatever is merged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from typing import Any, Final, NamedTuple

from remem.graph.links import Link, is_relation, links_in, relation_type
from remem.model.entity import Entity
from remem.model.entry import Entry
from remem.ports.graph import Contribution, NodeRow
from remem.text.words import fold

FORMAT: Final = 7
"""The version of the graph: to be incremented when the same records give a different graph."""
CONCEPT: Final = "concept:"
"""The beginning of the ids of things that are not entities."""
SAME: Final = "is the same as"
DISTINCT: Final = "is not the same as"
_SAME_TYPE: Final = relation_type(SAME)
_DISTINCT_TYPE: Final = relation_type(DISTINCT)


class NamedThing(NamedTuple):
    """A node that several records name: its id, its name, and its other names, folded."""

    id: str
    name: str
    other_names: tuple[str, ...] = ()


class SamenessStatement(NamedTuple):
    """An entry that states whether two names are the same thing."""

    entry: Entry
    name: str
    other: str
    is_same: bool


def is_about_sameness(link: Link) -> bool:
    """Return whether a link states that two names are, or are not, the same thing."""
    return relation_type(link.relation) in (_SAME_TYPE, _DISTINCT_TYPE)


def _may_be_about_sameness(text: str) -> bool:
    """Return whether a text may be such a statement, by a quick check that excludes most texts.

    A text that is not ASCII may contain `same` in full-width letters.
    """
    return "same" in text.lower() or not text.isascii()


def same_statements(entries: Iterable[Entry]) -> Iterator[SamenessStatement]:
    """Yield the current statements about whether two names are the same, except untrusted ones."""
    for entry in entries:
        if not entry.live or entry.trust == "untrusted":
            continue
        if not (_may_be_about_sameness(entry.content) and is_relation(entry.content)):
            continue
        link = next(links_in(entry.content), None)
        if link is not None and link.subject is not None and is_about_sameness(link):
            is_same = relation_type(link.relation) == _SAME_TYPE
            yield SamenessStatement(entry, link.subject, link.target, is_same)


class NameIndex:
    """The nodes that names lead to; a name that is neither known nor merged is its own node.

    `roots` maps the ids of merged entities to the entity that they were merged into.
    """

    def __init__(
        self,
        entities: Iterable[Entity] = (),
        roots: Mapping[str, str] | None = None,
        statements: Iterable[SamenessStatement] = (),
    ) -> None:
        self.roots = dict(roots or {})
        self._ids: dict[str, str] = {}
        all_entities = list(entities)
        self._entities = [
            entity for entity in all_entities if self.roots.get(entity.id, entity.id) == entity.id
        ]
        for entity in all_entities:
            for name in (entity.name, *entity.aliases):
                self._ids.setdefault(fold(name), self.node_of(entity.id))
        same = [statement for statement in statements if statement.is_same]
        self._merged = _merged_things(same, self._ids)

    def node_of(self, entity: str) -> str:
        """Return the id of the node of an entity, which may have been merged into another."""
        return f"entity:{self.roots.get(entity, entity)}"

    def thing(self, name: str) -> NamedThing:
        """Return the node that a name leads to."""
        folded = fold(name)
        if id_ := self._ids.get(folded):
            return NamedThing(id_, name)
        return self._merged.get(folded) or NamedThing(f"{CONCEPT}{folded}", name.strip())

    @property
    def ids(self) -> Mapping[str, str]:
        """The ids of all names that are known or merged, by folded name."""
        merged = {folded: thing.id for folded, thing in self._merged.items()}
        return {**merged, **self._ids}

    def contribution(self) -> Contribution:
        """Return the nodes of the entities."""
        nodes = tuple(
            NodeRow(
                self.node_of(entity.id),
                (label_of(entity.kind) or "Entity",),
                entity.name,
                fold(entity.name),
                properties={
                    "aliases": list(entity.aliases) or None,
                    "also_called": self._also_called(entity) or None,
                },
            )
            for entity in self._entities
        )
        all_names = sorted(self._ids.items()), sorted(self._merged.items())
        return Contribution(digest_of(nodes, all_names), nodes)

    def _also_called(self, entity: Entity) -> list[str]:
        root = self.node_of(entity.id)
        return sorted(name for name, id_ in self.ids.items() if id_ == root)


def _merged_things(
    statements: Iterable[SamenessStatement], entities: Mapping[str, str]
) -> dict[str, NamedThing]:
    """Return the nodes of the names that were merged, by folded name.

    A group of names that contains the name of an entity leads to that entity. A group with names of
    several entities is not merged, because facts say which entity they are about.
    """
    groups: dict[str, set[str]] = {}
    spellings: dict[str, str] = {}
    subjects: set[str] = set()
    for statement in statements:
        name, other = fold(statement.name), fold(statement.other)
        subjects.add(name)
        for spelling, folded in ((statement.name, name), (statement.other, other)):
            spellings[folded] = min(spelling, spellings.get(folded, spelling))
        group = groups.get(name, {name}) | groups.get(other, {other})
        groups.update(dict.fromkeys(group, group))
    things: dict[str, NamedThing] = {}
    for folded, group in groups.items():
        ids = {entities[name] for name in group if name in entities}
        if len(ids) > 1:
            continue
        target = min(group - subjects or group)  # a name that others were merged into
        id_ = next(iter(ids), f"{CONCEPT}{target}")
        things[folded] = NamedThing(id_, spellings[target], tuple(sorted(group - {target})))
    return things


def label_of(kind: str) -> str:
    """Return the label of a kind of entity: `person` is `Person`, `open source` is `OpenSource`."""
    return "".join(word[:1].upper() + word[1:] for word in re.findall(r"\w+", kind))


def digest_of(*parts: Any) -> str:
    """Return a short hash of values and of `FORMAT`; it is the same in every process."""
    return blake2b(
        repr((FORMAT, *parts)).encode("utf-8", "surrogatepass"), digest_size=8
    ).hexdigest()
