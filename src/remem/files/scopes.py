"""Which hosts has this workspace been given to? The record of `remem connect` says so.

Which scopes does a workspace hold? Each leaves its name, because a folder's may not tell it.

When was a group last flushed? All that main may know of the groups: one time.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from remem.errors import RememError
from remem.files import atomic
from remem.files.disk import explained
from remem.files.layout import Layout
from remem.model.scope import MAIN, Scope, ScopeKind, folder_name

_FILE: Final = "scope"
_KINDS: Final[tuple[ScopeKind, ...]] = ("group", "peer")


def leave_name(layout: Layout, scope: Scope) -> None:
    """Write down which scope a state folder belongs to, once."""
    path = layout.state_folder(scope) / _FILE
    if not path.exists():
        atomic.create(path, f"{scope}\n".encode())


def forget_name(layout: Layout, scope: Scope) -> None:
    """Take the name away again: the folder has become another scope's."""
    atomic.remove(layout.state_folder(scope) / _FILE)


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
    data = atomic.read(state / _FILE) or b""
    said, _, name = data.decode(errors="replace").removesuffix("\n").partition(":")
    return Scope(kind, name) if said == kind and folder_name(name) == state.name else None


def _named_outside(folder: str, kind: ScopeKind, mapped: Mapping[str, Scope]) -> Scope | None:
    if folder_name(folder) == folder:
        return Scope(kind, folder)
    return mapped.get(folder) if kind == "group" else None


_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def latest_of_groups(layout: Layout) -> str | None:
    """The latest flush of any group. Nothing but a time in its exact form counts: no word of
    a group can reach main this way."""
    return max(_times(layout.all_of("group")[1]), default=None)


def _times(groups: Path) -> Iterator[str]:
    with explained(groups, "listed"):
        try:
            with os.scandir(groups) as found:
                folders = [
                    dir_entry.path for dir_entry in found if dir_entry.is_dir(follow_symlinks=False)
                ]
        except (FileNotFoundError, NotADirectoryError):
            return
    for folder in folders:
        if time := _time(Path(folder) / "flush-state.json"):
            yield time


def _time(path: Path) -> str | None:
    """A file that cannot be understood tells no time; its own group is told why."""
    try:
        value = json.loads(atomic.read(path) or b"null")
    except (RememError, ValueError, RecursionError):
        return None
    time = value.get("last_flush_time") if isinstance(value, dict) else None
    return time if isinstance(time, str) and _TIME.fullmatch(time) else None


SCHEDULE: Final = "schedule"
"""The record of a timer lies beside those of hosts, and is none."""


def record_folder(layout: Layout) -> Path:
    """Where what hosts' files were before is kept, a folder for each host."""
    return layout.state_folder(MAIN) / "hosts"


def connected_hosts(layout: Layout) -> list[str]:
    """The hosts that the record names."""
    pages = record_folder(layout).glob("*/plan-*.json")
    return sorted({page.parent.name for page in pages} - {SCHEDULE})
