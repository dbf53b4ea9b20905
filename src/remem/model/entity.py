"""Entities, which facts are about: their names, their files, and how they are merged.

The id of an entity is the path of its folder below `brain/areas/`, or in the workspace if it is in
another place. To merge two entities, only a reference from one to the other is recorded; the facts
of both stay in their files.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from remem.errors import InvalidInput, quoted
from remem.model.entry import Category
from remem.model.fact import Fact
from remem.text.words import fold

AREAS: Final = "brain/areas"
ITEMS: Final = "items.json"
MAX_NAME_LENGTH: Final = 100

_MAX_SLUG_LENGTH: Final = 60
_SEPARATORS: Final = re.compile(r"[\s_-]+")
_KINDS: Final = {
    "people": "person",
    "persons": "person",
    "projects": "project",
    "companies": "company",
    "organisations": "company",
    "organizations": "company",
    "places": "place",
    "tools": "tool",
    "resources": "resource",
}
_CATEGORY_OF_KIND: Final[Mapping[str, Category]] = {"person": "person", "project": "project"}
_CATEGORY_OF_FACT: Final[Mapping[str, Category]] = {
    "preference": "preference",
    "decision": "decision",
    "relationship": "person",
    "lesson": "insight",
    "pattern": "insight",
    "finding": "insight",
}


@dataclass(frozen=True, slots=True)
class Entity:
    """Something that facts are about; `kind` is empty if unknown.

    `files` contain its facts; new facts go to the first. `merged_into` is the id of the entity
    that it was merged into; `distinct_from` are entities that it must not be merged with.
    """

    id: str
    name: str
    kind: str = ""
    aliases: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    merged_into: str | None = None
    distinct_from: tuple[str, ...] = ()

    @property
    def slug(self) -> str:
        """The name of its folder."""
        return self.id.rpartition("/")[2]

    @property
    def all_names(self) -> tuple[str, ...]:
        """All names by which it can be found, including its slug and its id."""
        return tuple(dict.fromkeys((self.name, *self.aliases, self.slug, self.id)))


def key_of(name: str) -> str:
    """Return a key that is equal for names that differ only in case, spaces, - and _."""
    return _SEPARATORS.sub(" ", fold(name)).strip()


def slug_of(name: str, taken_slugs: Iterable[str] = ()) -> str:
    """Return the folder name of a new entity: letters and digits of any script, and hyphens."""
    folded = unicodedata.normalize("NFC", fold(name))
    joined = "".join(letter if letter.isalnum() else "-" for letter in folded)
    slug = re.sub(r"-+", "-", joined)[:_MAX_SLUG_LENGTH].strip("-")
    if not slug:
        raise InvalidInput(
            f"the name {quoted(name)} has no letter or digit", hint="name the entity in words"
        )
    others = set(taken_slugs)
    result, number = slug, 2
    while result in others:
        result, number = f"{slug}-{number}", number + 1
    return result


def kind_by_path(path: str) -> str:
    """Return the kind of an entity, by the names of the folders above it; empty if unknown."""
    parents = path.split("/")[:-1]
    return next((_KINDS[parent] for parent in reversed(parents) if parent in _KINDS), "")


def category_of(fact: Fact, kind: str) -> Category:
    """Return the category under which recall lists a fact.

    It follows from the kind of the fact's entity or, if that is unknown, from its own category.
    """
    if kind:
        return _CATEGORY_OF_KIND.get(kind, "fact")
    return _CATEGORY_OF_FACT.get(fold(fact.category), "fact")


def root_of(entities: Mapping[str, Entity], id_: str) -> Entity:
    """Return the entity that this one was merged into, possibly in several steps, or itself."""
    entity, visited = entities[id_], {id_}
    while (into := entities.get(entity.merged_into or "")) and into.id not in visited:
        entity = into
        visited.add(entity.id)
    return entity


def merged_with(entities: Mapping[str, Entity], root: Entity) -> tuple[Entity, ...]:
    """Return the entity and all entities that were merged into it."""
    others = (entity for entity in entities.values() if entity.id != root.id)
    return (root, *(entity for entity in others if root_of(entities, entity.id).id == root.id))


def entity_named(entities: Mapping[str, Entity], name: str) -> Entity | None:
    """Return the entity with this name or id, after merges; None if there is none.

    Raise InvalidInput if several entities have this name.
    """
    matches = _matches(entities.values(), name)
    roots = list(
        {root.id: root for entity in matches if (root := root_of(entities, entity.id))}.values()
    )
    if len(roots) > 1:
        ids = ", ".join(root.id for root in roots)
        raise InvalidInput(f"several entities are called {quoted(name)}", hint=f"use an id: {ids}")
    return roots[0] if roots else None


def _matches(entities: Iterable[Entity], name: str) -> Sequence[Entity]:
    """Return the entity with exactly this id, or else those with this name."""
    candidates = list(entities)
    exact = [entity for entity in candidates if entity.id == name]
    key = key_of(name)
    return exact or [entity for entity in candidates if key in map(key_of, entity.all_names)]
