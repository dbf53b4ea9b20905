"""What does the asker of facts receive? Facts in the fields of their files, and what was done."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from remem.core.entity import Entity
from remem.core.entity_names import Likely
from remem.core.fact import Fact
from remem.core.fact_clash import Opposed
from remem.core.wire import called


@dataclass(frozen=True, slots=True)
class Stated:
    """A fact; `place` is where it stands, `origin` where it was said."""

    id: str
    fact: str
    entity: str
    category: str
    timestamp: str
    source: str
    status: str
    superseded_by: str | None = field(default=None, metadata=called("supersededBy"))
    origin: str | None = None
    place: str = ""


@dataclass(frozen=True, slots=True)
class Contradicted:
    """A standing fact that does not go with another, `by` where that is not the one that was just
    recorded. `supersede` proposes to replace it."""

    fact: Stated
    rule: str
    supersede: bool
    why: str
    by: Stated | None = None


@dataclass(frozen=True, slots=True)
class Described:
    """An entity with the number of its facts; `merged` are those that it was found to be."""

    id: str
    name: str
    kind: str | None = None
    aliases: tuple[str, ...] = ()
    merged: tuple[str, ...] = ()
    active: int = 0
    superseded: int = 0
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FactAnswer:
    """What came of it; what is None was not asked for.

    `known` says that the fact stood there before. `waiting` is the id of an entry that the owner
    has to confirm before it is a fact. `contradicts` and `proposals` are for the asker to decide.
    """

    action: str
    entity: Described | None = None
    facts: tuple[Stated, ...] | None = None
    entities: tuple[Described, ...] | None = None
    known: bool | None = None
    superseded: Stated | None = None
    contradicts: tuple[Contradicted, ...] | None = None
    similar: tuple[Stated, ...] | None = None
    proposals: tuple[Likely, ...] | None = None
    redacted: tuple[str, ...] | None = None
    waiting: str | None = None
    left_out: int | None = None
    notes: tuple[str, ...] = ()


def stated(fact: Fact) -> Stated:
    return Stated(
        id=fact.id,
        fact=fact.fact,
        entity=fact.entity,
        category=fact.category,
        timestamp=fact.timestamp,
        source=fact.source,
        status=fact.status,
        superseded_by=fact.superseded_by,
        origin=fact.origin,
        place=fact.place,
    )


def contradicted(found: Iterable[Opposed], by: Fact | None = None) -> tuple[Contradicted, ...]:
    new = stated(by) if by else None
    return tuple(
        Contradicted(stated(each.old), each.rule, each.supersede, each.why, new) for each in found
    )


def described(entity: Entity, merged: Iterable[Entity], facts: Iterable[Fact]) -> Described:
    known = list(facts)
    superseded = sum(each.superseded for each in known)
    return Described(
        id=entity.id,
        name=entity.name,
        kind=entity.kind or None,
        aliases=entity.aliases,
        merged=tuple(each.id for each in merged if each.id != entity.id),
        active=len(known) - superseded,
        superseded=superseded,
        files=entity.files,
    )
