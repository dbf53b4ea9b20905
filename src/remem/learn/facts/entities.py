"""What is an entity called, and which two are one? Written into the file of names, undoably.

Merging moves nothing: an entity says that it is another now, and both keep their facts in their
own files. Taking it back removes that word alone.

What does changing facts work with? Main's files, one writer at a time, each change whole.

A file is read, changed in its text and exchanged, under a lock of its own; a person's save that
comes in between is what the change is made on. The answer is given when the new file is safe on
the disk: a kill leaves the old file or the new one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import tzinfo
from pathlib import Path
from typing import Any, Final

from remem.errors import FileError, InvalidInput, shown
from remem.files import atomic
from remem.files.facts import MERGED_INTO, NAMES_FILE, FactFiles, Known, names_in
from remem.files.layout import Layout
from remem.files.locks import alone
from remem.files.rewrite import rewrite
from remem.model.arguments import checked_text, several
from remem.model.entity import LONGEST_NAME, Entity, key_of
from remem.model.fact_json import NoFacts
from remem.model.scope import MAIN
from remem.text.json_edit import emptied, put, take_out
from remem.text.jsonc import Malformed, Node, parse
from remem.text.timestamps import parsed


@dataclass(frozen=True, slots=True)
class Knowing:
    """What recording works with; `announce` tells the owner of bytes that were put aside.
    `erased` knows of words that the owner erased elsewhere than in facts."""

    layout: Layout
    read: FactFiles
    now: Callable[[], str]
    zone: tzinfo | None
    announce: Callable[[str], None]
    erased: Callable[[str], bool] = lambda _text: False

    def alone(self) -> AbstractContextManager[None]:
        return alone(self.layout.state_folder(MAIN) / "facts.lock")

    def known(self) -> Known:
        return self.read()

    def today(self) -> str:
        """The owner's day."""
        return parsed(self.now()).astimezone(self.zone).date().isoformat()

    def change(self, path: str, edit: Callable[[str], str]) -> None:
        """Make a file what `edit` makes of its text; the caller is alone."""
        place = self.layout.root / path
        atomic.refuse_links(self.layout.root, place)

        def changed(latest: bytes | None) -> bytes | None:
            text = "" if latest is None else atomic.text_of(latest, place)
            try:
                new = edit(text)
            except (NoFacts, Malformed) as error:
                raise broken(path, str(error)) from error
            return latest if new == text else new.encode()

        rewrite(self.layout, place, changed)
        self._tidy(place)

    def _tidy(self, path: Path) -> None:
        """A killed write leaves a file beside its place: it goes if everything in it stands in
        the file by now, and is kept where a person finds it if not."""
        for stray in atomic.strays(path.parent):
            if not stray.name.startswith(f".{path.name}."):
                continue
            data = atomic.read(stray) or b""
            if _says_no_more(data, atomic.read(path) or b""):
                atomic.settle(stray, atomic.digest(data))
                continue
            copy = atomic.unused(self.layout.conflicts(MAIN), path.name)
            atomic.set_aside(stray, copy)
            name = copy.relative_to(self.layout.root).as_posix()
            self.announce(f"a write of {path.name} was cut short; the bytes are kept in {name}")


def broken(path: str, why: str) -> FileError:
    return FileError(
        f"{path} cannot be written: {why}",
        hint="mend the JSON there; the file was not touched",
    )


def _says_no_more(stray: bytes, now: bytes) -> bool:
    """Whether every word of a stray's values stands in the file."""
    try:
        theirs, ours = (set(_texts(json.loads(data or b"[]"))) for data in (stray, now))
    except (ValueError, RecursionError):
        return not stray
    return theirs <= ours


def _texts(value: object) -> list[str]:
    if isinstance(value, dict):
        return [text for each in value.values() for text in _texts(each)]
    if isinstance(value, list):
        return [text for each in value for text in _texts(each)]
    return [repr(value)]


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
    from remem.text.secrets.mask import (
        redact,  # hundreds of patterns, which nothing else here needs
    )

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
        for entity in known.entities.values():
            if name == entity.id or key in map(key_of, (entity.name, entity.slug)):
                return entity
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
