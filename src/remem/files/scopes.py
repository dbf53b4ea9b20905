"""The scopes of a workspace, the last flush of its groups, and the hosts connected to it.

The state folder of every scope except main has a file with the scope's name, because the name
cannot always be derived from the name of the folder.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from remem.errors import RememError
from remem.files import atomic
from remem.files.disk import file_errors, list_folder, subfolders
from remem.files.layout import Layout
from remem.model.scope import MAIN, Scope, ScopeKind, earlier_folder_name, folder_name

_NAME_FILE: Final = "scope"
_KINDS: Final[tuple[ScopeKind, ...]] = ("group", "peer", "shared")
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
SCHEDULE: Final = "schedule"
"""The folder with the journal of the timers, next to the folders of the hosts."""


def record_scope_name(layout: Layout, scope: Scope) -> None:
    """Record which scope a state folder belongs to, unless it is already recorded."""
    path = layout.state_folder(scope) / _NAME_FILE
    if not path.exists():
        atomic.create(path, f"{scope}\n".encode())


def remove_scope_name(layout: Layout, scope: Scope) -> None:
    """Remove the recorded name, because the folder now belongs to a different scope."""
    atomic.remove(layout.state_folder(scope) / _NAME_FILE)


def known_scopes(layout: Layout, groups: Iterable[str] = ()) -> tuple[list[Scope], list[Path]]:
    """Return every scope that has files, main first, and the folders whose scope is unknown.

    `groups` are the names of the rooms; a group whose state folder is lost can be recognised by
    them.
    """
    mapped = {folder: Scope("group", name) for name in groups for folder in _folders_of(name)}
    scopes, unknown = [MAIN], list[Path]()
    for kind in _KINDS:
        state, memory = layout.folders_of_kind(kind)
        with file_errors(memory, "read"):
            folders = {
                folder.name: folder for folder in _folders_in(memory) if _has_domains(folder)
            }
        with file_errors(state, "read"):
            folders |= {folder.name: folder for folder in _folders_in(state)}
        for name, folder in sorted(folders.items()):
            scope = _recorded_scope(state / name, kind) or _scope_by_folder(name, kind, mapped)
            if scope is None:
                unknown.append(folder)
            else:
                scopes.append(scope)
    return scopes, unknown


def _folders_in(folder: Path) -> list[Path]:
    """Return the folders in a folder, links to folders included."""
    return [Path(entry) for entry in list_folder(folder) if entry.is_dir()]


def _has_domains(folder: Path) -> bool:
    return (folder / "domains").is_dir()


def _recorded_scope(state: Path, kind: ScopeKind) -> Scope | None:
    """Return the scope recorded in a state folder, if the folder's name agrees with it."""
    data = atomic.read(state / _NAME_FILE) or b""
    recorded, _, name = data.decode(errors="replace").removesuffix("\n").partition(":")
    return Scope(kind, name) if recorded == kind and state.name in _folders_of(name) else None


def _folders_of(name: str) -> tuple[str, str]:
    """Return the names that the folder of a scope may have."""
    return folder_name(name), earlier_folder_name(name)


def _scope_by_folder(folder: str, kind: ScopeKind, scopes: Mapping[str, Scope]) -> Scope | None:
    """Return the scope of a folder whose name shows it; `scopes` are the groups by folder."""
    if folder_name(folder) == folder:
        return Scope(kind, folder)
    return scopes.get(folder) if kind == "group" else None


def latest_group_flush(layout: Layout) -> str | None:
    """Return the time of the latest flush of any group.

    Only an exact timestamp is accepted, so that no text of a group can reach main this way.
    """
    return max(_flush_times(layout.folders_of_kind("group")[1]), default=None)


def _flush_times(groups: Path) -> Iterator[str]:
    for folder in subfolders(groups):
        if time := _flush_time(folder / "flush-state.json"):
            yield time


def _flush_time(path: Path) -> str | None:
    """Return the time of the last flush; None if the file is missing or damaged."""
    try:
        value = json.loads(atomic.read(path) or b"null")
    except (RememError, ValueError, RecursionError):
        return None
    time = value.get("last_flush_time") if isinstance(value, dict) else None
    return time if isinstance(time, str) and _TIME.fullmatch(time) else None


def host_records(layout: Layout) -> Path:
    """Return the folder with a setup journal for each connected host."""
    return layout.state_folder(MAIN) / "hosts"


def connected_hosts(layout: Layout) -> list[str]:
    """Return the hosts that `remem connect` has connected."""
    changes = host_records(layout).glob("*/plan-*.json")
    return sorted({change.parent.name for change in changes} - {SCHEDULE})
