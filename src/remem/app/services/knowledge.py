"""The tools of the MCP project's own memory server, on top of the entries of one scope.

Names, parameters, results and texts are the same as in `@modelcontextprotocol/server-memory`;
docs/guides/graph.md lists the differences. A deletion only archives.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from remem.app.services.entries import EntryService
from remem.disclose.gate_guard import GateGuard
from remem.entries.draft import Memory
from remem.errors import InvalidInput, quoted
from remem.graph.knowledge import Knowledge, KnownEntity, KnownRelation
from remem.graph.knowledge_file import file_lines
from remem.graph.links import observation_text, relation_text
from remem.model.arguments import checked_text, named_in_json
from remem.ports.records import Where
from remem.search.answer.answer import plain
from remem.text.words import content_words, english_stem, fold

_PAGE_TOKENS: Final = 10_000
_MAX_DIGITS: Final = 12
_NARROW_HINT: Final = "ask for less"


def _as_json(values: Iterable[Any]) -> str:
    return json.dumps([plain(value) for value in values], ensure_ascii=False, indent=2)


@dataclass(frozen=True, slots=True)
class CreatedEntities:
    """The entities that were created, and known ones with the observations that were new."""

    entities: tuple[KnownEntity, ...]

    def as_text(self) -> str:
        return _as_json(self.entities)


@dataclass(frozen=True, slots=True)
class CreatedRelations:
    """The relations that were new."""

    relations: tuple[KnownRelation, ...]

    def as_text(self) -> str:
        return _as_json(self.relations)


@dataclass(frozen=True, slots=True)
class AddedTo:
    """The observations that were added to one entity."""

    entity_name: str = field(metadata=named_in_json("entityName"))
    added_observations: tuple[str, ...] = field(metadata=named_in_json("addedObservations"))


@dataclass(frozen=True, slots=True)
class AddedObservations:
    results: tuple[AddedTo, ...]

    def as_text(self) -> str:
        return _as_json(self.results)


@dataclass(frozen=True, slots=True)
class DeletionResult:
    """The answer to a deletion; what is deleted is archived."""

    success: bool
    message: str

    def as_text(self) -> str:
        return self.message


@dataclass(frozen=True, slots=True)
class KnowledgePage:
    """A part of the knowledge graph; `next_cursor` asks for the next part, if there is one."""

    indent: ClassVar[int] = 2

    entities: tuple[KnownEntity, ...]
    relations: tuple[KnownRelation, ...]
    next_cursor: str | None = field(default=None, metadata=named_in_json("nextCursor"))
    note: str | None = None


@dataclass(frozen=True, slots=True)
class KnowledgeService:
    """Reads and writes the statements of one scope."""

    entries: EntryService
    gate_guard: GateGuard

    def create_entities(self, entities: Sequence[Mapping[str, Any]]) -> CreatedEntities:
        new_entities = [_read_entity(number, entity) for number, entity in enumerate(entities, 1)]
        knowledge = self._read()
        created: dict[str, KnownEntity] = {}
        texts: list[str] = []
        for entity in new_entities:
            key, stored = fold(entity.name), knowledge.entity(entity.name)
            before = created.get(key)
            observations_before = before.observations if before else ()
            new_observations = _without(
                entity.observations,
                (*observations_before, *(stored.observations if stored else ())),
            )
            if before is None and stored is None:
                texts.append(relation_text(entity.name, "is a", entity.entity_type))
            if new_observations or (before is None and stored is None):
                created[key] = KnownEntity(
                    entity.name, entity.entity_type, (*observations_before, *new_observations)
                )
            texts += [observation_text(entity.name, text) for text in new_observations]
        self._store(texts)
        return CreatedEntities(tuple(created.values()))

    def create_relations(self, relations: Sequence[Mapping[str, Any]]) -> CreatedRelations:
        new_relations = list(_read_relations(relations))
        texts = [
            relation_text(relation.source, relation.relation_type, relation.target)
            for relation in new_relations
        ]
        knowledge = self._read()
        new_texts = {
            relation.key: (relation, text)
            for relation, text in zip(new_relations, texts, strict=True)
            if not knowledge.has_relation(relation)
        }
        self._store([text for _, text in new_texts.values()])
        return CreatedRelations(tuple(relation for relation, _ in new_texts.values()))

    def add_observations(self, observations: Sequence[Mapping[str, Any]]) -> AddedObservations:
        knowledge = self._read()
        results: list[AddedTo] = []
        texts: list[str] = []
        for number, observation in enumerate(observations, 1):
            name = _text(observation, "entityName", f"observation {number}")
            entity = knowledge.entity(name)
            if entity is None:
                raise InvalidInput(f"Entity with name {name} not found")
            new_observations = _without(
                _texts(observation, "contents", f"observation {number}"), entity.observations
            )
            texts += [observation_text(entity.name, text) for text in new_observations]
            results.append(AddedTo(name, new_observations))
        self._store(texts)
        return AddedObservations(tuple(results))

    def delete_entities(self, names: Sequence[str]) -> DeletionResult:
        knowledge = self._read()
        self._forget(id_ for name in names for id_ in knowledge.records_of_entity(name))
        return DeletionResult(success=True, message="Entities deleted successfully")

    def delete_observations(self, deletions: Sequence[Mapping[str, Any]]) -> DeletionResult:
        requested = [
            _read_deletion(number, deletion) for number, deletion in enumerate(deletions, 1)
        ]
        knowledge = self._read()
        self._forget(
            id_
            for name, texts in requested
            for id_ in knowledge.records_of_observations(name, texts)
        )
        return DeletionResult(success=True, message="Observations deleted successfully")

    def delete_relations(self, relations: Sequence[Mapping[str, Any]]) -> DeletionResult:
        relations_to_delete = list(_read_relations(relations))
        knowledge = self._read()
        self._forget(
            id_
            for relation in relations_to_delete
            for id_ in knowledge.records_of_relation(relation)
        )
        return DeletionResult(success=True, message="Relations deleted successfully")

    def read_graph(self, cursor: str | None = None) -> KnowledgePage:
        """Return a page of the whole graph: entities first, then relations."""
        knowledge = self._read()
        hint = "pass nextCursor for the next page, or use search_nodes"
        return self._page(knowledge.entities, knowledge.relations, hint, _position(cursor))

    def search_nodes(self, query: str) -> KnowledgePage:
        """Return the entities whose name, type or observations contain the query.

        If no entity contains the whole query, return those that share words with it, those that
        share most first.
        """
        text = checked_text(query, "query").casefold()
        knowledge = self._read()
        matches = [entity for entity in knowledge.entities if _contains(entity, text)]
        if not matches:
            matches = _by_words(knowledge.entities, query)
        return self._page(
            matches, knowledge.relations_of(entity.name for entity in matches), _NARROW_HINT
        )

    def open_nodes(self, names: Sequence[str]) -> KnowledgePage:
        knowledge = self._read()
        folded_names = set(map(fold, names))
        entities = [entity for entity in knowledge.entities if fold(entity.name) in folded_names]
        return self._page(
            entities, knowledge.relations_of(entity.name for entity in entities), _NARROW_HINT
        )

    def export(self) -> Iterator[str]:
        """Yield the lines of the server's `memory.jsonl`."""
        yield from file_lines(self._read())

    def _read(self) -> Knowledge:
        self.gate_guard.require()
        self.entries.sync.before_read()
        with self.entries.store.read() as snapshot:
            entries = snapshot.select(Where(state="live", category="fact"))
        return Knowledge(entry for entry in entries if entry.trust != "untrusted")

    def _store(self, texts: Sequence[str]) -> None:
        """Store texts as facts; none is stored if the owner has erased one of them."""
        memories: list[Memory] = [{"category": "fact", "content": text} for text in texts]
        self.entries.refuse_erased(*texts)
        if memories:
            self.entries.add_many(memories, lambda _: None)

    def _forget(self, ids: Iterable[str]) -> None:
        for id_ in dict.fromkeys(ids):
            self.entries.forget(id_)

    def _page(
        self,
        entities: Sequence[KnownEntity],
        relations: Sequence[KnownRelation],
        hint: str,
        start: int | None = None,
    ) -> KnowledgePage:
        """Return what fits on a page; only a graph that is read from a `start` has a next page."""
        everything: list[KnownEntity | KnownRelation] = [*entities, *relations]
        items = everything[start or 0 :]
        count, used, end = self.entries.deps.counter.count, 0, 0
        for item in items:
            used += count(json.dumps(plain(item), ensure_ascii=False, indent=2))
            if used > _PAGE_TOKENS and end:
                break
            end += 1
        page, remaining = items[:end], len(items) - end
        return KnowledgePage(
            tuple(item for item in page if isinstance(item, KnownEntity)),
            tuple(item for item in page if isinstance(item, KnownRelation)),
            str((start or 0) + end) if remaining and start is not None else None,
            f"{remaining} more: {hint}" if remaining else None,
        )


def _read_entity(number: int, fields: Mapping[str, Any]) -> KnownEntity:
    place = f"entity {number}"
    name, kind = _text(fields, "name", place), _text(fields, "entityType", place)
    return KnownEntity(name, kind, _texts(fields, "observations", place))


def _read_relations(relations: Sequence[Mapping[str, Any]]) -> Iterator[KnownRelation]:
    for number, relation in enumerate(relations, 1):
        place = f"relation {number}"
        yield KnownRelation(
            _text(relation, "from", place),
            _text(relation, "to", place),
            _text(relation, "relationType", place),
        )


def _read_deletion(number: int, fields: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
    place = f"deletion {number}"
    return _text(fields, "entityName", place), _texts(fields, "observations", place)


def _text(fields: Mapping[str, Any], name: str, place: str) -> str:
    return " ".join(checked_text(fields.get(name), f"{name} of {place}").split())


def _texts(fields: Mapping[str, Any], name: str, place: str) -> tuple[str, ...]:
    values = fields.get(name)
    if not isinstance(values, list | tuple):
        raise InvalidInput(f"{name} of {place} must be a list of strings, not {quoted(values)}")
    return tuple(checked_text(value, f"{name} of {place}").strip() for value in values)


def _without(texts: Iterable[str], excluded: Sequence[str]) -> tuple[str, ...]:
    """Return the texts that are not among `excluded`, each once."""
    return tuple(text for text in dict.fromkeys(texts) if text not in excluded)


def _contains(entity: KnownEntity, text: str) -> bool:
    return any(
        text in value.casefold()
        for value in (entity.name, entity.entity_type, *entity.observations)
    )


def _by_words(entities: Sequence[KnownEntity], query: str) -> list[KnownEntity]:
    """Return the entities that share words with a query, those that share most first."""
    query_stems = set(map(english_stem, content_words(query)))

    def count_shared_words(entity: KnownEntity) -> int:
        text = " ".join((entity.name, entity.entity_type, *entity.observations))
        return len(query_stems & set(map(english_stem, content_words(text))))

    counts = [(count_shared_words(entity), entity) for entity in entities]
    counts.sort(key=lambda pair: pair[0], reverse=True)
    return [entity for count, entity in counts if count]


def _position(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if not (cursor.isascii() and cursor.isdecimal() and len(cursor) < _MAX_DIGITS):
        raise InvalidInput(
            f"unknown cursor {quoted(cursor)}", hint="use the nextCursor of the last answer"
        )
    return int(cursor)
