"""Rewrite files that a person or another program may be saving at the same time.

If they save a new version meanwhile, the change is applied again to that version. Every version
that was replaced is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from remem.errors import FileError
from remem.fast_dataclass import dataclass
from remem.files import atomic
from remem.files.atomic import SwapResult
from remem.files.disk import temporary_path
from remem.files.layout import Layout
from remem.model.scope import MAIN, Scope

_MAX_ATTEMPTS: Final = 8

Change = Callable[[bytes | None], bytes | None]
"""Returns the new bytes of a file, given the current ones; None means that there is no file."""


@dataclass(frozen=True, slots=True)
class Copies:
    """Where replaced versions of a file are kept.

    `kept` returns an unused path for the version that was read, from the file's path and the digest
    of the version; `conflict` returns one for a version that somebody saved at the last moment.
    `single_link` is passed to `atomic.read`.
    """

    kept: Callable[[Path, str], Path]
    conflict: Callable[[Path], Path]
    single_link: bool = False


def workspace_copies(layout: Layout, scope: Scope) -> Copies:
    """Return paths in the state folder of a scope.

    Outside main, hard-linked files are refused, because they could bring in the text of another
    scope.
    """
    return Copies(
        lambda path, digest: atomic.unused_path(layout.aside(scope), f"{path.name}.{digest}"),
        lambda path: atomic.unused_path(layout.conflicts(scope), path.name),
        single_link=scope.kind != "main",
    )


def replace(path: Path, new: bytes | None, current: bytes | None, copies: Copies) -> SwapResult:
    """Replace the bytes `current` of a file by `new`; None stands for no file."""
    if current is None:
        assert new is not None, "there is nothing to write or remove"
        if atomic.create(path, new):
            return SwapResult("swapped")
        return SwapResult("changed", atomic.read(path, single_link=copies.single_link))
    copy = copies.kept(path, atomic.digest(current))
    if new is not None:
        conflict = copies.conflict(path)
        return atomic.swap(path, new, expected=atomic.digest(current), keep=copy, conflict=conflict)
    atomic.set_aside(path, copy)
    saved = atomic.read(copy)
    return SwapResult("swapped" if saved == current else "displaced", saved, copy)


def rewrite(layout: Layout, path: Path, change: Change, scope: Scope = MAIN) -> bytes | None:
    """Apply `change` to a file of a scope; return the final bytes of the file."""
    return _rewrite(path, change, workspace_copies(layout, scope))[0]


def rewrite_in_place(path: Path, change: Change) -> bytes | None:
    """Apply `change` to a file outside the workspace; return the final bytes of the file.

    The file may be on another disk, so replaced versions are kept in its own folder, under
    temporary names, and removed at the end.
    """
    copies = Copies(lambda path, _digest: temporary_path(path), temporary_path)
    new, replaced = _rewrite(path, change, copies)
    for copy, data in replaced:
        atomic.remove_if_unchanged(copy, atomic.digest(data))
    return new


def _rewrite(
    path: Path, change: Change, copies: Copies
) -> tuple[bytes | None, list[tuple[Path, bytes]]]:
    """Return the final bytes, and the paths and bytes of the replaced versions."""
    # If somebody saved at the last moment, theirs is the latest version, but ours is in the file.
    in_file = latest = atomic.read(path, single_link=copies.single_link)
    replaced: list[tuple[Path, bytes]] = []
    for _ in range(_MAX_ATTEMPTS):
        new = change(latest)
        if new == in_file:
            return in_file, replaced
        result = replace(path, new, in_file, copies)
        if result.kept is not None and result.found is not None:
            replaced.append((result.kept, result.found))
        if result.outcome == "swapped":
            return new, replaced
        latest = result.found
        in_file = new if result.outcome == "displaced" else latest
    raise FileError(
        f"{path} keeps changing while it is written", hint="close the program that keeps saving it"
    )


def clear_temporary_files(
    path: Path,
    is_known: Callable[[bytes], bool],
    conflict: Callable[[Path], Path] | None = None,
) -> list[Path]:
    """Clear the temporary files that an interrupted write of a file has left in its folder.

    Those with known bytes are removed; the others are moved to the path that `conflict` returns, if
    it is given. Return the paths to which files were moved.
    """
    moved: list[Path] = []
    for temporary in atomic.temporary_files(path.parent) if path.parent.is_dir() else ():
        if not temporary.name.startswith(f".{path.name}."):
            continue
        data = atomic.read(temporary)
        if data is not None and is_known(data):
            atomic.remove_if_unchanged(temporary, atomic.digest(data))
        elif conflict is not None:
            moved.append(conflict(path))
            atomic.set_aside(temporary, moved[-1])
    return moved
