"""Read main's entities and facts.

A malformed fact file is never written. The facts before the error are still read, and the problem
is reported with its position.

`brain/entities.json`, which a person may edit, says what the folder of an entity cannot say: its
name, kind and aliases, and the entity that it was merged into.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from time import time_ns
from typing import Any, Final

from remem.errors import FileError
from remem.files import atomic
from remem.files.layout import Layout
from remem.files.locks import signature_of
from remem.files.memory_files import fact_files, hard_link_rule
from remem.files.walking import MemoryFile, Refuse
from remem.model.entity import (
    AREAS,
    ITEMS,
    Entity,
    entity_named,
    key_of,
    kind_by_path,
    merged_with,
    root_of,
)
from remem.model.fact import Fact, FactTombstone, fact_of, is_erased_wording, tombstone_of
from remem.model.fact_json import MalformedFacts, values_in
from remem.model.scope import MAIN

NAMES_FILE: Final = "brain/entities.json"

_NAME, _KIND, _ALIASES, MERGED_INTO = "name", "kind", "aliases", "mergedInto"
DISTINCT_FROM: Final = "distinctFrom"
_MAX_TIME_RESOLUTION: Final = 2_000_000_000
"""The coarsest resolution of times that file systems have, in nanoseconds."""
_SUFFIX: Final = "-facts.json"


@dataclass(frozen=True, slots=True)
class EntityNames:
    """The content of `brain/entities.json` by entity id; `problem` is why it cannot be read."""

    members: Mapping[str, Mapping[str, Any]]
    problem: str | None = None

    def entity(self, id_: str, fact_files: tuple[str, ...]) -> Entity:
        """Return an entity, which is named after its folder if the file does not name it."""
        member = self.members.get(id_, {})
        into = member.get(MERGED_INTO)
        return Entity(
            id=id_,
            name=_text(member.get(_NAME)) or id_.rpartition("/")[2].replace("-", " "),
            kind=_text(member.get(_KIND)) or kind_by_path(id_),
            aliases=_texts(member.get(_ALIASES)),
            files=fact_files,
            merged_into=into if isinstance(into, str) and into else None,
            distinct_from=_texts(member.get(DISTINCT_FROM)),
        )


def read_names(root: Path) -> EntityNames:
    """Read `brain/entities.json`; if that fails, entities are named after their folders."""
    path = root / NAMES_FILE
    try:
        atomic.refuse_links(root, path)
        data = atomic.read(path)
        text = "" if data is None else atomic.decode_text(data, path)
    except FileError as error:
        return EntityNames({}, str(error))
    return names_in(text)


def names_in(text: str) -> EntityNames:
    """Parse the content of `brain/entities.json`."""
    if not text.strip("\ufeff \t\r\n"):
        return EntityNames({})
    try:
        value = json.loads(text.lstrip("\ufeff"))
    except json.JSONDecodeError as error:
        where = f"at line {error.lineno}, column {error.colno}"
        return EntityNames({}, f"{NAMES_FILE} is not JSON {where}; it is left unchanged")
    except RecursionError:
        return EntityNames({}, f"{NAMES_FILE} is nested too deeply; it is left unchanged")
    if not isinstance(value, dict):
        return EntityNames({}, f"{NAMES_FILE} is not a JSON object; it is left unchanged")
    return EntityNames({id_: member for id_, member in value.items() if isinstance(member, dict)})


def _texts(value: Any) -> tuple[str, ...]:
    """Return the texts of a list; none if it is not a list."""
    values = value if isinstance(value, list) else ()
    return tuple(text for text in values if isinstance(text, str) and text.strip())


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""


@dataclass(frozen=True, slots=True)
class FactFile:
    """The facts of one file, in order; `problem` is what is wrong with it, and where.

    `ids_without_fact` are the positions and ids of objects that are neither a fact nor the
    tombstone of an erased one. A `refused` file was not opened because it is a link; it may be
    intact.
    """

    path: str
    entity: str
    facts: tuple[Fact, ...] = ()
    problem: str | None = None
    tombstones: tuple[FactTombstone, ...] = ()
    ids_without_fact: tuple[tuple[int, str], ...] = ()
    refused: bool = False

    @property
    def ids(self) -> list[str]:
        """Every id of the file, in order, including the ids of erased facts."""
        ids = dict(self.ids_without_fact) | {fact.number: fact.id for fact in self.facts}
        ids |= {erased.number: erased.id for erased in self.tombstones}
        return [ids[number] for number in sorted(ids)]


@dataclass(frozen=True, slots=True)
class KnownFacts:
    """All entities by id, and all fact files.

    `names_problem` is why `brain/entities.json` cannot be read.
    """

    entities: dict[str, Entity]
    files: tuple[FactFile, ...] = ()
    names_problem: str | None = None

    @property
    def problems(self) -> tuple[str, ...]:
        """One sentence for each file that could not be read."""
        problems = (f"{file.path}: {file.problem}" for file in self.files if file.problem)
        return (*problems, *([self.names_problem] if self.names_problem else []))

    @property
    def facts(self) -> list[Fact]:
        return [fact for file in self.files for fact in file.facts]

    @property
    def tombstones(self) -> list[FactTombstone]:
        return [erased for file in self.files for erased in file.tombstones]

    @property
    def ids(self) -> set[str]:
        """The ids of all facts, erased ones included."""
        return {id_ for file in self.files for id_ in file.ids}

    def erased(self, text: str) -> bool:
        """Return whether the owner has erased a fact with this text."""
        return is_erased_wording(text, self.tombstones)

    def facts_of(self, entity: Entity) -> list[Fact]:
        """Return the facts of an entity and of those merged into it, in file order."""
        if entity.id not in self.entities:
            return []
        merged = merged_with(self.entities, root_of(self.entities, entity.id))
        ids = {member.id for member in merged}
        return [fact for file in self.files if file.entity in ids for fact in file.facts]

    def named(self, name: str) -> Entity | None:
        """Return the entity with a name or alias."""
        return entity_named(self.entities, name)

    def with_name(self, name: str) -> Entity | None:
        """Return the entity with a name or alias, even if it was merged into another.

        A fact that is recorded under that name goes to its file, and is separated with it. None if
        there is no such entity, or several.
        """
        key = key_of(name)
        found = [
            entity
            for entity in self.entities.values()
            if name == entity.id or key in map(key_of, entity.all_names)
        ]
        return found[0] if len(found) == 1 else None

    def root(self, id_: str) -> Entity:
        """Return the entity that an entity was merged into, or the entity itself."""
        return root_of(self.entities, id_)

    def with_id(self, id_: str) -> list[Fact]:
        """Return all facts with this id; ids are unique only within a file."""
        return [fact for fact in self.facts if fact.id == id_]


@dataclass
class FactFiles:
    """Reads main's facts; a call reads only the files that have changed since the last call."""

    layout: Layout
    _cache: dict[str, tuple[tuple[int, ...], FactFile]] = field(default_factory=dict)

    def __call__(self) -> KnownFacts:
        """Return all entities and facts."""
        refuse = hard_link_rule(self.layout, MAIN)
        files = [self._file(file, refuse) for file in fact_files(self.layout)]
        paths = {file.path for file in files}
        self._cache = {path: known for path, known in self._cache.items() if path in paths}
        names = read_names(self.layout.root)
        by_entity: dict[str, list[str]] = defaultdict(list)
        for file in files:
            by_entity[file.entity].append(file.path)
        for id_ in names.members:
            by_entity.setdefault(id_, [])
        return KnownFacts(
            {id_: names.entity(id_, tuple(own)) for id_, own in by_entity.items()},
            tuple(files),
            names.problem,
        )

    def _file(self, file: MemoryFile, refuse: Refuse) -> FactFile:
        status = file.status
        signature = signature_of(status) if status else ()
        cached = self._cache.get(file.path)
        if cached is not None and cached[0] == signature:
            return cached[1]
        facts = read_facts(file, refuse)
        if status is not None and status.st_ctime_ns < time_ns() - _MAX_TIME_RESOLUTION:
            self._cache[file.path] = (signature, facts)
        return facts


def read_facts(file: MemoryFile, refuse: Refuse) -> FactFile:
    """Read one fact file; `refuse` as in `MemoryFile.read`."""
    entity = entity_of(file.path)
    try:
        data = file.read(refuse)
    except FileError as error:
        return FactFile(file.path, entity, problem=str(error), refused=True)
    except OSError as error:
        return FactFile(file.path, entity, problem=error.strerror or str(error))
    if data is None:
        return FactFile(file.path, entity)
    try:
        text = atomic.decode_text(data, Path(file.path))
    except FileError as error:
        return FactFile(file.path, entity, problem=str(error))
    return facts_in(text, file.path)


def facts_in(text: str, path: str) -> FactFile:
    """Parse the text of a fact file; for a malformed file, the facts before the error."""
    entity, facts, problem = entity_of(path), list[Fact](), None
    tombstones: list[FactTombstone] = []
    ids_without_fact: list[tuple[int, str]] = []
    try:
        for number, (start, end, value) in enumerate(values_in(text)):
            lines = (start, end)
            fact = fact_of(value, entity=entity, path=path, lines=lines, number=number)
            if fact is not None:
                facts.append(fact)
            elif tombstone := tombstone_of(value, entity=entity, path=path, number=number):
                tombstones.append(tombstone)
            elif isinstance(value, dict) and isinstance(value.get("id"), str):
                ids_without_fact.append((number, value["id"]))
    except MalformedFacts as error:
        problem = f"{error}; the file is left unchanged, and the facts before the error are read"
    return FactFile(path, entity, tuple(facts), problem, tuple(tombstones), tuple(ids_without_fact))


def entity_of(path: str) -> str:
    """Return the id of the entity that a fact file describes, from its folder or its own name."""
    file = PurePosixPath(path)
    is_named_after_entity = file.name.endswith(_SUFFIX)
    entity = (
        file.with_name(file.name.removesuffix(_SUFFIX)) if is_named_after_entity else file.parent
    )
    areas = PurePosixPath(AREAS)
    if entity != areas and entity.is_relative_to(areas):
        return entity.relative_to(areas).as_posix()
    return entity.as_posix()


def file_for(entity: Entity) -> str:
    """Return the file to which a new fact of an entity is added."""
    if entity.files:
        return entity.files[0]
    return f"{AREAS}/{entity.id}/{ITEMS}"
