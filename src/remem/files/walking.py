"""List the memory files below a folder with their status, and check the extra paths.

Extra paths are folders and files from the settings that search reads in main as well. Symbolic
links are not followed.
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
"""The folders in memory/ that do not contain the owner's notes: those of other scopes, and of files
that remem generates."""
FileKind = Literal["curated", "note", "facts", "folder"]
Refuse = Callable[[os.stat_result], str | None]
"""Returns why a file with this status must not be read; None if it may be."""
CURATED: Final = ("MEMORY.md", "USER.md")
IS_LINK: Final = "it is a symbolic link, which remem does not follow"
_FACT_FILES: Final = ("items.json", "facts.json")
_FACT_FILE_SUFFIX: Final = "-facts.json"
_IS_AMBIGUOUS: Final = "its name is not UTF-8 and looks like that of another file; rename it"


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
        reason = _refusal_of(layout, path)
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
    """Return the identities of the folders in `_NOT_NOTES`.

    They are compared instead of names, because a file system may ignore case.
    """
    return identities([layout.memory / name for name in _NOT_NOTES])


def _normalize(root: Path, path: Path) -> Path:
    """Return a path without dots.

    A path that leads into the workspace starts with its root, whatever links it contained, so that
    no wall between scopes can be bypassed. Only the last part may still be a link.
    """
    plain = Path(os.path.normpath(path))
    real_root = Path(os.path.realpath(root))
    real = Path(os.path.realpath(plain.parent), plain.name)
    return root / real.relative_to(real_root) if real.is_relative_to(real_root) else plain


def _refusal_of(layout: Layout, path: Path) -> str | None:
    """Return why an extra path is refused; None if it is accepted."""
    if path.is_symlink():
        return IS_LINK
    if not path.exists():
        return "it does not exist"
    if path.is_file() and path.suffix != ".md":
        return "it is not a Markdown file"
    inside = path.relative_to(layout.root).parts if path.is_relative_to(layout.root) else ()
    path_and_parents = identities([path, *path.parents])
    if _STATE_FOLDER in inside or path_and_parents & identities([layout.own_folder]):
        return "it belongs to remem itself"
    if path_and_parents & not_notes(layout):
        return "it belongs to another scope, or remem generates it"
    for folder in (layout.root.joinpath(*inside[:count]) for count in range(1, len(inside) + 1)):
        if folder.is_dir() and os.path.lexists(folder / _ROOT_MARKER) and folder != layout.memory:
            return f"{folder.name} is a separate workspace"
    return None


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """A file at `parts` below `folder`.

    `path` is its path in answers, with forward slashes, and relative if the file is inside the
    workspace. `refused` is the reason why it must not be opened. A folder is listed only if there
    is such a reason. `unknown` says that the reason is a system error, so that its files may still
    exist.
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
            raise FileError(str(error) if error.__cause__ is None else IS_LINK) from None
        return None if data is None else data.data


class Walk:
    """Lists files of the workspace or, if `extra` is given, of an extra path."""

    def __init__(self, layout: Layout, refuse: Refuse, extra: Path | None = None) -> None:
        self._layout = layout
        self._refuse = refuse
        self._is_extra = extra is not None
        self._start = extra or layout.root

    def file(self, parts: tuple[str, ...], kind: FileKind) -> Iterator[MemoryFile]:
        """Yield one file, if it exists."""
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

        `leave_out` are names in the folder itself that are skipped; `facts` includes fact files.
        """
        try:
            items = self._list(parts)
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            yield self._memory_file(parts, "folder", None, str(error.strerror), unknown=True)
            return
        if items is None:
            yield self._memory_file(parts, "folder", None, IS_LINK)
            return
        visible = [
            item for item in items if not item.name.startswith(".") and item.name not in leave_out
        ]
        for item in visible:
            if kind := _kind(item, facts=facts):
                yield from self._listed_file((*parts, item.name), kind, item)
        for item in visible:
            if item.is_dir(follow_symlinks=False) and not self._is_skipped(Path(item.path)):
                yield from self.below((*parts, item.name), facts=facts)

    def _list(self, parts: tuple[str, ...]) -> list[os.DirEntry[str]] | None:
        """Return what is in a folder, sorted by name; None if it is a link."""
        folder = self._start.joinpath(*parts)
        if folder.is_symlink():
            return None
        with os.scandir(folder) as items:
            return sorted(items, key=lambda item: item.name)

    def _is_skipped(self, folder: Path) -> bool:
        if self._is_extra:
            return is_skipped_folder(folder, self._layout)
        return not identities([folder]).isdisjoint(self._not_notes)

    @cached_property
    def _not_notes(self) -> frozenset[Identity]:
        return not_notes(self._layout)

    def _listed_file(
        self, parts: tuple[str, ...], kind: FileKind, item: os.DirEntry[str]
    ) -> Iterator[MemoryFile]:
        try:
            status = item.stat(follow_symlinks=False)
        except OSError:
            return  # it was removed since the folder was listed
        yield self._checked_file(parts, kind, status)

    def _checked_file(
        self, parts: tuple[str, ...], kind: FileKind, status: os.stat_result
    ) -> MemoryFile:
        if stat.S_ISLNK(status.st_mode):
            return self._memory_file(parts, kind, status, IS_LINK)
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
        if self._is_extra:
            path = display_path(self._layout, self._start.joinpath(*parts))
        if (escaped := printable(path)) != path:
            if os.path.lexists(self._start.joinpath(*map(printable, parts))):
                refusal = _IS_AMBIGUOUS
            path = escaped
        return MemoryFile(path, self._start, parts, kind, status, refusal, unknown)


def _kind(item: os.DirEntry[str], *, facts: bool) -> FileKind | None:
    """Return the kind of a file or of a link that has to be refused; None for everything else."""
    if item.name.endswith(".md") and not item.is_dir(follow_symlinks=False):
        return "curated" if item.name in CURATED else "note"
    if facts and (item.name in _FACT_FILES or item.name.endswith(_FACT_FILE_SUFFIX)):
        return "facts"
    return "folder" if item.is_symlink() else None
