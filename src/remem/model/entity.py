"""Which entities may be one under two spellings? Proposed with the reason; nothing is merged."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from remem.core.entity import Entity, key_of, root_of

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
        (each for each in entities.values() if root_of(entities, each.id).id == each.id),
        key=lambda each: each.id,
    )
    found: dict[tuple[str, str], Likely] = {}
    for one, other in _near(standing):
        why = _why(one, other)
        if why and (one.id, other.id) not in found and _may_be_one(one, other):
            found[one.id, other.id] = Likely(one.id, other.id, why)
    return [found[each] for each in sorted(found)]


def like(entities: Mapping[str, Entity], name: str) -> list[Likely]:
    """The entities that a new name may mean."""
    new = Entity(id=name, name=name)
    return [
        Likely(name, each.id, why)
        for each in entities.values()
        if root_of(entities, each.id).id == each.id and (why := _why(new, each))
    ]


def _near(standing: Sequence[Entity]) -> Iterator[tuple[Entity, Entity]]:
    """Pairs that share a word or the beginning of one: comparing all with all would not scale."""
    blocks: dict[str, list[Entity]] = defaultdict(list)
    for each in standing:
        for block in {word[:2] for name in _names(each) for word in _plain(name).split()}:
            blocks[block].append(each)
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
