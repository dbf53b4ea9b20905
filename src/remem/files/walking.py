"""List the memory files below a folder with their status, and resolve the owner's extra paths.

Symbolic links are not followed. Extra paths are folders and files that search may read in main.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Final, Literal

from remem.errors import FileError
from remem.fast_dataclass import dataclass
from remem.files.layout import Layout
from remem.files.safe_open import Identity, UnsafePath, identities, read_below
from remem.text.path_escapes import printable

_ROOT_MARKER: Final = "MEMORY.md"
_STATE_FOLDER: Final = ".remem"
_SKIPPED: Final = frozenset({"node_modules"})
_NOT_NOTES: Final = ("groups", "peers", "shared", "domains")
"""The folders in memory/ that belong to other scopes, or that remem generates."""


@dataclass(frozen=True, slots=True)
class ExtraPath:
    """A folder or a file from the setting `extra_paths`."""

    path: Path
    is_file: bool


def resolve_extra_paths(
    layout: Layout, extra_paths: tuple[str, ...]
) -> tuple[list[ExtraPath], list[tuple[str, str]]]:
    """Return the extra paths that can be read, and the refused ones with the reasons."""
    accepted: list[ExtraPath] = []
    refused: list[tuple[str, str]] = []
    for given in extra_paths:
        path = _normalize(layout.root, layout.root / Path(given).expanduser())
        reason = _refusal(layout, path)
        if reason:
            refused.append((given, f"extra_paths: {reason}"))
        else:
            accepted.append(ExtraPath(path, path.is_file()))
    return accepted, refused


def display_path(layout: Layout, path: Path) -> str:
    """Return the path of a file in answers: relative if it is inside the workspace."""
    inside = path.is_relative_to(layout.root)
    return (path.relative_to(layout.root) if inside else path).as_posix()


def is_skipped_folder(folder: Path, layout: Layout) -> bool:
    """Return whether a folder inside an extra path is skipped.

    It is skipped if it is a workspace, belongs to another scope, or has a project's dependencies.
    """
    if folder.name in _SKIPPED or folder == layout.root or os.path.lexists(folder / _STATE_FOLDER):
        return True
    if identities([folder]) & not_notes(layout):
        return True
    return folder.is_relative_to(layout.root) and os.path.lexists(folder / _ROOT_MARKER)


def not_notes(layout: Layout) -> frozenset[Identity]:
    """Return the identities of the folders in memory/ that are not the owner's notes.

    A file system that ignores case has them under other names, too.
    """
    return identities([layout.memory / name for name in _NOT_NOTES])


def _normalize(root: Path, path: Path) -> Path:
    """Normalise a path.

    Inside the workspace it starts with the workspace's root, whatever links and dots it contained,
    so that no wall between scopes can be bypassed. The last part may still be a link, which is not
    followed.
    """
    plain = Path(os.path.normpath(path))
    inside = Path(os.path.realpath(root))
    real = Path(os.path.realpath(plain.parent), plain.name)
    return root / real.relative_to(inside) if real.is_relative_to(inside) else plain


def _refusal(layout: Layout, path: Path) -> str | None:
    if path.is_symlink():
        return LINK
    if not path.exists():
        return "it does not exist"
    if path.is_file() and path.suffix != ".md":
        return "it is not a Markdown file"
    inside = path.relative_to(layout.root).parts if path.is_relative_to(layout.root) else ()
    around = identities([path, *path.parents])
    if _STATE_FOLDER in inside or around & identities([layout.own_folder]):
        return "it belongs to remem itself"
    if around & not_notes(layout):
        return "it belongs to another scope, or remem generates it"
    for folder in (layout.root.joinpath(*inside[:count]) for count in range(1, len(inside) + 1)):
        if folder.is_dir() and os.path.lexists(folder / _ROOT_MARKER) and folder != layout.memory:
            return f"{folder.name} is a separate workspace"
    return None


FileKind = Literal["curated", "note", "facts", "folder"]
Refuse = Callable[[os.stat_result], str | None]

CURATED: Final = ("MEMORY.md", "USER.md")
LINK: Final = "it is a symbolic link, which remem does not follow"
_FACTS: Final = ("items.json", "facts.json")
_MORE_FACTS: Final = "-facts.json"
_AMBIGUOUS: Final = "its name is not UTF-8 and looks like that of another file; rename it"


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """A file at `parts` below `folder`; `path` is its path in answers, with forward slashes and
    relative if it is inside the workspace.

    `refused` is why it must not be opened. An item of kind "folder" always has such a reason;
    `unknown` means that the reason is a system error, so that its files may still exist.
    """

    path: str
    folder: Path
    parts: tuple[str, ...]
    kind: FileKind
    status: os.stat_result | None = None
    refused: str | None = None
    unknown: bool = False

    @property
    def is_not_utf8(self) -> bool:
        """Whether its name is not UTF-8; `path` is then a printable form of it."""
        return any(printable(part) != part for part in self.parts)

    @property
    def absolute(self) -> Path:
        return self.folder.joinpath(*self.parts)

    def read(self, refuse: Refuse) -> bytes | None:
        """Return the content; None if the file no longer exists.

        Raise FileError if it must not be read, and OSError if it cannot.
        """
        if self.refused is not None:
            raise FileError(self.refused)
        try:
            data = read_below(self.folder, self.parts, refuse)
        except UnsafePath as error:
            raise FileError(str(error) if error.__cause__ is None else LINK) from None
        return None if data is None else data.data


class Walk:
    """Lists files of the workspace, or of an extra path; `refuse` checks each file's status."""

    def __init__(self, layout: Layout, refuse: Refuse, extra: Path | None = None) -> None:
        self._layout = layout
        self._refuse = refuse
        self._extra = extra is not None
        self._start = extra or layout.root

    def file(self, parts: tuple[str, ...], kind: FileKind) -> Iterator[MemoryFile]:
        """Yield the file, if it exists."""
        try:
            status = self._start.joinpath(*parts).lstat()
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            yield self._memory_file(parts, kind, None, str(error.strerror), unknown=True)
            return
        yield self._checked_file(parts, kind, status)

    def below(
        self, parts: tuple[str, ...], *, leave_out: tuple[str, ...] = (), facts: bool = False
    ) -> Iterator[MemoryFile]:
        """Yield all files below a folder, beginning with the files in the folder itself.

        `leave_out` are names to skip directly in it; `facts` includes fact files.
        """
        try:
            entries = self._entries(parts)
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            yield self._memory_file(parts, "folder", None, str(error.strerror), unknown=True)
            return
        if entries is None:
            yield self._memory_file(parts, "folder", None, LINK)
            return
        visible = [e for e in entries if not e.name.startswith(".") and e.name not in leave_out]
        for entry in visible:
            if kind := _kind(entry, facts=facts):
                yield from self._entry((*parts, entry.name), kind, entry)
        for entry in visible:
            if entry.is_dir(follow_symlinks=False) and not self._is_skipped(entry):
                yield from self.below((*parts, entry.name), facts=facts)

    def _entries(self, parts: tuple[str, ...]) -> list[os.DirEntry[str]] | None:
        """Return the entries of a folder, sorted by name; None if it is a link."""
        folder = self._start.joinpath(*parts)
        if folder.is_symlink():
            return None
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)

    def _is_skipped(self, entry: os.DirEntry[str]) -> bool:
        folder = Path(entry.path)
        if self._extra:
            return is_skipped_folder(folder, self._layout)
        return not identities([folder]).isdisjoint(self._not_notes)

    @cached_property
    def _not_notes(self) -> frozenset[Identity]:
        return not_notes(self._layout)

    def _entry(
        self, parts: tuple[str, ...], kind: FileKind, entry: os.DirEntry[str]
    ) -> Iterator[MemoryFile]:
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError:
            return  # it was removed since the folder was listed
        yield self._checked_file(parts, kind, status)

    def _checked_file(
        self, parts: tuple[str, ...], kind: FileKind, status: os.stat_result
    ) -> MemoryFile:
        if stat.S_ISLNK(status.st_mode):
            return self._memory_file(parts, kind, status, LINK)
        if not stat.S_ISREG(status.st_mode):
            return self._memory_file(parts, kind, status, "it is not a regular file")
        return self._memory_file(parts, kind, status, self._refuse(status))

    def _memory_file(
        self,
        parts: tuple[str, ...],
        kind: FileKind,
        status: os.stat_result | None,
        refusal: str | None,
        *,
        unknown: bool = False,
    ) -> MemoryFile:
        path = "/".join(parts)
        if self._extra:
            path = display_path(self._layout, self._start.joinpath(*parts))
        if (escaped := printable(path)) != path:
            if os.path.lexists(self._start.joinpath(*map(printable, parts))):
                refusal = _AMBIGUOUS
            path = escaped
        return MemoryFile(path, self._start, parts, kind, status, refusal, unknown)


def _kind(entry: os.DirEntry[str], *, facts: bool) -> FileKind | None:
    if entry.name.endswith(".md") and not entry.is_dir(follow_symlinks=False):
        return "curated" if entry.name in CURATED else "note"
    if facts and (entry.name in _FACTS or entry.name.endswith(_MORE_FACTS)):
        return "facts"
    return "folder" if entry.is_symlink() else None
