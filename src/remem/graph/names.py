"""Which names lead to the same node of the graph.

Names that are equal after folding are one, and so are the names and aliases of an entity. The owner
merges others with a statement: `[[ACME Corp]] is the same as [[Acme]]`. It is a memory like any
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

FORMAT: Final = 5
"""Incremented whenever records contribute something else."""
CONCEPT: Final = "concept:"
"""How the ids of things that are not entities begin."""
SAME: Final = "is the same as"
DISTINCT: Final = "is not the same as"


class NamedThing(NamedTuple):
    """A node that several records name: its id, its name, and its other names, folded."""

    id: str
    name: str
    also: tuple[str, ...] = ()


class SameAs(NamedTuple):
    """A statement that two names are, or are not, the same thing."""

    entry: Entry
    name: str
    other: str
    is_same: bool


_SAME_TYPE: Final = relation_type(SAME)
_DISTINCT_TYPE: Final = relation_type(DISTINCT)


def is_about_sameness(link: Link) -> bool:
    return relation_type(link.relation) in (_SAME_TYPE, _DISTINCT_TYPE)


def _may_be_about_sameness(text: str) -> bool:
    """Return false for most other texts; full-width letters are folded only later."""
    return "same" in text.lower() or not text.isascii()


def same_statements(entries: Iterable[Entry]) -> Iterator[SameAs]:
    """Yield the current statements that names are, or are not, the same; untrusted ones do not
    count."""
    for entry in entries:
        if not entry.live or entry.trust == "untrusted":
            continue
        if not (_may_be_about_sameness(entry.content) and is_relation(entry.content)):
            continue
        link = next(links_in(entry.content), None)
        if link is not None and link.subject is not None and is_about_sameness(link):
            is_same = relation_type(link.relation) == _SAME_TYPE
            yield SameAs(entry, link.subject, link.target, is_same)


class NameIndex:
    """The nodes that names lead to; a name that is neither known nor merged is a node by itself."""

    def __init__(
        self,
        entities: Iterable[Entity] = (),
        roots: Mapping[str, str] | None = None,
        statements: Iterable[SameAs] = (),
    ) -> None:
        self.roots = dict(roots or {})
        self._ids: dict[str, str] = {}
        every = list(entities)
        self._entities = [
            entity for entity in every if self.roots.get(entity.id, entity.id) == entity.id
        ]
        for entity in every:
            for name in (entity.name, *entity.aliases):
                self._ids.setdefault(fold(name), self.root(entity.id))
        self._merged = _merged([one for one in statements if one.is_same], self._ids)

    def root(self, entity: str) -> str:
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
                self.root(entity.id),
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
        known = sorted(self._ids.items()), sorted(self._merged.items())
        return Contribution(digest_of(nodes, known), nodes)

    def _also_called(self, entity: Entity) -> list[str]:
        root = self.root(entity.id)
        return sorted(name for name, id_ in self.ids.items() if id_ == root)


def _merged(statements: Iterable[SameAs], entities: Mapping[str, str]) -> dict[str, NamedThing]:
    """Return the nodes of the names that were merged, by folded name.

    A group with the name of an entity leads to that entity. With names of several entities it is
    left alone, because facts say which entity they are about.
    """
    groups: dict[str, set[str]] = {}
    spelled: dict[str, str] = {}
    subjects: set[str] = set()
    for one in statements:
        name, other = fold(one.name), fold(one.other)
        subjects.add(name)
        for written, folded in ((one.name, name), (one.other, other)):
            spelled[folded] = min(written, spelled.get(folded, written))
        joined = groups.get(name, {name}) | groups.get(other, {other})
        groups.update(dict.fromkeys(joined, joined))
    things: dict[str, NamedThing] = {}
    for folded, group in groups.items():
        known = {entities[name] for name in group if name in entities}
        if len(known) > 1:
            continue
        last = min(group - subjects or group)  # what the others were merged into
        id_ = next(iter(known), f"{CONCEPT}{last}")
        things[folded] = NamedThing(id_, spelled[last], tuple(sorted(group - {last})))
    return things


def label_of(kind: str) -> str:
    """Return the label of a kind of entity: `person` is `Person`, `open source` is `OpenSource`."""
    return "".join(word[:1].upper() + word[1:] for word in re.findall(r"\w+", kind))


def digest_of(*parts: Any) -> str:
    """Return a short hash of values that have the same text in every process, and of the format."""
    return blake2b(
        repr((FORMAT, *parts)).encode("utf-8", "surrogatepass"), digest_size=8
    ).hexdigest()
