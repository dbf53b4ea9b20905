"""Which scopes does a workspace hold? Each leaves its name, because a folder's may not tell it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from remem.core.scope import MAIN, Scope, ScopeKind, folder_name
from remem.notes import files
from remem.notes.layout import Layout

_FILE: Final = "scope"
_KINDS: Final[tuple[ScopeKind, ...]] = ("group", "peer")


def leave_name(layout: Layout, scope: Scope) -> None:
    """Write down which scope a state folder belongs to, once."""
    path = layout.state_folder(scope) / _FILE
    if not path.exists():
        files.create(path, f"{scope}\n".encode())


def forget_name(layout: Layout, scope: Scope) -> None:
    """Take the name away again: the folder has become another scope's."""
    files.remove(layout.state_folder(scope) / _FILE)


def known_scopes(layout: Layout, groups: Iterable[str] = ()) -> tuple[list[Scope], list[Path]]:
    """Every scope that has files, main first, and the folders whose scope nobody can tell.

    `groups` are the names of the mapped rooms; they tell the folder of a group that has lost
    its state.
    """
    mapped = {folder_name(name): Scope("group", name) for name in groups}
    scopes, nameless = [MAIN], list[Path]()
    for kind in _KINDS:
        state, memory = layout.all_of(kind)
        folders = {folder.name: folder for folder in memory.glob("*/") if _has_domains(folder)}
        folders |= {folder.name: folder for folder in state.glob("*/")}
        for name, folder in sorted(folders.items()):
            scope = _named_inside(state / name, kind) or _named_outside(name, kind, mapped)
            if scope is None:
                nameless.append(folder)
            else:
                scopes.append(scope)
    return scopes, nameless


def _has_domains(folder: Path) -> bool:
    return (folder / "domains").is_dir()


def _named_inside(state: Path, kind: ScopeKind) -> Scope | None:
    """The scope that a state folder says it belongs to, if the folder is really that scope's."""
    data = files.read(state / _FILE) or b""
    said, _, name = data.decode(errors="replace").removesuffix("\n").partition(":")
    return Scope(kind, name) if said == kind and folder_name(name) == state.name else None


def _named_outside(folder: str, kind: ScopeKind, mapped: Mapping[str, Scope]) -> Scope | None:
    if folder_name(folder) == folder:
        return Scope(kind, folder)
    return mapped.get(folder) if kind == "group" else None
