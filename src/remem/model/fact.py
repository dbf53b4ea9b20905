"""What is a fact? One statement about an entity, when it was made, and what took its place.

Facts are read as people and programs have written them: other categories, other states and
further fields are theirs to have. Only `superseded` ends a fact; one that is `completed` or
`planned` still stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from remem.core.fact_tombstone import Gone, is_tombstone
from remem.core.moments import end_of, moment
from remem.core.words import fold
from remem.errors import InvalidInput

ACTIVE: Final = "active"
SUPERSEDED: Final = "superseded"

_TEXTS: Final = ("fact", "text", "content")


@dataclass(frozen=True, slots=True)
class Fact:
    """Lines `start` to `end` of `path`. `timestamp` is as it was written: a date, or a time.

    `entity` is the id of the entity in whose file it stands; `number` is its place there.
    """

    id: str
    fact: str
    entity: str = ""
    category: str = ""
    timestamp: str = ""
    source: str = ""
    status: str = ACTIVE
    superseded_by: str | None = None
    origin: str | None = None
    path: str = ""
    start: int = 0
    end: int = 0
    number: int = 0

    @property
    def superseded(self) -> bool:
        return self.superseded_by is not None or fold(self.status) == SUPERSEDED

    @property
    def active(self) -> bool:
        return not self.superseded

    @property
    def since(self) -> str | None:
        """The moment it was made, in UTC; None where its timestamp says nothing."""
        try:
            return moment(self.timestamp, "timestamp")
        except InvalidInput:
            return None

    @property
    def day(self) -> str | None:
        """The day as it was written, whatever the zone."""
        return self.timestamp[:10] if self.since else None

    @property
    def place(self) -> str:
        """Where it stands: `path#L4-L12`."""
        lines = f"L{self.start}" if self.start == self.end else f"L{self.start}-L{self.end}"
        return f"{self.path}#{lines}"


def fact_of(
    value: Any, *, entity: str, path: str, lines: tuple[int, int], number: int
) -> Fact | None:
    """The fact that a JSON value tells; None where it tells none, or was erased."""
    if not isinstance(value, Mapping) or is_tombstone(value):
        return None
    texts = (value[name] for name in _TEXTS if isinstance(value.get(name), str))
    said = next((each for each in texts if each.strip()), None)
    if said is None:
        return None
    by = value.get("supersededBy")
    return Fact(
        id=_text(value.get("id")),
        fact=said,
        entity=entity,
        category=_text(value.get("category")),
        timestamp=_text(value.get("timestamp")),
        source=_text(value.get("source")),
        status=_text(value.get("status")) or ACTIVE,
        superseded_by=_text(by) if by else None,
        origin=_text(value.get("origin")) or None,
        path=path,
        start=lines[0],
        end=lines[1],
        number=number,
    )


def valid_at(facts: Iterable[Fact], when: str, gone: Iterable[Gone] = ()) -> list[Fact]:
    """What was true at the end of a day, or at a moment.

    A superseded fact is true until its successor begins. One whose successor cannot be found
    ended nobody knows when, and is left out; one without a date has always been so. Of one that
    was erased (`gone`) is still known when it began.
    """
    then = end_of(when, "as_of")
    known = list(facts)
    begins = {(each.path, each.id): each.since for each in gone}
    begins |= {(each.path, each.id): each.since for each in known}
    return [each for each in known if _is_valid(each, then, begins)]


def chain(facts: Sequence[Fact], id_: str, gone: Iterable[Gone] = ()) -> list[Fact]:
    """What a fact has replaced and what replaced it, the earliest first; a fact that was erased
    (`gone`) is a link that says nothing."""
    by_id = {each.id: each for each in facts}
    if id_ not in by_id:
        return []
    after = {each.id: each.superseded_by for each in gone}
    after |= {each.id: each.superseded_by for each in facts}
    wanted = {id_}
    following = after[id_]
    while following in after and following not in wanted:
        wanted.add(following)
        following = after[following]
    grown = True
    while grown:
        before = {each for each, by in after.items() if by in wanted}
        grown = not before <= wanted
        wanted |= before
    return in_order([by_id[each] for each in wanted if each in by_id])


def in_order(facts: Iterable[Fact]) -> list[Fact]:
    """By time; those of one moment, or of none, as they stand in their file."""
    return sorted(facts, key=lambda each: (each.since or "", each.path, each.number))


def _is_valid(fact: Fact, then: str, begins: Mapping[tuple[str, str], str | None]) -> bool:
    since = fact.since
    if since is not None and since > then:
        return False
    if fact.active:
        return True
    end = begins.get((fact.path, fact.superseded_by or ""))
    return end is not None and end > then


def _text(value: Any) -> str:
    """A field as text; ids and dates are numbers in some files."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""
