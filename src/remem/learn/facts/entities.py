"""Names, aliases and merges of entities.

Merging two entities moves nothing: the names file records that they are the same, and each
entity keeps its facts in its own file. Unmerging removes that record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from remem.errors import InvalidInput, quoted
from remem.files.facts import (
    DISTINCT_FROM,
    MERGED_INTO,
    NAMES_FILE,
    KnownFacts,
    names_in,
)
from remem.learn.facts.writer import FactWriter, unwritable_file
from remem.model.arguments import checked_list, checked_text
from remem.model.entity import MAX_NAME_LENGTH, Entity, key_of
from remem.text.json_edit import put, remove_item, strip_empty
from remem.text.jsonc import parse

_MAX_ALIASES: Final = 50


def require_entity(known_facts: KnownFacts, name: str | None) -> Entity:
    """Return the entity with this name; raise InvalidInput if there is none."""
    if not isinstance(name, str) or not name.strip():
        raise InvalidInput("entity is missing", hint="name a person or thing")
    entity = known_facts.named(name)
    if entity is None:
        raise InvalidInput(
            f"no entity is called {quoted(name)}", hint="`remem fact entities` lists them"
        )
    return entity


def register(writer: FactWriter, entity: Entity, name: str = "", kind: str = "") -> Entity:
    """Save a name that differs from the entity's folder, and a new kind; return the entity.

    The caller holds the lock.
    """
    new = replace(entity, name=name or entity.name, kind=kind or entity.kind)
    if name and name != entity.slug:
        _set(writer, entity.id, "name", name)
    if kind and kind != entity.kind:
        _set(writer, entity.id, "kind", kind)
    return new


def add_aliases(writer: FactWriter, name: str | None, aliases: Any) -> Entity:
    """Add names to an entity; a name that belongs to a different entity is refused."""
    with writer.exclusive():
        known_facts = writer.read()
        entity = require_entity(known_facts, name)
        names = list(entity.aliases)
        for value in checked_list(aliases, _MAX_ALIASES, "aliases"):
            alias = _checked_alias(value)
            other = known_facts.named(alias)
            if other is not None and other.id != entity.id:
                raise InvalidInput(
                    f"{quoted(alias)} is a name of the entity {quoted(other.id)}",
                    hint="merge the two if they are the same",
                )
            if key_of(alias) not in map(key_of, (*entity.all_names, *names)):
                names.append(alias)
        if tuple(names) != entity.aliases:
            _set(writer, entity.id, "aliases", names)
        return replace(entity, aliases=tuple(names))


def merge(writer: FactWriter, name: str | None, into: str | None) -> tuple[Entity, Entity]:
    """Merge an entity into another; return both as they were before."""
    with writer.exclusive():
        known_facts = writer.read()
        entity, target = _exact_entity(known_facts, name), require_entity(known_facts, into)
        if known_facts.root(entity.id).id == target.id:
            raise InvalidInput(
                f"{quoted(entity.id)} is already the same as {quoted(target.id)}",
                hint="`remem fact unmerge` separates merged entities",
            )
        _set(writer, entity.id, MERGED_INTO, target.id)
        return entity, target


def unmerge(writer: FactWriter, name: str | None) -> Entity:
    """Undo a merge: the entity is separate again."""
    with writer.exclusive():
        known_facts = writer.read()
        entity = _exact_entity(known_facts, name)
        if entity.merged_into is None:
            raise InvalidInput(
                f"{quoted(entity.id)} is not merged", hint="name the entity that was merged"
            )
        writer.change(NAMES_FILE, lambda text: _without_merge(text, entity.id))
        return replace(entity, merged_into=None)


def keep_apart(writer: FactWriter, name: str | None, other: str | None) -> Entity:
    """Record that two entities are not the same, so that merging them is not proposed again."""
    with writer.exclusive():
        known_facts = writer.read()
        entity, second = _exact_entity(known_facts, name), _exact_entity(known_facts, other)
        if (
            entity.id == second.id
            or known_facts.root(entity.id).id == known_facts.root(second.id).id
        ):
            raise InvalidInput(
                f"{quoted(entity.id)} and {quoted(second.id)} are one entity",
                hint="`remem fact unmerge` separates merged entities",
            )
        ids = tuple(dict.fromkeys((*entity.distinct_from, second.id)))
        if ids != entity.distinct_from:
            _set(writer, entity.id, DISTINCT_FROM, ids)
        return replace(entity, distinct_from=ids)


def _checked_alias(value: Any) -> str:
    """Check an alias; it must not contain a secret, because a masked name would be useless."""
    from remem.text.secrets.mask import redact  # slow to import: it compiles many patterns

    name = " ".join(checked_text(value, "alias", MAX_NAME_LENGTH).split())
    if kinds := redact(name).kinds:
        raise InvalidInput(
            f"alias contains a secret ({', '.join(kinds)})", hint="name the entity without it"
        )
    return name


def _exact_entity(known_facts: KnownFacts, name: str | None) -> Entity:
    """Return the entity that itself has this name, even if it was merged into a different one."""
    if isinstance(name, str):
        key = key_of(name)
        for entity in known_facts.entities.values():
            if name == entity.id or key in map(key_of, (entity.name, entity.slug)):
                return entity
    return require_entity(known_facts, name)


def _set(writer: FactWriter, id_: str, key: str, value: Sequence[str] | str) -> None:
    """Set a field of an entity in the names file."""

    def edit(text: str) -> str:
        names = names_in(text)
        if names.problem:
            raise unwritable_file(NAMES_FILE, names.problem)
        return put(text, [id_, key], value, append=False)

    writer.change(NAMES_FILE, edit)


def _without_merge(text: str, id_: str) -> str:
    """Return the names file without the entity's merge, and without objects left empty."""
    root = parse(text)
    member = root.member(id_) if root else None
    merged = member.node.member(MERGED_INTO) if member else None
    if root is None or member is None or merged is None:
        return text
    if len(member.node.items) == 1:
        text = remove_item(text, root, member)
        rest = parse(text)
        return text if rest is None else strip_empty(text, rest)
    return remove_item(text, member.node, merged)
