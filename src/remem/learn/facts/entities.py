"""What is an entity called, and which two are one? Written into the file of names, undoably.

Merging moves nothing: an entity says that it is another now, and both keep their facts in their
own files. Taking it back removes that word alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from remem.core.entity import LONGEST_NAME, Entity, key_of
from remem.core.json_edit import emptied, put, take_out
from remem.core.jsonc import Node, parse
from remem.core.values import checked_text, several
from remem.errors import InvalidInput, shown
from remem.maintenance.knowledge.job import Knowing, broken
from remem.notes.entity_file import MERGED_INTO, NAMES_FILE, names_in
from remem.notes.fact_files import Known

_MOST_ALIASES: Final = 50


def require(known: Known, name: str | None) -> Entity:
    """The entity that a name means."""
    if not isinstance(name, str) or not name.strip():
        raise InvalidInput("entity is missing", hint="say whom or what you mean")
    entity = known.named(name)
    if entity is None:
        raise InvalidInput(
            f"no entity is called {shown(name)}", hint="`remem fact entities` lists them"
        )
    return entity


def register(job: Knowing, entity: Entity, name: str = "", kind: str = "") -> Entity:
    """Keep the name and kind of an entity where its folder does not tell them; the caller is
    alone."""
    new = replace(entity, name=name or entity.name, kind=kind or entity.kind)
    if name and name != entity.slug:
        _say(job, entity.id, "name", name)
    if kind and kind != entity.kind:
        _say(job, entity.id, "kind", kind)
    return new


def add_aliases(job: Knowing, name: str | None, aliases: Any) -> Entity:
    """Further names of an entity; one that means another entity already is refused."""
    with job.alone():
        known = job.known()
        entity = require(known, name)
        new = list(entity.aliases)
        for each in several(aliases, _MOST_ALIASES, "aliases"):
            alias = _name(each)
            other = known.named(alias)
            if other is not None and other.id != entity.id:
                raise InvalidInput(
                    f"{shown(alias)} is a name of the entity {shown(other.id)}",
                    hint="merge the two if they are one",
                )
            if key_of(alias) not in map(key_of, (*entity.called, *new)):
                new.append(alias)
        if tuple(new) != entity.aliases:
            _say(job, entity.id, "aliases", new)
        return replace(entity, aliases=tuple(new))


def merge(job: Knowing, name: str | None, into: str | None) -> tuple[Entity, Entity]:
    """Say that an entity is another; the two as they were before."""
    with job.alone():
        known = job.known()
        one, other = _exactly(known, name), require(known, into)
        if known.root(one.id).id == other.id:
            raise InvalidInput(
                f"{shown(one.id)} is {shown(other.id)} already",
                hint="`remem fact unmerge` takes it back",
            )
        _say(job, one.id, MERGED_INTO, other.id)
        return one, other


def unmerge(job: Knowing, name: str | None) -> Entity:
    """Take the last word back: the entity stands for itself again."""
    with job.alone():
        known = job.known()
        entity = _exactly(known, name)
        if entity.merged_into is None:
            raise InvalidInput(
                f"{shown(entity.id)} is merged into nothing", hint="name the entity that was merged"
            )
        job.change(NAMES_FILE, lambda text: _without(text, entity.id))
        return replace(entity, merged_into=None)


def _name(value: Any) -> str:
    """A name from outside. One that is masked would name nothing: it is refused."""
    from remem.core.secrets import redact  # hundreds of patterns, which nothing else here needs

    name = " ".join(checked_text(value, "alias", LONGEST_NAME).split())
    if kinds := redact(name).kinds:
        raise InvalidInput(
            f"alias holds a secret ({', '.join(kinds)})", hint="name the entity without it"
        )
    return name


def _exactly(known: Known, name: str | None) -> Entity:
    """The entity itself, although it may be merged into another."""
    if isinstance(name, str):
        key = key_of(name)
        for each in known.entities.values():
            if name == each.id or key in map(key_of, (each.name, each.slug)):
                return each
    return require(known, name)


def _say(job: Knowing, id_: str, what: str, value: Sequence[str] | str) -> None:
    def edit(text: str) -> str:
        names = names_in(text)
        if names.trouble:
            raise broken(NAMES_FILE, names.trouble)
        return put(text, [id_, what], value, append=False)

    job.change(NAMES_FILE, edit)


def _without(text: str, id_: str) -> str:
    """The text in which the entity is merged into nothing; no empty member is left behind."""
    root = parse(text)
    member = root.member(id_) if root else None
    said = member.node.member(MERGED_INTO) if member else None
    if root is None or member is None or said is None:
        return text
    if len(member.node.items) == 1:
        return _emptied(take_out(text, root, member))
    return take_out(text, member.node, said)


def _emptied(text: str) -> str:
    root: Node | None = parse(text)
    return emptied(text, root) if root is not None else text
