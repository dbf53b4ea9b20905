"""Which other places did the owner name? Folders and files that search may read in main."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from remem.notes.layout import Layout

_OWN_ROOT: Final = "MEMORY.md"
_STATE: Final = ".remem"
_SKIPPED: Final = frozenset({"node_modules"})
_WALLED: Final = ("groups", "peers", "shared", "domains")


@dataclass(frozen=True, slots=True)
class Place:
    """A folder, or one file."""

    path: Path
    is_file: bool


def extra_places(
    layout: Layout, extra_paths: tuple[str, ...]
) -> tuple[list[Place], list[tuple[str, str]]]:
    """The places that can be read, and the others with the reason."""
    places: list[Place] = []
    refused: list[tuple[str, str]] = []
    for given in extra_paths:
        path = _spelt_from(layout.root, layout.root / Path(given).expanduser())
        reason = _reason(layout, path)
        if reason:
            refused.append((given, f"extra_paths: {reason}"))
        else:
            places.append(Place(path, path.is_file()))
    return places, refused


def name_of(layout: Layout, path: Path) -> str:
    """What answers call a file: relative where it lies inside the workspace."""
    inside = path.is_relative_to(layout.root)
    return (path.relative_to(layout.root) if inside else path).as_posix()


def is_workspace(folder: Path, layout: Layout) -> bool:
    """Whether a folder that an extra place holds belongs to somebody else: an agent's own
    workspace, this workspace itself, or the programs of a project."""
    if folder.name in _SKIPPED or folder == layout.root or os.path.lexists(folder / _STATE):
        return True
    inside = folder.is_relative_to(layout.root)
    return inside and (_is_walled(layout, folder) or os.path.lexists(folder / _OWN_ROOT))


def _spelt_from(root: Path, path: Path) -> Path:
    """One place, one spelling: what lies in the workspace is named from its root, whatever
    links and dots lead there, so that no wall is walked around. A link's own name stays: it
    is not followed."""
    plain = Path(os.path.normpath(path))
    inside = Path(os.path.realpath(root))
    real = Path(os.path.realpath(plain.parent), plain.name)
    return root / real.relative_to(inside) if real.is_relative_to(inside) else plain


def _reason(layout: Layout, path: Path) -> str | None:
    if path.is_symlink():
        return "it is a symbolic link, and those are not followed"
    if not path.exists():
        return "there is nothing at this place"
    if path.is_file() and path.suffix != ".md":
        return "it is not a Markdown file"
    inside = path.relative_to(layout.root).parts if path.is_relative_to(layout.root) else ()
    if _STATE in inside:
        return "it belongs to remem itself"
    folders = [layout.root.joinpath(*inside[:count]) for count in range(1, len(inside) + 1)]
    for folder in folders:
        if _is_walled(layout, folder):
            return "it belongs to another scope, or is derived"
        if folder.is_dir() and os.path.lexists(folder / _OWN_ROOT) and folder != layout.memory:
            return f"{folder.name} is a workspace of its own"
    return None


def _is_walled(layout: Layout, folder: Path) -> bool:
    return folder.parent == layout.memory and folder.name in _WALLED
