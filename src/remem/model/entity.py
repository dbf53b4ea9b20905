"""Entities, which facts are about, with their names, files and merges.

The id of an entity is its folder below `brain/areas/`, or its path if it is in another folder. A
merge leaves the facts of both entities in their files; one entity only names the other as its
target.
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
        return self.id.rpartition("/")[2]

    @property
    def all_names(self) -> tuple[str, ...]:
        """All its names, including slug and id."""
        return tuple(dict.fromkeys((self.name, *self.aliases, self.slug, self.id)))


def key_of(name: str) -> str:
    """Return a key that is equal for names that differ only in case, spaces and hyphens."""
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
    """Return the kind of an entity, by the folders above it."""
    parents = path.split("/")[:-1]
    return next((_KINDS[parent] for parent in reversed(parents) if parent in _KINDS), "")


def category_of(fact: Fact, kind: str) -> Category:
    """Return the category of a fact in recall, from the kind of its entity or its own category."""
    if kind:
        return _CATEGORY_OF_KIND.get(kind, "fact")
    return _CATEGORY_OF_FACT.get(fold(fact.category), "fact")


def root_of(entities: Mapping[str, Entity], id_: str) -> Entity:
    """Return the entity that this one was merged into, or itself."""
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
    """Return the entity with that name; raise InvalidInput if several entities have it."""
    matches = _matches(entities.values(), name)
    roots = list(
        {root.id: root for entity in matches if (root := root_of(entities, entity.id))}.values()
    )
    if len(roots) > 1:
        ids = ", ".join(root.id for root in roots)
        raise InvalidInput(f"several entities are called {quoted(name)}", hint=f"use an id: {ids}")
    return roots[0] if roots else None


def _matches(entities: Iterable[Entity], name: str) -> Sequence[Entity]:
    """Return the entity with exactly that id, or else those with that name."""
    candidates = list(entities)
    exact = [entity for entity in candidates if entity.id == name]
    key = key_of(name)
    return exact or [entity for entity in candidates if key in map(key_of, entity.all_names)]
