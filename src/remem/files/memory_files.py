"""List the files of a scope, for search and for reading; nothing is opened.

| scope  | its files                                                                    |
|--------|------------------------------------------------------------------------------|
| main   | MEMORY.md, USER.md, dreams.md, memory/, brain/, life/, para/, extra paths    |
| group  | its gate memory/groups/<name>.md, and memory/groups/<name>/                  |
| peer   | memory/peers/<id>/                                                           |
| shared | memory/shared/<space>/                                                       |

These are Markdown files and, in brain/, life/ and para/, also fact files: items.json, facts.json
and <slug>-facts.json. Files that remem generates (INDEX.md, domains/), files of other scopes and
hidden files are not listed. Symbolic links, and files that are hard-linked to one that may belong
to another scope, are listed with the reason why they are refused.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Final

from remem.files.layout import FACT_TREES, INDEX_FILE, Layout, stem_and_part
from remem.files.walking import (
    CURATED,
    IS_LINK,
    ExtraPath,
    MemoryFile,
    Refuse,
    Walk,
    resolve_extra_paths,
)
from remem.model.domain_routing import UNTRUSTED
from remem.model.scope import Scope

_DIARY: Final = "dreams.md"
_NOT_UTF8: Final = "its name is not UTF-8; rename it"
_SCOPE_FOLDERS: Final = ("groups", "peers", "shared")
_HARD_LINKED: Final = "it is hard-linked to another file, which may belong to another chat"


def memory_files(
    layout: Layout, scope: Scope, extra_paths: tuple[str, ...] = ()
) -> Iterator[MemoryFile]:
    """Yield the files of a scope, each once; `extra_paths` count only in main."""
    if scope.kind == "main":
        yield from _files_of_main(layout, extra_paths)
        return
    own = layout.domains(scope).parent.relative_to(layout.root).parts
    if link := _first_link(layout.root, own[:-1]):
        yield link
        return
    walk = Walk(layout, _refuse_hard_link)
    if scope.kind == "group":
        yield from walk.file((*own[:-1], f"{own[-1]}.md"), "curated")
    yield from walk.below(own, leave_out=("domains",))


def has_facts(layout: Layout) -> bool:
    """Return whether the workspace has a folder that may contain facts."""
    return any((layout.root / tree).is_dir() for tree in FACT_TREES)


def fact_files(layout: Layout) -> Iterator[MemoryFile]:
    """Yield the fact files of main.

    Files whose name is not UTF-8 are refused, because entities are named after them; search can
    still read them.
    """
    walk = Walk(layout, _OtherScopes(layout).refuse)
    for tree in FACT_TREES:
        for file in walk.below((tree,), facts=True):
            if file.kind == "facts":
                yield replace(file, refused=_NOT_UTF8) if file.is_not_utf8 else file


def domain_files(layout: Layout, scope: Scope) -> Iterator[MemoryFile]:
    """Yield a scope's domain files, except the untrusted ones.

    Search reads them while the database cannot be used.
    """
    walk = Walk(layout, hard_link_rule(layout, scope))
    for file in walk.below(layout.domains(scope).relative_to(layout.root).parts):
        stem = stem_and_part(file.parts[-1])
        if file.kind == "folder" or (stem and stem[0] != UNTRUSTED):
            yield replace(file, kind="curated" if stem else file.kind)


def hard_link_rule(layout: Layout, scope: Scope) -> Refuse:
    """Return the rule of a scope that refuses hard-linked files.

    The text of another scope could be read through them.
    """
    return _OtherScopes(layout).refuse if scope.kind == "main" else _refuse_hard_link


def _files_of_main(layout: Layout, extra_paths: tuple[str, ...]) -> Iterator[MemoryFile]:
    refuse = _OtherScopes(layout).refuse
    seen_paths: set[str] = set()
    for file in _own_files_of_main(layout, Walk(layout, refuse)):
        seen_paths.add(file.path)
        yield file
    accepted, refused = resolve_extra_paths(layout, extra_paths)
    for path, reason in refused:
        yield MemoryFile(path, layout.root, (path,), "folder", refused=reason)
    for extra_path in accepted:
        for file in _files_in_extra_path(layout, refuse, extra_path):
            if file.path not in seen_paths:
                seen_paths.add(file.path)
                yield file


def _own_files_of_main(layout: Layout, walk: Walk) -> Iterator[MemoryFile]:
    for name in CURATED:
        yield from walk.file((name,), "curated")
    for name in _names(layout.root):
        if name.casefold() == _DIARY:
            yield from walk.file((name,), "note")
    for tree in ("memory", *FACT_TREES):
        excluded = ("domains", *_SCOPE_FOLDERS, INDEX_FILE) if tree == "memory" else ()
        yield from walk.below((tree,), leave_out=excluded, facts=tree in FACT_TREES)


def _files_in_extra_path(layout: Layout, refuse: Refuse, extra: ExtraPath) -> Iterator[MemoryFile]:
    if extra.is_file:
        yield from Walk(layout, refuse, extra.path.parent).file((extra.path.name,), "note")
        return
    for file in Walk(layout, refuse, extra.path).below(()):
        if file.path.partition("/")[0] not in ("memory", *FACT_TREES):
            yield file


class _OtherScopes:
    """Recognises files that are also in other scopes' folders, whatever their names."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def refuse(self, status: os.stat_result) -> str | None:
        """Return why a file is refused: it is also in another scope's folder.

        Other hard links are accepted, because some backup programs create them.
        """
        if status.st_nlink < 2 or (status.st_dev, status.st_ino) not in self._identities:
            return None
        return _HARD_LINKED

    @cached_property
    def _identities(self) -> frozenset[tuple[int, int]]:
        identities: set[tuple[int, int]] = set()
        for tree in _SCOPE_FOLDERS:
            for folder, _folders, names in os.walk(self._layout.memory / tree):
                for name in names:
                    with suppress(FileNotFoundError):
                        status = (Path(folder) / name).lstat()
                        identities.add((status.st_dev, status.st_ino))
        return frozenset(identities)


def _refuse_hard_link(status: os.stat_result) -> str | None:
    return _HARD_LINKED if status.st_nlink > 1 else None


def _first_link(root: Path, parts: tuple[str, ...]) -> MemoryFile | None:
    """Return the first folder of a path that is a symbolic link, as a refused file."""
    for count in range(1, len(parts) + 1):
        folder = parts[:count]
        if root.joinpath(*folder).is_symlink():
            return MemoryFile("/".join(folder), root, folder, "folder", refused=IS_LINK)
    return None


def _names(folder: Path) -> list[str]:
    try:
        return sorted(path.name for path in folder.iterdir())
    except OSError:
        return []
