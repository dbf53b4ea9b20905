"""What is known of whom? Every entity and fact of main's files, read anew where one changed.

A file that is broken says where, and gives the facts before the break; it is never written.

What are the entities called, and which of them are one? Kept in `brain/entities.json`.

An object with a member for each entity that has more to say than its folder's name: its name,
kind and aliases, and into which other it was merged. A person may edit it.
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
from remem.files.memory_files import fact_files, second_names
from remem.files.safe_open import Astray, read_beneath
from remem.files.walking import LINK, MemoryFile, Refuse
from remem.model.entity import AREAS, ITEMS, Entity, kind_by_place, merged_with, named, root_of
from remem.model.fact import Fact, Gone, fact_of, gone_of, is_buried
from remem.model.fact_json import NoFacts, values_in
from remem.model.scope import MAIN

NAMES_FILE: Final = "brain/entities.json"

_NAME, _KIND, _ALIASES, MERGED_INTO = "name", "kind", "aliases", "mergedInto"


@dataclass(frozen=True, slots=True)
class Names:
    """What the file says of each entity, by its id; `trouble` is why it says nothing."""

    said: Mapping[str, Mapping[str, Any]]
    trouble: str | None = None

    def entity(self, id_: str, files_: tuple[str, ...]) -> Entity:
        said = self.said.get(id_, {})
        aliases = said.get(_ALIASES)
        into = said.get(MERGED_INTO)
        return Entity(
            id=id_,
            name=_text(said.get(_NAME)) or id_.rpartition("/")[2].replace("-", " "),
            kind=_text(said.get(_KIND)) or kind_by_place(id_),
            aliases=tuple(alias for alias in aliases if isinstance(alias, str) and alias.strip())
            if isinstance(aliases, list)
            else (),
            files=files_,
            merged_into=into if isinstance(into, str) and into else None,
        )


def read_names(root: Path) -> Names:
    """The file as it is; where it cannot be read, entities go by their folders' names."""
    path = root / NAMES_FILE
    try:
        atomic.refuse_links(root, path)
        data = atomic.read(path)
        text = "" if data is None else atomic.text_of(data, path)
    except FileError as error:
        return Names({}, str(error))
    return names_in(text)


def names_in(text: str) -> Names:
    if not text.strip("\ufeff \t\r\n"):
        return Names({})
    try:
        value = json.loads(text.lstrip("\ufeff"))
    except json.JSONDecodeError as error:
        where = f"at line {error.lineno}, column {error.colno}"
        return Names({}, f"{NAMES_FILE} is not JSON {where}; it is kept as it is")
    except RecursionError:
        return Names({}, f"{NAMES_FILE} is nested too deep; it is kept as it is")
    if not isinstance(value, dict):
        return Names({}, f"{NAMES_FILE} is not an object; it is kept as it is")
    return Names({id_: said for id_, said in value.items() if isinstance(said, dict)})


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""


_UNSETTLED: Final = 2_000_000_000  # nanoseconds; some disks keep time in steps as long as this
_BESIDE: Final = "-facts.json"


@dataclass(frozen=True, slots=True)
class FactFile:
    """The facts of one file, in order; `trouble` is what is wrong with it, with its place.
    `gone` are the tombstones of those that were erased, `silent` the ids of what says nothing,
    with their places in the list. A file that is `refused` is sound for all
    that is known: remem does not open what lies behind a link or has a second name."""

    path: str
    entity: str
    facts: tuple[Fact, ...] = ()
    trouble: str | None = None
    gone: tuple[Gone, ...] = ()
    silent: tuple[tuple[int, str], ...] = ()
    refused: bool = False

    @property
    def ids(self) -> list[str]:
        """Every id that was given here, in order; an erased fact keeps its own."""
        ids = dict(self.silent) | {fact.number: fact.id for fact in self.facts}
        ids |= {gone.number: gone.id for gone in self.gone}
        return [ids[number] for number in sorted(ids)]


@dataclass(frozen=True, slots=True)
class Known:
    """All entities by their ids, and all files of facts; `unnamed` is why the file of names says
    nothing."""

    entities: dict[str, Entity]
    files: tuple[FactFile, ...] = ()
    unnamed: str | None = None

    @property
    def troubles(self) -> tuple[str, ...]:
        """What could not be read, and why."""
        of_files = (f"{file.path}: {file.trouble}" for file in self.files if file.trouble)
        return (*of_files, *([self.unnamed] if self.unnamed else []))

    @property
    def facts(self) -> list[Fact]:
        return [fact for file in self.files for fact in file.facts]

    @property
    def gone(self) -> list[Gone]:
        return [gone for file in self.files for gone in file.gone]

    @property
    def ids(self) -> set[str]:
        """All that were ever given."""
        return {id_ for file in self.files for id_ in file.ids}

    def erased(self, text: str) -> bool:
        """Whether the owner has erased a fact with these words."""
        return is_buried(text, self.gone)

    def of(self, entity: Entity) -> list[Fact]:
        """The facts of an entity and of those that were merged into it, as they stand."""
        if entity.id not in self.entities:
            return []
        ids = {each.id for each in merged_with(self.entities, root_of(self.entities, entity.id))}
        return [fact for file in self.files if file.entity in ids for fact in file.facts]

    def named(self, name: str) -> Entity | None:
        return named(self.entities, name)

    def root(self, id_: str) -> Entity:
        return root_of(self.entities, id_)

    def with_id(self, id_: str) -> list[Fact]:
        """Ids are unique in a file, not beyond it."""
        return [fact for fact in self.facts if fact.id == id_]


@dataclass
class FactFiles:
    """Reads main's facts; what did not change since the last time is not read again."""

    layout: Layout
    _read: dict[str, tuple[tuple[int, ...], FactFile]] = field(default_factory=dict)

    def __call__(self) -> Known:
        refuse = second_names(self.layout, MAIN)
        found = [self._file(file, refuse) for file in fact_files(self.layout)]
        paths = {fact_file.path for fact_file in found}
        self._read = {path: kept for path, kept in self._read.items() if path in paths}
        names = read_names(self.layout.root)
        by_entity: dict[str, list[str]] = defaultdict(list)
        for file in found:
            by_entity[file.entity].append(file.path)
        for id_ in names.said:
            by_entity.setdefault(id_, [])
        return Known(
            {id_: names.entity(id_, tuple(its)) for id_, its in by_entity.items()},
            tuple(found),
            names.trouble,
        )

    def _file(self, file: MemoryFile, refuse: Refuse) -> FactFile:
        status = file.status
        signature = (
            (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
            if status
            else ()
        )
        kept = self._read.get(file.path)
        if kept is not None and kept[0] == signature:
            return kept[1]
        read = read_facts(file, refuse)
        if status is not None and status.st_ctime_ns < time_ns() - _UNSETTLED:
            self._read[file.path] = (signature, read)
        return read


def read_facts(file: MemoryFile, refuse: Refuse) -> FactFile:
    entity = entity_of(file.path)
    if file.refused is not None:
        return FactFile(file.path, entity, trouble=file.refused, refused=True)
    try:
        found = read_beneath(file.folder, file.parts, refuse)
    except Astray as error:
        why = str(error) if error.__cause__ is None else LINK
        return FactFile(file.path, entity, trouble=why, refused=True)
    except OSError as error:
        return FactFile(file.path, entity, trouble=error.strerror or str(error))
    if found is None:
        return FactFile(file.path, entity)
    try:
        text = atomic.text_of(found.data, Path(file.path))
    except FileError as error:
        return FactFile(file.path, entity, trouble=str(error))
    return facts_in(text, file.path)


def facts_in(text: str, path: str) -> FactFile:
    """The facts of a text; those before a break where it is broken."""
    entity, facts, gone, trouble = entity_of(path), list[Fact](), list[Gone](), None
    silent: list[tuple[int, str]] = []
    try:
        for number, (start, end, value) in enumerate(values_in(text)):
            lines = (start, end)
            fact = fact_of(value, entity=entity, path=path, lines=lines, number=number)
            if fact is not None:
                facts.append(fact)
            elif stone := gone_of(value, entity=entity, path=path, number=number):
                gone.append(stone)
            elif isinstance(value, dict) and isinstance(value.get("id"), str):
                silent.append((number, value["id"]))
    except NoFacts as error:
        trouble = f"{error}; it is kept as it is, and the facts before that are read"
    return FactFile(path, entity, tuple(facts), trouble, tuple(gone), tuple(silent))


def entity_of(path: str) -> str:
    """The id of the entity whose facts a file holds: its folder, or its own name."""
    place = PurePosixPath(path)
    own = place.name.endswith(_BESIDE)
    where = place.with_name(place.name.removesuffix(_BESIDE)) if own else place.parent
    areas = PurePosixPath(AREAS)
    if where != areas and where.is_relative_to(areas):
        return where.relative_to(areas).as_posix()
    return where.as_posix()


def file_for(entity: Entity) -> str:
    """Where a new fact of an entity goes."""
    if entity.files:
        return entity.files[0]
    return f"{AREAS}/{entity.id}/{ITEMS}"
