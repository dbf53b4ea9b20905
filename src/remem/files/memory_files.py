"""Which files belong to a scope? One answer for searching and for reading; nothing is opened.

| scope | its files                                                                     |
|-------|-------------------------------------------------------------------------------|
| main  | MEMORY.md, USER.md, dreams.md, memory/, brain/, life/, para/, extra paths     |
| group | its gate memory/groups/<name>.md, and memory/groups/<name>/                   |
| peer  | memory/peers/<id>/                                                            |

Of these, Markdown; and facts: items.json, facts.json, <slug>-facts.json, not in memory/. Left
out: what remem derives (INDEX.md, domains/), what belongs to another scope, hidden names. No link
is followed; a link, and a file with a second name that may be another scope's, is listed with the
reason.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Final

from remem.files.layout import INDEX_FILE, Layout, stem_and_part
from remem.files.walking import CURATED, LINK, MemoryFile, Place, Refuse, Walk, extra_places
from remem.model.domain_routing import UNTRUSTED
from remem.model.fact import FACT_TREES
from remem.model.scope import Scope

__all__ = [
    "CURATED",
    "MemoryFile",
    "domain_files",
    "fact_files",
    "has_facts",
    "memory_files",
    "second_names",
]

_DIARY: Final = "dreams.md"
_ODD: Final = "its name is not UTF-8; rename it"
_WALLED: Final = ("groups", "peers", "shared")
_SECOND_NAME: Final = "it has a second name, which may be that of another chat's file"


def memory_files(
    layout: Layout, scope: Scope, extra_paths: tuple[str, ...] = ()
) -> Iterator[MemoryFile]:
    """The scope's files, each once; `extra_paths` are the owner's, and count in main alone."""
    if scope.kind == "main":
        yield from _of_main(layout, extra_paths)
        return
    own = layout.domains(scope).parent.relative_to(layout.root).parts
    if link := _link_on_the_way(layout.root, own[:-1]):
        yield link
        return
    walk = Walk(layout, _sole_name)
    if scope.kind == "group":
        yield from walk.file((*own[:-1], f"{own[-1]}.md"), "curated")
    yield from walk.below(own, leave_out=("domains",))


def has_facts(layout: Layout) -> bool:
    """Whether there is a place in which facts may stand."""
    return any((layout.root / tree).is_dir() for tree in FACT_TREES)


def fact_files(layout: Layout) -> Iterator[MemoryFile]:
    """The files that main's facts stand in. An entity is named after its folder, so that one
    whose name is not UTF-8 cannot be: search reads it, and nothing writes to it."""
    walk = Walk(layout, _Others(layout).refuse)
    for tree in FACT_TREES:
        found = (
            memory_file
            for memory_file in walk.below((tree,), facts=True)
            if memory_file.kind == "facts"
        )
        yield from (
            replace(memory_file, refused=_ODD) if memory_file.is_odd else memory_file
            for memory_file in found
        )


def domain_files(layout: Layout, scope: Scope) -> Iterator[MemoryFile]:
    """A scope's entries in readable form, without what strangers said; for when the entries
    themselves cannot be had."""
    walk = Walk(layout, second_names(layout, scope))
    for memory_file in walk.below(layout.domains(scope).relative_to(layout.root).parts):
        named = stem_and_part(memory_file.parts[-1])
        if memory_file.kind == "folder" or (named and named[0] != UNTRUSTED):
            yield replace(memory_file, kind="curated" if named else memory_file.kind)


def second_names(layout: Layout, scope: Scope) -> Refuse:
    """Which files of a scope have a name too many: one may carry the words of another scope."""
    return _Others(layout).refuse if scope.kind == "main" else _sole_name


def _of_main(layout: Layout, extra_paths: tuple[str, ...]) -> Iterator[MemoryFile]:
    refuse = _Others(layout).refuse
    seen: set[str] = set()
    for memory_file in _own_of_main(layout, Walk(layout, refuse)):
        seen.add(memory_file.path)
        yield memory_file
    places, refused = extra_places(layout, extra_paths)
    for path, reason in refused:
        yield MemoryFile(path, layout.root, (path,), "folder", refused=reason)
    for place in places:
        for memory_file in _in_place(layout, refuse, place):
            if memory_file.path not in seen:
                seen.add(memory_file.path)
                yield memory_file


def _own_of_main(layout: Layout, walk: Walk) -> Iterator[MemoryFile]:
    for name in CURATED:
        yield from walk.file((name,), "curated")
    for name in _names(layout.root):
        if name.casefold() == _DIARY:
            yield from walk.file((name,), "note")
    for tree in ("memory", *FACT_TREES):
        ours = ("domains", *_WALLED, INDEX_FILE) if tree == "memory" else ()
        yield from walk.below((tree,), leave_out=ours, facts=tree in FACT_TREES)


def _in_place(layout: Layout, refuse: Refuse, place: Place) -> Iterator[MemoryFile]:
    if place.is_file:
        yield from Walk(layout, refuse, place.path.parent).file((place.path.name,), "note")
        return
    for memory_file in Walk(layout, refuse, place.path).below(()):
        if memory_file.path.partition("/")[0] not in ("memory", *FACT_TREES):
            yield memory_file


class _Others:
    """Which files are those of other scopes, whatever they are called here?"""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def refuse(self, status: os.stat_result) -> str | None:
        """The owner's files may have second names: some backups are made of links. Only one
        that stands in another scope's folder is not his."""
        if status.st_nlink < 2 or (status.st_dev, status.st_ino) not in self._identities:
            return None
        return _SECOND_NAME

    @cached_property
    def _identities(self) -> frozenset[tuple[int, int]]:
        found: set[tuple[int, int]] = set()
        for name in _WALLED:
            for place, _folders, names in os.walk(self._layout.memory / name):
                for each in names:
                    with suppress(FileNotFoundError):
                        status = (Path(place) / each).lstat()
                        found.add((status.st_dev, status.st_ino))
        return frozenset(found)


def _sole_name(status: os.stat_result) -> str | None:
    return _SECOND_NAME if status.st_nlink > 1 else None


def _link_on_the_way(root: Path, parts: tuple[str, ...]) -> MemoryFile | None:
    for count in range(1, len(parts) + 1):
        way = parts[:count]
        if root.joinpath(*way).is_symlink():
            return MemoryFile("/".join(way), root, way, "folder", refused=LINK)
    return None


def _names(folder: Path) -> list[str]:
    try:
        return sorted(path.name for path in folder.iterdir())
    except OSError:
        return []
