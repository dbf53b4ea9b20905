"""Answers of the fact tool: lists, histories, entities and contradictions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import Final

from remem.errors import InvalidInput, quoted
from remem.files.facts import KnownFacts
from remem.learn.facts.entities import require_entity
from remem.learn.facts.recording import RecordedFact
from remem.model.arguments import named_in_json, whole_number
from remem.model.contradictions import FactConflict, find_conflicts
from remem.model.entity import Entity, merged_with
from remem.model.fact import Fact, in_order, succession, valid_at
from remem.model.same_name import SameName, proposals

DEFAULT_LIMIT: Final = 100
_MAX_LIMIT: Final = 10_000
_MAX_COMPARED: Final = 200
"""How many of an entity's latest facts are compared with each other."""


@dataclass(frozen=True, slots=True)
class FactView:
    """A fact; `place` is its position in a file, `origin` where it was said."""

    id: str
    fact: str
    entity: str
    category: str
    timestamp: str
    source: str
    status: str
    superseded_by: str | None = field(default=None, metadata=named_in_json("supersededBy"))
    origin: str | None = None
    place: str = ""


_FACT_FIELDS: Final = tuple(view_field.name for view_field in fields(FactView))


@dataclass(frozen=True, slots=True)
class ContradictionView:
    """An active fact that contradicts another one; `supersede` proposes to replace it.

    `by` is the other fact of the pair; None if it is the fact just recorded.
    """

    fact: FactView
    rule: str
    supersede: bool
    why: str
    by: FactView | None = None


@dataclass(frozen=True, slots=True)
class EntityView:
    """An entity with the number of its facts; `merged` are the entities merged into it."""

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
    """The answer to an action; fields that do not apply are None.

    `known` says that the fact was already recorded. `waiting` is the id of an entry that the
    owner has to confirm before it becomes a fact. `contradicts` lists contradictions and `same`
    entities that may be one; the caller decides what to do about both. `left_out` is the number of
    facts beyond the limit.
    """

    action: str
    entity: EntityView | None = None
    facts: tuple[FactView, ...] | None = None
    entities: tuple[EntityView, ...] | None = None
    known: bool | None = None
    superseded: FactView | None = None
    contradicts: tuple[ContradictionView, ...] | None = None
    similar: tuple[FactView, ...] | None = None
    redacted: tuple[str, ...] | None = None
    waiting: str | None = None
    same: tuple[SameName, ...] | None = None
    left_out: int | None = None
    notes: tuple[str, ...] = ()


def fact_view(fact: Fact) -> FactView:
    """Return a fact as answers show it."""
    return FactView(**{name: getattr(fact, name) for name in _FACT_FIELDS})


def contradiction_views(
    conflicts: Iterable[FactConflict], by: Fact | None = None
) -> tuple[ContradictionView, ...]:
    """Return conflicts as answers show them; `by` is the fact that conflicts with the others."""
    other = fact_view(by) if by else None
    return tuple(
        ContradictionView(
            fact_view(conflict.old), conflict.rule, conflict.supersede, conflict.why, other
        )
        for conflict in conflicts
    )


def entity_view(known_facts: KnownFacts, entity: Entity) -> EntityView:
    """Return an entity as answers show it, with the number of its facts."""
    facts, merged = known_facts.facts_of(entity), merged_with(known_facts.entities, entity)
    superseded = sum(fact.superseded for fact in facts)
    return EntityView(
        id=entity.id,
        name=entity.name,
        kind=entity.kind or None,
        aliases=entity.aliases,
        merged=tuple(other.id for other in merged if other.id != entity.id),
        active=len(facts) - superseded,
        superseded=superseded,
        files=entity.files,
    )


def record_answer(action: str, recorded: RecordedFact, known_facts: KnownFacts) -> FactAnswer:
    """Return the answer to recording a fact, with contradictory and similar facts."""
    return FactAnswer(
        action=action,
        entity=entity_view(known_facts, known_facts.root(recorded.entity.id)),
        facts=(fact_view(recorded.fact),),
        known=recorded.known,
        superseded=fact_view(recorded.superseded) if recorded.superseded else None,
        contradicts=contradiction_views(recorded.conflicts) or None,
        similar=tuple(map(fact_view, recorded.similar)) or None,
        redacted=recorded.redacted or None,
        notes=known_facts.problems,
    )


def list_facts(
    known_facts: KnownFacts,
    name: str | None,
    as_of: str | None,
    limit: int | None,
    id_: str | None = None,
) -> FactAnswer:
    """Return the active facts, or those that were valid at the time `as_of`, the earliest first.

    A fact that is named by its id is returned even if it is superseded.
    """
    entity = require_entity(known_facts, name) if name else None
    facts = known_facts.facts_of(entity) if entity else known_facts.facts
    if id_:
        facts = [fact for fact in facts if fact.id == id_]
        if not facts:
            raise _unknown_fact(known_facts, id_)
    if as_of:
        facts = valid_at(facts, as_of, known_facts.tombstones)
    elif not id_:
        facts = [fact for fact in facts if fact.active]
    return _list_answer("as_of" if as_of else "list", known_facts, entity, in_order(facts), limit)


def list_history(
    known_facts: KnownFacts, name: str | None, id_: str | None, limit: int | None
) -> FactAnswer:
    """Return all facts about an entity or, with an id, a fact and what it replaced or became."""
    if not id_:
        entity = require_entity(known_facts, name)
        facts = in_order(known_facts.facts_of(entity))
        return _list_answer("history", known_facts, entity, facts, limit)
    named_entity = require_entity(known_facts, name) if name else None
    facts = known_facts.facts_of(named_entity) if named_entity else known_facts.facts
    paths = {fact.path for fact in facts}
    chain = [
        fact
        for file in known_facts.files
        if file.path in paths and any(fact.id == id_ for fact in file.facts)
        for fact in succession(file.facts, id_, file.tombstones)
    ]
    if not chain:
        raise _unknown_fact(known_facts, id_)
    return _list_answer("history", known_facts, named_entity, in_order(chain), limit)


def list_entities(known_facts: KnownFacts) -> FactAnswer:
    """Return all entities; merged ones are listed with the entity they were merged into."""
    roots = [
        entity
        for entity in known_facts.entities.values()
        if known_facts.root(entity.id).id == entity.id
    ]
    views = [entity_view(known_facts, root) for root in sorted(roots, key=lambda root: root.id)]
    same = tuple(proposals(known_facts.entities.values())) or None
    return FactAnswer("entities", entities=tuple(views), same=same, notes=known_facts.problems)


def list_contradictions(known_facts: KnownFacts) -> FactAnswer:
    """Return the active facts that contradict each other; a person decides which ones are true."""
    contradictions = tuple(_contradictions(known_facts)) or None
    return FactAnswer("contradictions", contradicts=contradictions, notes=known_facts.problems)


def _contradictions(known_facts: KnownFacts) -> Iterator[ContradictionView]:
    """Yield pairs of contradictory active facts; `by` is the later fact of each pair."""
    for id_, entity in known_facts.entities.items():
        if known_facts.root(id_).id != id_:
            continue
        active = [fact for fact in in_order(known_facts.facts_of(entity)) if fact.active][
            -_MAX_COMPARED:
        ]
        for index, fact in enumerate(active):
            yield from contradiction_views(find_conflicts(fact, active[:index]), by=fact)


def _list_answer(
    action: str,
    known_facts: KnownFacts,
    entity: Entity | None,
    facts: Sequence[Fact],
    limit: int | None,
) -> FactAnswer:
    count = DEFAULT_LIMIT if limit is None else whole_number(limit, 1, _MAX_LIMIT, "limit")
    latest = facts[-count:]
    return FactAnswer(
        action=action,
        entity=entity_view(known_facts, entity) if entity else None,
        facts=tuple(map(fact_view, latest)),
        left_out=len(facts) - len(latest) or None,
        notes=known_facts.problems,
    )


def _unknown_fact(known_facts: KnownFacts, id_: str) -> InvalidInput:
    """Return the error for an id that no fact has: the fact was erased or never existed."""
    for tombstone in known_facts.tombstones:
        if tombstone.id == id_:
            return InvalidInput(f"the owner erased the fact {quoted(id_)} at {tombstone.at}")
    return InvalidInput(f"no fact has the id {quoted(id_)}", hint="`remem fact list` shows ids")
