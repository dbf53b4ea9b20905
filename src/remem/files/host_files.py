"""Which files could a host load? The owner's own, skills, notes, domain files; read, never kept.

What cannot be read is named in `trouble` and costs nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from remem.errors import RememError
from remem.files import atomic
from remem.files.disk import explained
from remem.files.layout import Layout, stem_and_part
from remem.model.scope import Scope

_OTHERS: Final = frozenset({"domains", "groups", "peers", "shared"})


@dataclass(frozen=True, slots=True)
class Found:
    """A file's bytes; `path` is relative to the workspace, with forward slashes."""

    path: str
    data: bytes

    @property
    def text(self) -> str:
        """Bytes that are no text stand as question marks: they cost something too."""
        return self.data.decode(errors="replace")


def owners_file(layout: Layout, name: str, trouble: list[str]) -> Found | None:
    """A file that lies directly in the workspace; it belongs to main."""
    return _found(layout, layout.root / name, trouble)


def skill_files(layout: Layout, trouble: list[str]) -> Iterator[Found]:
    """skills/*/SKILL.md, by name."""
    folder = layout.root / "skills"
    for path in sorted(path / "SKILL.md" for path in _folders(folder, trouble)):
        if found := _found(layout, path, trouble):
            yield found


def note_files(layout: Layout, trouble: list[str]) -> Iterator[Found]:
    """The owner's Markdown below memory/, without what remem derives or others own."""

    def unreadable(error: OSError) -> None:
        if not isinstance(error, FileNotFoundError):
            trouble.append(f"{error.filename} cannot be listed: {error.strerror}")

    for place, folders, names in os.walk(layout.memory, onerror=unreadable, followlinks=False):
        here = Path(place)
        if here == layout.memory:
            folders[:] = [folder for folder in folders if folder not in _OTHERS]
        folders[:] = sorted(folder for folder in folders if not folder.startswith("."))
        for path in sorted(here / name for name in names if name.endswith(".md")):
            ours = path == layout.index_file or path.is_symlink()
            if not ours and (found := _found(layout, path, trouble)):
                yield found


def domain_files(layout: Layout, scope: Scope, trouble: list[str]) -> Iterator[Found]:
    """The scope's own domain files; a second name could lead into another scope."""
    folder = layout.domains(scope)
    try:
        atomic.refuse_links(layout.root, folder)
        paths = sorted(folder.iterdir()) if folder.is_dir() else []
    except RememError as error:
        trouble.append(str(error))
        return
    for path in paths:
        if stem_and_part(path.name) is not None:
            found = _found(layout, path, trouble, sole_name=scope.kind != "main")
            if found is not None:
                yield found


def note_lines(layout: Layout, path: str, first: int, last: int) -> str | None:
    """Lines of a note, counted from 1; None if it is not there, or no note at all."""
    parts = path.split("/")
    if parts[0] != "memory" or ".." in parts or (parts[1:2] and parts[1] in _OTHERS):
        return None
    place = layout.root / path
    try:
        atomic.refuse_links(layout.root, place)
        data = atomic.read(place)
    except (RememError, ValueError):
        return None
    if data is None:
        return None
    return "\n".join(data.decode(errors="replace").split("\n")[max(first - 1, 0) : last])


def _folders(folder: Path, trouble: list[str]) -> list[Path]:
    try:
        with explained(folder, "listed"), os.scandir(folder) as found:
            return [
                Path(dir_entry.path)
                for dir_entry in found
                if dir_entry.is_dir(follow_symlinks=False)
            ]
    except RememError as error:
        if folder.exists():
            trouble.append(str(error))
        return []


def _found(
    layout: Layout, path: Path, trouble: list[str], *, sole_name: bool = False
) -> Found | None:
    try:
        atomic.refuse_links(layout.root, path)
        data = atomic.read(path, sole_name=sole_name)
    except RememError as error:
        trouble.append(str(error))
        return None
    return None if data is None else Found(path.relative_to(layout.root).as_posix(), data)
