"""Which of these were said before? What says the same in nearly the same words is one thing."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from math import ceil
from typing import Final

from remem.audit.look_alike import substance_differs
from remem.core.likeness import SIMILAR, overlap
from remem.core.words import words
from remem.maintenance.graduation.sightings import Sighting

_DIGITS: Final = 4


@dataclass(frozen=True, slots=True)
class Cluster:
    """All sightings of one thing, the earliest first."""

    sightings: tuple[Sighting, ...]

    @property
    def latest(self) -> Sighting:
        """The wording that counts now."""
        return self.sightings[-1]

    @property
    def days(self) -> list[str]:
        """On which it was noted; a fact is taken from what was noted, and counts no second time."""
        return sorted({each.day for each in self.sightings if each.day and each.line})

    @property
    def ids(self) -> frozenset[str]:
        """One for each wording: whoever declined one of them declined them all."""
        return frozenset(id_of(each.text) for each in self.sightings)


def id_of(text: str) -> str:
    """The same for the same words, whatever their case, spacing and punctuation."""
    told = " ".join(words(text)).encode("utf-8", "surrogatepass")
    return f"grad-{blake2b(told, digest_size=_DIGITS).hexdigest()}"


def clustered(sightings: Iterable[Sighting]) -> list[Cluster]:
    """In the order of the first sighting of each."""
    ordered = sorted(sightings, key=lambda each: (each.day or "", each.place))
    said = [frozenset(words(each.text)) for each in ordered]
    leaders: list[int] = []
    members: dict[int, list[int]] = {}
    holding: dict[str, list[int]] = defaultdict(list)
    common = Counter(word for each in said for word in each)
    for number, own in enumerate(said):
        rare = _rarest(own, common)
        nearby = dict.fromkeys(other for word in rare for other in holding[word])
        leader = next((each for each in nearby if _same(own, said[each])), None)
        if leader is None:
            leaders.append(number)
            members[number] = [number]
            for word in rare:
                holding[word].append(number)
        else:
            members[leader].append(number)
    return [Cluster(tuple(ordered[n] for n in members[each])) for each in leaders]


def _rarest(own: frozenset[str], common: Counter[str]) -> Sequence[str]:
    """So many of its rarest words that a similar text has one of them among its own."""
    order = sorted(own, key=lambda word: (common[word], word))
    return order[: len(order) - ceil(SIMILAR * len(order)) + 1]


def _same(own: frozenset[str], other: frozenset[str]) -> bool:
    return overlap(own, other) >= SIMILAR and not substance_differs(own, other)
