"""Which ability does an action of the tool call, and with what?

What does the asker of facts receive? Facts in the fields of their files, and what was done.

What is asked about facts? Their list, history, past; the entities and which may be one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from remem.errors import InvalidInput, shown
from remem.files.facts import Known
from remem.learn.facts.entities import require
from remem.learn.facts.recording import Recorded
from remem.model.arguments import whole_number
from remem.model.entity import Entity, Likely, likely_same, merged_with
from remem.model.fact import Fact, chain, in_order, valid_at
from remem.model.fact_conflicts import Opposed, opposed
from remem.text.host_json import called


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
    superseded = sum(fact.superseded for fact in known)
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
        facts = [fact for fact in facts if fact.id == id_] or _nothing(known, id_)
    if as_of:
        found = valid_at(facts, as_of, known.gone)
    else:
        found = facts if id_ else [fact for fact in facts if fact.active]
    return _told("as_of" if as_of else "list", known, entity, in_order(found), limit)


def history(known: Known, name: str | None, id_: str | None, limit: int | None) -> FactAnswer:
    """Every fact that an entity has had; or what one fact replaced and was replaced by."""
    if not id_:
        entity = require(known, name)
        return _told("history", known, entity, in_order(known.of(entity)), limit)
    named = require(known, name) if name else None
    facts = known.of(named) if named else known.facts
    files = [file for file in known.files if any(fact.id == id_ for fact in file.facts)]
    mine = {fact.path for fact in facts}
    found = [
        fact for file in files if file.path in mine for fact in chain(file.facts, id_, file.gone)
    ]
    if not found:
        _nothing(known, id_)
    return _told("history", known, named, in_order(found), limit)


def entities(known: Known) -> FactAnswer:
    """All that facts are about; those that were found to be another stand with that one."""
    roots = [entity for entity in known.entities.values() if known.root(entity.id).id == entity.id]
    found = [description(known, root) for root in sorted(roots, key=lambda each: each.id)]
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
        standing = [fact for fact in in_order(known.of(entity)) if fact.active][-_COMPARED:]
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
    for gone in known.gone:
        if gone.id == id_:
            raise InvalidInput(f"the fact {shown(id_)} was erased by the owner, at {gone.at}")
    raise InvalidInput(f"no fact has the id {shown(id_)}", hint="`remem fact list` shows ids")


SAID: Final = ("category", "timestamp", "source", "origin", "kind", "trust")
_TAKES: Final[Mapping[str, tuple[str, ...]]] = {
    "record": ("entity", "fact", *SAID),
    "supersede": ("id", "entity", "fact", *SAID),
    "list": ("entity", "as_of", "id", "limit"),
    "history": ("entity", "id", "limit"),
    "entities": (),
    "alias": ("entity", "aliases"),
    "merge": ("entity", "into"),
    "unmerge": ("entity",),
    "proposals": (),
}
_NEEDS: Final[Mapping[str, tuple[str, ...]]] = {
    "record": ("entity", "fact"),
    "supersede": ("id", "fact"),
    "alias": ("entity", "aliases"),
    "merge": ("entity", "into"),
    "unmerge": ("entity",),
}


class _Knows(Protocol):
    """A workspace, which stands above this."""

    def record_fact(self, entity: str, fact: str, **said: Any) -> FactAnswer: ...
    def supersede_fact(self, id_: str, fact: str, **said: Any) -> FactAnswer: ...
    def facts(
        self,
        entity: str | None = None,
        *,
        as_of: str | None = None,
        id_: str | None = None,
        limit: int | None = None,
    ) -> FactAnswer: ...
    def fact_history(
        self, entity: str | None = None, *, id_: str | None = None, limit: int | None = None
    ) -> FactAnswer: ...
    def entities(self) -> FactAnswer: ...
    def entity_proposals(self) -> FactAnswer: ...
    def alias_entity(self, entity: str, aliases: Any) -> FactAnswer: ...
    def merge_entities(self, entity: str, into: str) -> FactAnswer: ...
    def unmerge_entity(self, entity: str) -> FactAnswer: ...


def act(workspace: _Knows, action: str, said: Mapping[str, Any]) -> FactAnswer:
    """What the action answers; a value that it does not take is a mistake worth hearing of."""
    given = {name: value for name, value in said.items() if value is not None}
    _check(action, given)
    id_ = given.pop("id", None)
    match action:
        case "record":
            return workspace.record_fact(**given)
        case "supersede":
            return workspace.supersede_fact(id_, given.pop("fact"), **given)
        case "list":
            return workspace.facts(id_=id_, **given)
        case "history":
            return workspace.fact_history(id_=id_, **given)
        case "entities":
            return workspace.entities()
        case "alias":
            return workspace.alias_entity(**given)
        case "merge":
            return workspace.merge_entities(**given)
        case "unmerge":
            return workspace.unmerge_entity(**given)
        case _:
            return workspace.entity_proposals()


def _check(action: str, given: Mapping[str, Any]) -> None:
    for name in given:
        if name not in _TAKES[action]:
            takes = ", ".join(_TAKES[action]) or "nothing"
            raise InvalidInput(f"{action} does not take {shown(name)}", hint=f"it takes: {takes}")
    for name in _NEEDS.get(action, ()):
        if name not in given:
            raise InvalidInput(f"{action} needs {name}", hint=f"give {name} with the action")
