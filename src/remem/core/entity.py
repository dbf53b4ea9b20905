"""What is an entity? Something that facts are about, with its names and where its facts stand.

Its id is its folder below `brain/areas/`, or its path where it lies elsewhere. Merging two
leaves the facts of both in their files: one of them says that it is the other now.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from remem.core.entry import Category
from remem.core.fact import Fact
from remem.core.words import fold
from remem.errors import InvalidInput, shown

AREAS: Final = "brain/areas"
ITEMS: Final = "items.json"
LONGEST_NAME: Final = 100

_LONGEST_SLUG: Final = 60
_APART: Final = re.compile(r"[\s_-]+")
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
    """`name` is what people call it, `aliases` what else; `kind` is empty where nobody said it.

    `files` hold its facts, first the one that new facts go to. `merged_into` is the id of the
    entity that it was found to be.
    """

    id: str
    name: str
    kind: str = ""
    aliases: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    merged_into: str | None = None

    @property
    def slug(self) -> str:
        return self.id.rpartition("/")[2]

    @property
    def called(self) -> tuple[str, ...]:
        """Everything that it answers to."""
        return tuple(dict.fromkeys((self.name, *self.aliases, self.slug, self.id)))


def key_of(name: str) -> str:
    """Equal for names that differ only in case, blanks and hyphens."""
    return _APART.sub(" ", fold(name)).strip()


def slug_of(name: str, taken: Iterable[str] = ()) -> str:
    """A folder for a new entity: letters and digits of any script, and hyphens."""
    folded = unicodedata.normalize("NFC", fold(name))
    kept = "".join(each if each.isalnum() else "-" for each in folded)
    slug = re.sub(r"-+", "-", kept)[:_LONGEST_SLUG].strip("-")
    if not slug:
        raise InvalidInput(
            f"the name {shown(name)} has no letter or digit", hint="name the entity in words"
        )
    others = set(taken)
    found, number = slug, 2
    while found in others:
        found, number = f"{slug}-{number}", number + 1
    return found


def kind_by_place(path: str) -> str:
    """The kind that the folders above an entity give it."""
    parents = path.split("/")[:-1]
    return next((_KINDS[each] for each in reversed(parents) if each in _KINDS), "")


def category_of(fact: Fact, kind: str) -> Category:
    """Under which category recall tells a fact: its entity's kind decides where it is known."""
    if kind:
        return _CATEGORY_OF_KIND.get(kind, "fact")
    return _CATEGORY_OF_FACT.get(fold(fact.category), "fact")


def root_of(entities: Mapping[str, Entity], id_: str) -> Entity:
    """The entity that this one was merged into, or itself."""
    entity, seen = entities[id_], {id_}
    while (into := entities.get(entity.merged_into or "")) and into.id not in seen:
        entity = into
        seen.add(entity.id)
    return entity


def merged_with(entities: Mapping[str, Entity], root: Entity) -> tuple[Entity, ...]:
    """The entity and all that were merged into it."""
    others = (each for each in entities.values() if each.id != root.id)
    return (root, *(each for each in others if root_of(entities, each.id).id == root.id))


def named(entities: Mapping[str, Entity], name: str) -> Entity | None:
    """The entity that a name means; InvalidInput where it means several."""
    found = _meant(entities.values(), name)
    roots = list({root.id: root for each in found if (root := root_of(entities, each.id))}.values())
    if len(roots) > 1:
        listed = ", ".join(each.id for each in roots)
        raise InvalidInput(
            f"the name {shown(name)} means several entities", hint=f"use an id: {listed}"
        )
    return roots[0] if roots else None


def _meant(entities: Iterable[Entity], name: str) -> Sequence[Entity]:
    """Those with that very id, else those that are called so."""
    every = list(entities)
    exact = [each for each in every if each.id == name]
    key = key_of(name)
    return exact or [each for each in every if key in map(key_of, each.called)]
