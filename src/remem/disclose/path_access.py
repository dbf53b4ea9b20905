"""Decide whether a session may open a path, without opening the file.

Paths outside the session's scope are refused whether or not they exist. Within the scope, only
paths that hosts treat as memory files are allowed. Opening the file applies further checks
(`remem.files.safe_open`): symbolic links inside the workspace or extra folder are not followed, and
hard links into another scope are refused.

| session | may open                                                                     |
|---------|-----------------------------------------------------------------------------|
| main    | MEMORY.md, USER.md, dreams.md, memory/, brain/, life/, para/, extra paths   |
| group   | its gate and its own folder in memory/groups/                               |
| peer    | its own folder in memory/peers/                                             |
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from remem.fast_dataclass import dataclass
from remem.files.layout import FACT_TREES, Layout
from remem.files.walking import ExtraPath, is_skipped_folder
from remem.model.scope import Session, may_read

_CURATED: Final = ("MEMORY.md", "USER.md")
_DIARY: Final = "dreams.md"
_OWNER_FOLDERS: Final = ("memory", *FACT_TREES)
_OTHER_SCOPES: Final = frozenset({("memory", "groups"), ("memory", "peers")})
_STATE_FOLDER: Final = ".remem"


@dataclass(frozen=True, slots=True)
class PathRefusal:
    """The reason why a path may not be opened, with the code and text that hosts expect."""

    code: str
    error: str


NOT_ALLOWED: Final = PathRefusal(
    "MEMORY_PATH_NOT_ALLOWED", "path is not an allowed Markdown memory file"
)


@dataclass(frozen=True, slots=True)
class ResolvedPath:
    """A file that may be opened: `parts` are the components of its path below `folder`.

    `path` is the path that answers show. `folder_may_be_link` says whether `folder` may be a
    symbolic link: the workspace may be one, an extra folder may not.
    """

    path: str
    folder: Path
    parts: tuple[str, ...]
    folder_may_be_link: bool = True


def resolve_path(
    session: Session, path: str, layout: Layout, extra: Sequence[ExtraPath] = ()
) -> ResolvedPath | PathRefusal:
    """Resolve the path of a memory file, or refuse it; `extra` are the owner's extra paths."""
    if session.scope is None or not may_read(session, session.scope):
        return NOT_ALLOWED
    parts = _parts_below(path, layout.root)
    if session.scope.kind == "main":
        return _resolve_for_owner(path, parts, layout, extra) or NOT_ALLOWED
    if parts is None or not _is_in_own_scope(parts, session, layout) or not _is_markdown(parts):
        return NOT_ALLOWED
    return ResolvedPath("/".join(parts), layout.root, parts)


def _is_within(parts: tuple[str, ...], folder: tuple[str, ...]) -> bool:
    return len(parts) > len(folder) and parts[: len(folder)] == folder


def _is_in_own_scope(parts: tuple[str, ...], session: Session, layout: Layout) -> bool:
    assert session.scope is not None
    folder = layout.domains(session.scope).parent.relative_to(layout.root).parts
    gate = (*folder[:-1], f"{folder[-1]}.md")
    return _is_within(parts, folder) or (session.scope.kind == "group" and parts == gate)


def _resolve_for_owner(
    path: str, parts: tuple[str, ...] | None, layout: Layout, extra: Sequence[ExtraPath]
) -> ResolvedPath | None:
    if parts is None:
        return _resolve_extra(path, None, layout, extra)
    if _is_off_limits(parts):
        return None
    if _is_owner_file(parts) and _is_markdown(parts):
        return ResolvedPath("/".join(parts), layout.root, parts)
    return _resolve_extra(path, parts, layout, extra)


def _is_owner_file(parts: tuple[str, ...]) -> bool:
    if len(parts) == 1:
        return parts[0] in _CURATED or parts[0].casefold() == _DIARY
    return parts[0] in _OWNER_FOLDERS


def _is_off_limits(parts: tuple[str, ...]) -> bool:
    """Return whether the path is in another scope's folder or in `.remem`.

    Names are compared as on a file system that ignores case and Unicode form.
    """
    folded = tuple(_fold_name(part) for part in parts[:2])
    return folded in _OTHER_SCOPES or folded[0] == _STATE_FOLDER


def _resolve_extra(
    path: str, parts: tuple[str, ...] | None, layout: Layout, extra: Sequence[ExtraPath]
) -> ResolvedPath | None:
    """Resolve a path to a Markdown file inside an extra folder, or to an extra file itself."""
    target = layout.root.joinpath(*parts) if parts is not None else _parse_absolute(path)
    if target is None:
        return None
    name = "/".join(parts) if parts is not None else str(target)
    for extra_path in extra:
        if extra_path.is_file:
            if target == extra_path.path:
                return ResolvedPath(name, target.parent, (target.name,))
            continue
        root = extra_path.path
        if not target.is_relative_to(root) or target.suffix != ".md":
            continue
        inside = target.relative_to(root).parts
        folders = [root.joinpath(*inside[:count]) for count in range(1, len(inside))]
        if not any(is_skipped_folder(folder, layout) for folder in folders):
            return ResolvedPath(name, root, inside, folder_may_be_link=False)
    return None


def _parts_below(path: str, root: Path) -> tuple[str, ...] | None:
    """Return the path's components below the workspace.

    The result is None if the path is outside the workspace, contains `..`, a backslash or a NUL, or
    ends with a slash.
    """
    if not path.startswith("/"):
        return _parts(path)
    absolute = _parts(path)
    if absolute is None:
        return None
    for workspace in dict.fromkeys((root, Path(os.path.realpath(root)))):
        folder = workspace.parts[1:]
        if _is_within(absolute, folder):
            return absolute[len(folder) :]
    return None


def _parse_absolute(path: str) -> Path | None:
    parts = _parts(path) if path.startswith("/") else None
    return Path("/", *parts) if parts else None


def _parts(path: str) -> tuple[str, ...] | None:
    if "\0" in path or "\\" in path or path.endswith("/"):
        return None
    parts = tuple(part for part in path.split("/") if part not in ("", "."))
    return None if not parts or ".." in parts else parts


def _is_markdown(parts: tuple[str, ...]) -> bool:
    return parts[-1].endswith(".md")


def _fold_name(name: str) -> str:
    """Return a name in a form that is equal for names that some file systems treat as equal.

    They ignore case, Unicode form, invisible characters, and spaces and dots at the end.
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    visible = "".join(char for char in folded if unicodedata.category(char) != "Cf")
    return visible.rstrip(" .")
