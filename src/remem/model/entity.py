"""Entities: what facts are about, with their names, files and merges.

The id of an entity is its folder below `brain/areas/`, or its path if it is elsewhere. A merge
leaves the facts of both in their files; one of them only names the other as its target. Entities
that may be one under two spellings are proposed with a reason, never merged automatically.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from remem.errors import InvalidInput, shown
from remem.model.entry import Category
from remem.model.fact import Fact
from remem.text.words import fold

AREAS: Final = "brain/areas"
ITEMS: Final = "items.json"
MAX_NAME_LENGTH: Final = 100

_MAX_SLUG_LENGTH: Final = 60
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
    """Something that facts are about; `kind` is empty if unknown.

    `files` hold its facts, and new ones go to the first. `merged_into` is the id of the entity
    that it was merged into.
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
    def all_names(self) -> tuple[str, ...]:
        """All its names, slug and id included."""
        return tuple(dict.fromkeys((self.name, *self.aliases, self.slug, self.id)))


def key_of(name: str) -> str:
    """A key that is equal for names that differ only in case, spaces and hyphens."""
    return _APART.sub(" ", fold(name)).strip()


def slug_of(name: str, taken: Iterable[str] = ()) -> str:
    """The folder name of a new entity: letters and digits of any script, and hyphens."""
    folded = unicodedata.normalize("NFC", fold(name))
    joined = "".join(letter if letter.isalnum() else "-" for letter in folded)
    slug = re.sub(r"-+", "-", joined)[:_MAX_SLUG_LENGTH].strip("-")
    if not slug:
        raise InvalidInput(
            f"the name {shown(name)} has no letter or digit", hint="name the entity in words"
        )
    others = set(taken)
    found, number = slug, 2
    while found in others:
        found, number = f"{slug}-{number}", number + 1
    return found


def kind_by_path(path: str) -> str:
    """The kind of an entity, by the folders above it."""
    parents = path.split("/")[:-1]
    return next((_KINDS[parent] for parent in reversed(parents) if parent in _KINDS), "")


def category_of(fact: Fact, kind: str) -> Category:
    """The category of a fact in recall: by the kind of its entity if known, else its own."""
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
    others = (entity for entity in entities.values() if entity.id != root.id)
    return (root, *(entity for entity in others if root_of(entities, entity.id).id == root.id))


def entity_named(entities: Mapping[str, Entity], name: str) -> Entity | None:
    """The entity with that name; raises InvalidInput if several have it."""
    found = _matches(entities.values(), name)
    roots = list(
        {root.id: root for entity in found if (root := root_of(entities, entity.id))}.values()
    )
    if len(roots) > 1:
        listed = ", ".join(root.id for root in roots)
        raise InvalidInput(
            f"several entities are called {shown(name)}", hint=f"use an id: {listed}"
        )
    return roots[0] if roots else None


def _matches(entities: Iterable[Entity], name: str) -> Sequence[Entity]:
    """The entity with exactly that id, else those with that name."""
    every = list(entities)
    exact = [entity for entity in every if entity.id == name]
    key = key_of(name)
    return exact or [entity for entity in every if key in map(key_of, entity.all_names)]


_DIGRAPHS: Final = {"ae": "a", "oe": "o", "ue": "u", "ss": "s"}
_LONG: Final = 5
_VERY_LONG: Final = 9


@dataclass(frozen=True, slots=True)
class LikelyDuplicate:
    """Two entities that may be the same, and why."""

    entity: str
    other: str
    why: str


def likely_duplicates(entities: Mapping[str, Entity]) -> list[LikelyDuplicate]:
    """Pairs of entities that may be the same, each once, in the order of their ids."""
    roots = sorted(
        (entity for entity in entities.values() if root_of(entities, entity.id).id == entity.id),
        key=lambda entity: entity.id,
    )
    found: dict[tuple[str, str], LikelyDuplicate] = {}
    for one, other in _candidate_pairs(roots):
        why = _reason(one, other)
        if why and (one.id, other.id) not in found and _compatible(one, other):
            found[one.id, other.id] = LikelyDuplicate(one.id, other.id, why)
    return [found[pair] for pair in sorted(found)]


def similar_entities(entities: Mapping[str, Entity], name: str) -> list[LikelyDuplicate]:
    """The entities that a new name may refer to."""
    new = Entity(id=name, name=name)
    return [
        LikelyDuplicate(name, entity.id, why)
        for entity in entities.values()
        if root_of(entities, entity.id).id == entity.id and (why := _reason(new, entity))
    ]


def _candidate_pairs(entities: Sequence[Entity]) -> Iterator[tuple[Entity, Entity]]:
    """Pairs with a common word beginning; comparing all with all would not scale."""
    blocks: dict[str, list[Entity]] = defaultdict(list)
    for entity in entities:
        for block in {
            word[:2] for name in _names(entity) for word in _without_accents(name).split()
        }:
            blocks[block].append(entity)
    for block_entities in blocks.values():
        for one, other in combinations(block_entities, 2):
            yield (one, other) if one.id < other.id else (other, one)


def _compatible(one: Entity, other: Entity) -> bool:
    """Whether the kinds allow it: a person is not a project, but an unknown kind may be any."""
    return not one.kind or not other.kind or one.kind == other.kind


def _reason(one: Entity, other: Entity) -> str:
    for first in _names(one):
        for second in _names(other):
            if why := _similarity(first, second):
                return why
    return ""


def _names(entity: Entity) -> list[str]:
    return list(dict.fromkeys(map(key_of, (entity.name, *entity.aliases, entity.slug))))


def _similarity(one: str, other: str) -> str:
    plain_one, plain_other = _without_accents(one), _without_accents(other)
    if not plain_one or not plain_other:
        return ""
    if plain_one == plain_other:
        return f"{one!r} and {other!r} differ only in their spelling"
    first, second = plain_one.split(), plain_other.split()
    if sorted(first) == sorted(second):
        return f"{one!r} and {other!r} have the same words"
    if _is_part(first, second) or _is_part(second, first):
        return f"{one!r} and {other!r}: one name is part of the other"
    if _digits(plain_one) == _digits(plain_other) and _nearly_equal(first, second):
        return f"{one!r} and {other!r} differ in a letter or two"
    return ""


def _without_accents(name: str) -> str:
    """Remove accents, punctuation and the digraphs that stand for umlauts."""
    bare = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    text = "".join(letter for letter in bare if not unicodedata.combining(letter))
    text = "".join(letter if letter.isalnum() else " " for letter in text)
    for pair, letter in _DIGRAPHS.items():
        text = text.replace(pair, letter)
    return " ".join(text.split())


def _is_part(short: Sequence[str], long: Sequence[str]) -> bool:
    """Whether one name begins with the other, such as a first name alone."""
    return 0 < len(short) < len(long) and list(long[: len(short)]) == list(short)


def _digits(text: str) -> str:
    return "".join(character for character in text if character.isdigit())


def _nearly_equal(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether the words differ pairwise by at most one letter, or two in very long ones."""
    if len(one) != len(other):
        return False
    for word, other_word in zip(one, other, strict=True):
        shorter = min(len(word), len(other_word))
        limit = 0 if shorter < _LONG else 2 if shorter >= _VERY_LONG else 1
        if not _within_distance(word, other_word, limit):
            return False
    return True


def _within_distance(one: str, other: str, limit: int) -> bool:
    """Whether the edit distance is at most `limit`."""
    if abs(len(one) - len(other)) > limit:
        return False
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, start=1):
        last, row[0] = row[0], i
        for j, other_letter in enumerate(other, start=1):
            substitution = last + (letter != other_letter)
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, substitution)
    return row[-1] <= limit
