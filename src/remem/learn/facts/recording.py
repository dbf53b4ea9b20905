"""Record a fact: check it, compare it with the active facts, and append it to its file.

The same statement is recorded only once. A statement that contradicts a fact is recorded, and the
contradiction is reported; the caller decides what to do. Superseding a fact writes both facts in
one step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from remem.entries.pending_facts import FactDraft
from remem.errors import InvalidInput, quoted
from remem.files.facts import KnownFacts, facts_in, file_for
from remem.learn.facts.entities import register
from remem.learn.facts.writer import FactWriter
from remem.model.contradictions import FactConflict, find_conflicts
from remem.model.entity import Entity, slug_of
from remem.model.fact import ACTIVE, FACT_CATEGORIES, SUPERSEDED, Fact
from remem.model.fact_json import next_id, values_in, with_fact, with_successor
from remem.text.similarity import relation
from remem.text.words import fold

_SUPERSEDED_BY: Final = "supersededBy"


@dataclass(frozen=True, slots=True)
class RecordedFact:
    """The result of recording a draft; `known` says that the fact was already recorded.

    `superseded` is the fact that it replaced, if any. Other active facts of the entity are listed
    in `conflicts` if they contradict it, and in `similar` if they share most of its words.
    """

    fact: Fact
    entity: Entity
    known: bool = False
    superseded: Fact | None = None
    conflicts: tuple[FactConflict, ...] = ()
    similar: tuple[Fact, ...] = ()
    redacted: tuple[str, ...] = ()


def record(writer: FactWriter, draft: FactDraft) -> RecordedFact:
    """Write a fact into its entity's file; once this returns, it is safely on disk."""
    with writer.exclusive():
        known_facts = writer.read()
        _refuse_erased(writer, known_facts, draft)
        old = _fact_to_supersede(known_facts, draft) if draft.supersedes else None
        entity = known_facts.root(old.entity) if old else _entity(writer, known_facts, draft)
        recorded = _write(writer, known_facts, entity, draft, old)
    return replace(recorded, redacted=draft.redacted)


def _entity(writer: FactWriter, known_facts: KnownFacts, draft: FactDraft) -> Entity:
    """Return the entity that the draft names; it is created if it does not exist."""
    if not draft.entity:
        raise InvalidInput("entity is missing", hint="name the person or thing the fact is about")
    entity = known_facts.named(draft.entity)
    if entity is not None:
        return register(writer, entity, kind=draft.kind)
    slugs = [id_.rpartition("/")[2] for id_ in known_facts.entities]
    new = Entity(slug_of(draft.entity, slugs), draft.entity)
    return register(writer, new, name=draft.entity, kind=draft.kind)


def _refuse_erased(writer: FactWriter, known_facts: KnownFacts, draft: FactDraft) -> None:
    if known_facts.erased(draft.fact) or writer.is_erased(draft.fact):
        raise InvalidInput(
            "not recorded: the owner has erased this text",
            hint="erased texts are not stored again",
        )


def _fact_to_supersede(known_facts: KnownFacts, draft: FactDraft) -> Fact:
    """Return the active fact that is to be superseded."""
    matches = known_facts.with_id(draft.supersedes or "")
    if draft.entity:
        entity = known_facts.named(draft.entity)
        of_entity = known_facts.facts_of(entity) if entity else []
        matches = [fact for fact in matches if fact in of_entity]
    if not matches:
        raise InvalidInput(
            f"no fact has the id {quoted(draft.supersedes)}", hint="`remem fact list` shows ids"
        )
    if len(matches) > 1:
        entities = ", ".join(fact.entity for fact in matches)
        raise InvalidInput(
            f"several facts have the id {quoted(draft.supersedes)}",
            hint=f"name the entity too: {entities}",
        )
    return matches[0]


def _write(
    writer: FactWriter, known_facts: KnownFacts, entity: Entity, draft: FactDraft, old: Fact | None
) -> RecordedFact:
    draft = replace(draft, category=draft.category or _default_category(old))
    owner = known_facts.with_name(draft.entity) or entity
    path = old.path if old else file_for(owner)
    in_other_files = [fact for fact in known_facts.facts_of(entity) if fact.path != path]
    used_ids = known_facts.ids
    results: list[RecordedFact] = []

    def edit(text: str) -> str:
        """Edit the latest text of the file, which may be newer than `known_facts`."""
        in_file = _read_strictly(text, path)
        active = [fact for fact in (*in_file, *in_other_files) if fact.active]
        replaced = next((fact for fact in in_file if old and fact.id == old.id), None)
        _check_not_superseded(replaced, draft)
        duplicate = next((fact for fact in active if fold(fact.fact) == fold(draft.fact)), None)
        if duplicate is not None and (replaced is None or duplicate.path == path):
            _check_not_same(duplicate, replaced)
            results.append(
                RecordedFact(
                    duplicate, entity, known=True, superseded=_superseded(replaced, duplicate.id)
                )
            )
            return with_successor(text, replaced.number, duplicate.id) if replaced else text
        id_ = next_id(facts_in(text, path).ids, owner.slug, used_ids)
        timestamp = draft.timestamp or writer.today()
        text = with_fact(text, _fields(draft, id_, timestamp, text))
        if replaced is not None:
            text = with_successor(text, replaced.number, id_)
        new = next(fact for fact in facts_in(text, path).facts if fact.id == id_)
        others = [fact for fact in active if replaced is None or fact.id != replaced.id]
        results.append(
            RecordedFact(
                new,
                entity,
                superseded=_superseded(replaced, id_),
                conflicts=tuple(find_conflicts(new, others)),
                similar=tuple(fact for fact in others if _is_similar(new, fact)),
            )
        )
        return text

    writer.change(path, edit)
    return results[-1]


def _default_category(old: Fact | None) -> str:
    """Return the category of the fact that is replaced; `status` if there is none."""
    return old.category if old is not None and old.category in FACT_CATEGORIES else "status"


def _read_strictly(text: str, path: str) -> Sequence[Fact]:
    """Return the facts in a text; raise MalformedFacts if the text is broken."""
    list(values_in(text))  # `facts_in` would only report the problem
    return facts_in(text, path).facts


def _superseded(old_fact: Fact | None, successor: str) -> Fact | None:
    return replace(old_fact, status=SUPERSEDED, superseded_by=successor) if old_fact else None


def _check_not_superseded(old_fact: Fact | None, draft: FactDraft) -> None:
    if draft.supersedes is None:
        return
    if old_fact is None:
        raise InvalidInput(
            f"the fact {quoted(draft.supersedes)} is no longer in its file",
            hint="`remem fact list` shows the facts that are",
        )
    if old_fact.superseded:
        raise InvalidInput(
            f"the fact {quoted(old_fact.id)} is already superseded by {old_fact.superseded_by}",
            hint="supersede that one, or record a new fact",
        )


def _check_not_same(duplicate: Fact, old_fact: Fact | None) -> None:
    if old_fact is not None and old_fact.id == duplicate.id:
        raise InvalidInput(
            f"the fact {quoted(old_fact.id)} already says that",
            hint="supersede it with a fact that says something else",
        )


def _is_similar(new: Fact, other: Fact) -> bool:
    return relation(new.fact, other.fact) in ("extends", "similar")


def _fields(draft: FactDraft, id_: str, timestamp: str, text: str) -> dict[str, Any]:
    """Return the fact's JSON fields.

    They include an empty supersededBy, unless the facts in `text` are written without it.
    """
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
    if not facts or any(_SUPERSEDED_BY in fact and fact[_SUPERSEDED_BY] is None for fact in facts):
        fields[_SUPERSEDED_BY] = None
    if draft.origin:
        fields["origin"] = draft.origin
    return fields
