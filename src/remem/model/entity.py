"""Which entities may be one under two spellings? Proposed with the reason; nothing is merged.

What is an entity? Something that facts are about, with its names and where its facts stand.

Its id is its folder below `brain/areas/`, or its path where it lies elsewhere. Merging two
leaves the facts of both in their files: one of them says that it is the other now.
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
    return next((_KINDS[parent] for parent in reversed(parents) if parent in _KINDS), "")


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
    others = (entity for entity in entities.values() if entity.id != root.id)
    return (root, *(entity for entity in others if root_of(entities, entity.id).id == root.id))


def named(entities: Mapping[str, Entity], name: str) -> Entity | None:
    """The entity that a name means; InvalidInput where it means several."""
    found = _meant(entities.values(), name)
    roots = list(
        {root.id: root for entity in found if (root := root_of(entities, entity.id))}.values()
    )
    if len(roots) > 1:
        listed = ", ".join(root.id for root in roots)
        raise InvalidInput(
            f"the name {shown(name)} means several entities", hint=f"use an id: {listed}"
        )
    return roots[0] if roots else None


def _meant(entities: Iterable[Entity], name: str) -> Sequence[Entity]:
    """Those with that very id, else those that are called so."""
    every = list(entities)
    exact = [entity for entity in every if entity.id == name]
    key = key_of(name)
    return exact or [entity for entity in every if key in map(key_of, entity.called)]


_DIGRAPHS: Final = {"ae": "a", "oe": "o", "ue": "u", "ss": "s"}
_LONG: Final = 5
_VERY_LONG: Final = 9


@dataclass(frozen=True, slots=True)
class Likely:
    """Two entities that may be one; `why` says what speaks for it."""

    entity: str
    other: str
    why: str


def likely_same(entities: Mapping[str, Entity]) -> list[Likely]:
    """Each pair once, in the order of their ids."""
    standing = sorted(
        (entity for entity in entities.values() if root_of(entities, entity.id).id == entity.id),
        key=lambda each: each.id,
    )
    found: dict[tuple[str, str], Likely] = {}
    for one, other in _near(standing):
        why = _why(one, other)
        if why and (one.id, other.id) not in found and _may_be_one(one, other):
            found[one.id, other.id] = Likely(one.id, other.id, why)
    return [found[pair] for pair in sorted(found)]


def like(entities: Mapping[str, Entity], name: str) -> list[Likely]:
    """The entities that a new name may mean."""
    new = Entity(id=name, name=name)
    return [
        Likely(name, entity.id, why)
        for entity in entities.values()
        if root_of(entities, entity.id).id == entity.id and (why := _why(new, entity))
    ]


def _near(standing: Sequence[Entity]) -> Iterator[tuple[Entity, Entity]]:
    """Pairs that share a word or the beginning of one: comparing all with all would not scale."""
    blocks: dict[str, list[Entity]] = defaultdict(list)
    for entity in standing:
        for block in {word[:2] for name in _names(entity) for word in _plain(name).split()}:
            blocks[block].append(entity)
    for some in blocks.values():
        for one, other in combinations(some, 2):
            yield (one, other) if one.id < other.id else (other, one)


def _may_be_one(one: Entity, other: Entity) -> bool:
    """A person is no project; where nobody said what they are, they may be one."""
    return not one.kind or not other.kind or one.kind == other.kind


def _why(one: Entity, other: Entity) -> str:
    for first in _names(one):
        for second in _names(other):
            if why := _alike(first, second):
                return why
    return ""


def _names(entity: Entity) -> list[str]:
    return list(dict.fromkeys(key_of(each) for each in (entity.name, *entity.aliases, entity.slug)))


def _alike(one: str, other: str) -> str:
    mine, yours = _plain(one), _plain(other)
    if not mine or not yours:
        return ""
    if mine == yours:
        return f"{one!r} and {other!r} differ only in their spelling"
    first, second = mine.split(), yours.split()
    if sorted(first) == sorted(second):
        return f"{one!r} and {other!r} have the same words"
    if _is_part(first, second) or _is_part(second, first):
        return f"{one!r} and {other!r}: one name is part of the other"
    if _digits(mine) == _digits(yours) and _few_apart(first, second):
        return f"{one!r} and {other!r} differ in a letter or two"
    return ""


def _plain(name: str) -> str:
    """Without accents and the ways to write them."""
    bare = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    text = "".join(each for each in bare if not unicodedata.combining(each))
    text = "".join(each if each.isalnum() else " " for each in text)
    for pair, letter in _DIGRAPHS.items():
        text = text.replace(pair, letter)
    return " ".join(text.split())


def _is_part(short: Sequence[str], long: Sequence[str]) -> bool:
    """A first name alone, where the other has one more word behind it."""
    return 0 < len(short) < len(long) and list(long[: len(short)]) == list(short)


def _digits(text: str) -> str:
    return "".join(each for each in text if each.isdigit())


def _few_apart(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether each word is the other's, but for a letter, or two in a very long one."""
    if len(one) != len(other):
        return False
    for mine, yours in zip(one, other, strict=True):
        shorter = min(len(mine), len(yours))
        most = 0 if shorter < _LONG else 2 if shorter >= _VERY_LONG else 1
        if not _within(mine, yours, most):
            return False
    return True


def _within(one: str, other: str, most: int) -> bool:
    """Whether so few letters have to be put in, left out or exchanged."""
    if abs(len(one) - len(other)) > most:
        return False
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, start=1):
        last, row[0] = row[0], i
        for j, its in enumerate(other, start=1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (letter != its))
    return row[-1] <= most
