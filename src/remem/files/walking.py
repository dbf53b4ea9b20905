"""What lies below a folder? Memory files by name, each with its status; no link is followed.

Which other places did the owner name? Folders and files that search may read in main.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from remem.files.layout import Layout
from remem.text.odd_names import printable

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


Kind = Literal["curated", "note", "facts", "folder"]
Refuse = Callable[[os.stat_result], str | None]

CURATED: Final = ("MEMORY.md", "USER.md")
LINK: Final = "it is a symbolic link, and those are not followed"
_FACTS: Final = ("items.json", "facts.json")
_MORE_FACTS: Final = "-facts.json"
_SAME_NAME: Final = "its name is not UTF-8, and another file is called as it is shown; rename it"


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """A file at `parts` below `folder`; `path` is its name in answers, relative to the
    workspace where it lies inside, with forward slashes.

    `refused` says why it is not to be opened. A `folder` is listed only with such a reason;
    if that is an error of the system, `unknown` is set: its files may be there all the same.
    """

    path: str
    folder: Path
    parts: tuple[str, ...]
    kind: Kind
    status: os.stat_result | None = None
    refused: str | None = None
    unknown: bool = False

    @property
    def is_odd(self) -> bool:
        """Whether its name is not UTF-8: then `path` is a printable form of it."""
        return any(printable(part) != part for part in self.parts)

    @property
    def absolute(self) -> Path:
        return self.folder.joinpath(*self.parts)


class Walk:
    """Lists files of the workspace, or those of an extra place; `refuse` judges each by its
    status."""

    def __init__(self, layout: Layout, refuse: Refuse, extra: Path | None = None) -> None:
        self._layout = layout
        self._refuse = refuse
        self._extra = extra is not None
        self._start = extra or layout.root

    def file(self, parts: tuple[str, ...], kind: Kind) -> Iterator[MemoryFile]:
        """One file, if it is there."""
        try:
            status = self._start.joinpath(*parts).lstat()
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            yield self._listed(parts, kind, None, str(error.strerror), unknown=True)
            return
        yield self._judged(parts, kind, status)

    def below(
        self, parts: tuple[str, ...], *, leave_out: tuple[str, ...] = (), facts: bool = False
    ) -> Iterator[MemoryFile]:
        """Everything in a folder, files first. `leave_out` are names that do not count
        directly below it; `facts` adds the files that facts stand in."""
        try:
            entries = self._entries(parts)
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            yield self._listed(parts, "folder", None, str(error.strerror), unknown=True)
            return
        if entries is None:
            yield self._listed(parts, "folder", None, LINK)
            return
        visible = [e for e in entries if not e.name.startswith(".") and e.name not in leave_out]
        for dir_entry in visible:
            if kind := _kind(dir_entry, facts=facts):
                yield from self._entry((*parts, dir_entry.name), kind, dir_entry)
        for dir_entry in visible:
            if dir_entry.is_dir(follow_symlinks=False) and not self._is_foreign(dir_entry):
                yield from self.below((*parts, dir_entry.name), facts=facts)

    def _entries(self, parts: tuple[str, ...]) -> list[os.DirEntry[str]] | None:
        """What a folder holds, by name; None where it is a link."""
        folder = self._start.joinpath(*parts)
        if folder.is_symlink():
            return None
        with os.scandir(folder) as found:
            return sorted(found, key=lambda each: each.name)

    def _is_foreign(self, entry: os.DirEntry[str]) -> bool:
        return self._extra and is_workspace(Path(entry.path), self._layout)

    def _entry(
        self, parts: tuple[str, ...], kind: Kind, entry: os.DirEntry[str]
    ) -> Iterator[MemoryFile]:
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError:
            return  # it was removed since the folder was listed
        yield self._judged(parts, kind, status)

    def _judged(self, parts: tuple[str, ...], kind: Kind, status: os.stat_result) -> MemoryFile:
        if stat.S_ISLNK(status.st_mode):
            return self._listed(parts, kind, status, LINK)
        if not stat.S_ISREG(status.st_mode):
            return self._listed(parts, kind, status, "it is not a regular file")
        return self._listed(parts, kind, status, self._refuse(status))

    def _listed(
        self,
        parts: tuple[str, ...],
        kind: Kind,
        status: os.stat_result | None,
        refused: str | None,
        *,
        unknown: bool = False,
    ) -> MemoryFile:
        path = "/".join(parts)
        if self._extra:
            path = name_of(self._layout, self._start.joinpath(*parts))
        if (shown := printable(path)) != path:
            if os.path.lexists(self._start.joinpath(*map(printable, parts))):
                refused = _SAME_NAME
            path = shown
        return MemoryFile(path, self._start, parts, kind, status, refused, unknown)


def _kind(entry: os.DirEntry[str], *, facts: bool) -> Kind | None:
    if entry.name.endswith(".md") and not entry.is_dir(follow_symlinks=False):
        return "curated" if entry.name in CURATED else "note"
    if facts and (entry.name in _FACTS or entry.name.endswith(_MORE_FACTS)):
        return "facts"
    return "folder" if entry.is_symlink() else None
