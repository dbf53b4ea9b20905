"""How is a fact recorded? Checked, compared with what stands, and put behind the others.

The same statement is recorded once. One that contradicts another is recorded all the same, and
told with it: what to do about it is for the asker to say. To supersede a fact, the old and the
new one are written in one step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from remem.entries.pending_facts import FactDraft
from remem.errors import InvalidInput, shown
from remem.files.facts import Known, facts_in, file_for
from remem.learn.facts.entities import Knowing, register
from remem.model.entity import Entity, Likely, like, slug_of
from remem.model.fact import ACTIVE, FACT_CATEGORIES, SUPERSEDED, Fact
from remem.model.fact_conflicts import Opposed, opposed
from remem.model.fact_json import next_id, values_in, with_fact, with_successor
from remem.text.similarity import relation
from remem.text.words import fold

_BY: Final = "supersededBy"


@dataclass(frozen=True, slots=True)
class Recorded:
    """What became of a draft. `known` says that the fact stood there before."""

    fact: Fact
    entity: Entity
    known: bool = False
    superseded: Fact | None = None
    opposed: tuple[Opposed, ...] = ()
    similar: tuple[Fact, ...] = ()
    likely: tuple[Likely, ...] = ()
    redacted: tuple[str, ...] = ()


def record(job: Knowing, draft: FactDraft) -> Recorded:
    """Write a fact into its entity's file; when this returns, it survives a power cut."""
    with job.alone():
        known = job.known()
        _refuse_erased(job, known, draft)
        old = _replaced(known, draft) if draft.supersedes else None
        likely: Sequence[Likely] = ()
        if old is not None:
            entity = known.root(old.entity)
        else:
            entity, likely = _entity(job, known, draft)
        done = _written(job, known, entity, draft, old)
    return replace(done, likely=tuple(likely), redacted=draft.redacted)


def _entity(job: Knowing, known: Known, draft: FactDraft) -> tuple[Entity, Sequence[Likely]]:
    """The entity that is named, which is made if there is none; and those it may be."""
    if not draft.entity:
        raise InvalidInput("entity is missing", hint="say whom or what the fact is about")
    entity = known.named(draft.entity)
    if entity is not None:
        return register(job, entity, kind=draft.kind), ()
    likely = like(known.entities, draft.entity)
    taken = [entity.rpartition("/")[2] for entity in known.entities]
    new = Entity(slug_of(draft.entity, taken), draft.entity)
    return register(job, new, name=draft.entity, kind=draft.kind), likely


def _refuse_erased(job: Knowing, known: Known, draft: FactDraft) -> None:
    if known.erased(draft.fact) or job.erased(draft.fact):
        raise InvalidInput(
            "not recorded: the owner has erased these words", hint="what is erased stays away"
        )


def _replaced(known: Known, draft: FactDraft) -> Fact:
    """The standing fact that is to be superseded."""
    found = known.with_id(draft.supersedes or "")
    if draft.entity:
        entity = known.named(draft.entity)
        mine = known.of(entity) if entity else []
        found = [fact for fact in found if fact in mine]
    if not found:
        raise InvalidInput(
            f"no fact has the id {shown(draft.supersedes)}", hint="`remem fact list` shows ids"
        )
    if len(found) > 1:
        entities = ", ".join(fact.entity for fact in found)
        raise InvalidInput(
            f"the id {shown(draft.supersedes)} names several facts",
            hint=f"name the entity too: {entities}",
        )
    return found[0]


def _written(
    job: Knowing, known: Known, entity: Entity, draft: FactDraft, old: Fact | None
) -> Recorded:
    draft = replace(draft, category=draft.category or _category_of(old))
    path = old.path if old else file_for(entity)
    elsewhere = [fact for fact in known.of(entity) if fact.path != path]
    taken = known.ids
    done: list[Recorded] = []

    def edit(text: str) -> str:
        """Everything is decided on the text that is changed: it may be newer than what is known."""
        here = [*_read(text, path)]
        standing = [fact for fact in (*here, *elsewhere) if fact.active]
        before = _same(here, old) if old else None
        _refuse_replaced(before, draft)
        twin = next((fact for fact in standing if fold(fact.fact) == fold(draft.fact)), None)
        if twin is not None and (before is None or twin.path == path):
            _refuse_itself(twin, before)
            done.append(Recorded(twin, entity, known=True, superseded=_ended(before, twin.id)))
            return with_successor(text, before.number, twin.id) if before else text
        id_ = next_id(facts_in(text, path).ids, entity.slug, taken)
        timestamp = draft.timestamp or job.today()
        text = with_fact(text, _fields(draft, id_, timestamp, text))
        if before is not None:
            text = with_successor(text, before.number, id_)
        new = next(fact for fact in facts_in(text, path).facts if fact.id == id_)
        others = [fact for fact in standing if before is None or fact.id != before.id]
        done.append(
            Recorded(
                new,
                entity,
                superseded=_ended(before, id_),
                opposed=tuple(opposed(new, others)),
                similar=tuple(fact for fact in others if _alike(new, fact)),
            )
        )
        return text

    job.change(path, edit)
    return done[-1]


def _category_of(old: Fact | None) -> str:
    """What takes a fact's place is of its kind, unless somebody says otherwise."""
    return old.category if old is not None and old.category in FACT_CATEGORIES else "status"


def _read(text: str, path: str) -> Sequence[Fact]:
    """The facts of a text that may be changed: one that is broken raises NoFacts."""
    for _ in values_in(text):
        pass
    return facts_in(text, path).facts


def _same(here: Sequence[Fact], old: Fact) -> Fact | None:
    return next((fact for fact in here if fact.id == old.id), None)


def _ended(before: Fact | None, successor: str) -> Fact | None:
    return replace(before, status=SUPERSEDED, superseded_by=successor) if before else None


def _refuse_replaced(before: Fact | None, draft: FactDraft) -> None:
    if draft.supersedes is None:
        return
    if before is None:
        raise InvalidInput(f"the fact {shown(draft.supersedes)} is gone from its file")
    if before.superseded:
        raise InvalidInput(
            f"the fact {shown(before.id)} is superseded already, by {before.superseded_by}",
            hint="supersede that one, or record a new fact",
        )


def _refuse_itself(twin: Fact, before: Fact | None) -> None:
    if before is not None and before.id == twin.id:
        raise InvalidInput(
            f"the fact {shown(before.id)} says just that already",
            hint="a fact is superseded by one that says something else",
        )


def _alike(new: Fact, other: Fact) -> bool:
    return relation(new.fact, other.fact) in ("extends", "similar")


def _fields(draft: FactDraft, id_: str, timestamp: str, text: str) -> dict[str, Any]:
    """The fact as its file has it; whether an empty supersededBy is written, others decide."""
    values = [value for _, _, value in values_in(text)]
    facts = [value for value in values if isinstance(value, dict)]
    fields: dict[str, Any] = {
        "id": id_,
        "fact": draft.fact,
        "category": draft.category,
        "timestamp": timestamp,
        "source": draft.source,
        "status": ACTIVE,
    }
    if not facts or any(_BY in fact and fact[_BY] is None for fact in facts):
        fields[_BY] = None
    if draft.origin:
        fields["origin"] = draft.origin
    return fields
