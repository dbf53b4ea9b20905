"""What is asked about facts? Their list, history, past; the entities and which may be one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from remem.core.entity import Entity, merged_with
from remem.core.entity_names import likely_same
from remem.core.fact import Fact, chain, in_order, valid_at
from remem.core.fact_clash import opposed
from remem.core.values import whole_number
from remem.errors import InvalidInput, shown
from remem.maintenance.knowledge.entities import require
from remem.maintenance.knowledge.recording import Recorded
from remem.maintenance.knowledge.result import (
    Contradicted,
    Described,
    FactAnswer,
    contradicted,
    described,
    stated,
)
from remem.notes.fact_files import Known

DEFAULT_LIMIT: Final = 100
_MOST: Final = 10_000
_COMPARED: Final = 200
"""So many facts of one entity are compared with each other, the latest."""


def recorded(action: str, done: Recorded, known: Known) -> FactAnswer:
    """What was written, and what the asker may want to do about it."""
    return FactAnswer(
        action=action,
        entity=description(known, known.root(done.entity.id)),
        facts=(stated(done.fact),),
        known=done.known,
        superseded=stated(done.superseded) if done.superseded else None,
        contradicts=contradicted(done.opposed) or None,
        similar=tuple(map(stated, done.similar)) or None,
        proposals=done.likely or None,
        redacted=done.redacted or None,
        notes=known.troubles,
    )


def listed(
    known: Known, name: str | None, as_of: str | None, limit: int | None, id_: str | None = None
) -> FactAnswer:
    """The facts that stand, or that stood at a time, the earliest first."""
    entity = require(known, name) if name else None
    facts = known.of(entity) if entity else known.facts
    if id_:
        facts = [each for each in facts if each.id == id_] or _nothing(known, id_)
    if as_of:
        found = valid_at(facts, as_of, known.gone)
    else:
        found = facts if id_ else [each for each in facts if each.active]
    return _told("as_of" if as_of else "list", known, entity, in_order(found), limit)


def history(known: Known, name: str | None, id_: str | None, limit: int | None) -> FactAnswer:
    """Every fact that an entity has had; or what one fact replaced and was replaced by."""
    if not id_:
        entity = require(known, name)
        return _told("history", known, entity, in_order(known.of(entity)), limit)
    named = require(known, name) if name else None
    facts = known.of(named) if named else known.facts
    files = [file for file in known.files if any(each.id == id_ for each in file.facts)]
    mine = {each.path for each in facts}
    found = [
        fact for file in files if file.path in mine for fact in chain(file.facts, id_, file.gone)
    ]
    if not found:
        _nothing(known, id_)
    return _told("history", known, named, in_order(found), limit)


def entities(known: Known) -> FactAnswer:
    """All that facts are about; those that were found to be another stand with that one."""
    roots = [each for each in known.entities.values() if known.root(each.id).id == each.id]
    found = [description(known, each) for each in sorted(roots, key=lambda each: each.id)]
    return FactAnswer("entities", entities=tuple(found), notes=known.troubles)


def proposals(known: Known) -> FactAnswer:
    """What is for a person to decide: names that may mean one, and facts that cannot both hold."""
    return FactAnswer(
        "proposals",
        proposals=tuple(likely_same(known.entities)),
        contradicts=tuple(_clashing(known)) or None,
        notes=known.troubles,
    )


def _clashing(known: Known) -> Iterator[Contradicted]:
    """Pairs of standing facts of one entity, of which the later is told as the new one."""
    for id_, entity in known.entities.items():
        if known.root(id_).id != id_:
            continue
        standing = [each for each in in_order(known.of(entity)) if each.active][-_COMPARED:]
        for place, fact in enumerate(standing):
            yield from contradicted(opposed(fact, standing[:place]), by=fact)


def description(known: Known, entity: Entity) -> Described:
    return described(entity, merged_with(known.entities, entity), known.of(entity))


def _told(
    action: str, known: Known, entity: Entity | None, facts: Sequence[Fact], limit: int | None
) -> FactAnswer:
    most = DEFAULT_LIMIT if limit is None else whole_number(limit, 1, _MOST, "limit")
    kept = facts[-most:]  # the latest say most
    return FactAnswer(
        action=action,
        entity=description(known, entity) if entity else None,
        facts=tuple(map(stated, kept)),
        left_out=len(facts) - len(kept) or None,
        notes=known.troubles,
    )


def _nothing(known: Known, id_: str) -> list[Fact]:
    for each in known.gone:
        if each.id == id_:
            raise InvalidInput(f"the fact {shown(id_)} was erased by the owner, at {each.at}")
    raise InvalidInput(f"no fact has the id {shown(id_)}", hint="`remem fact list` shows ids")
