"""Where does the memory lie, and is that a good place? Permissions, the file system, leftovers."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from remem.core.scope import Scope
from remem.maintenance.doctor.finding import REPAIR, Finding
from remem.notes import files
from remem.notes.file_system import kind_of
from remem.notes.hook_log import last_failures
from remem.notes.layout import Layout

_REMOTE: Final = frozenset({"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "fuse.sshfs", "afs"})
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


def place(layout: Layout) -> Iterator[Finding]:
    """What is to be said of the workspace as a whole."""
    kind = kind_of(layout.root)
    if kind in _REMOTE:
        yield Finding(
            "",
            str(layout.root),
            "notice",
            f"it lies on a network drive ({kind})",
            "no promise holds there: two machines can spoil a database between them",
            "move the workspace to a disk of this machine",
        )
    if failed := last_failures(layout):
        last = failed[-1]
        yield Finding(
            "",
            ".remem/main/hooks.log",
            "notice",
            f"a hook failed at {last.at} ({last.host} {last.event}): {last.reason}",
            "the host went on without its memory at that moment",
            "mend the reason; then remove the log",
        )


def open_to_others(layout: Layout, scope: Scope) -> list[Path]:
    """What remem keeps about a scope and others may read; remem makes all of it private."""
    folder = layout.state_folder(scope)
    if not folder.is_dir():
        return []
    paths = [folder, *(each for each in sorted(folder.rglob("*")) if _is_ours(each, folder))]
    return [path for path in paths if not path.is_symlink() and path.lstat().st_mode & _OTHERS]


def _is_ours(path: Path, folder: Path) -> bool:
    """The folders of groups and peers lie beside main's, not in it."""
    return path.parent == folder or folder in path.parents


def state_of(layout: Layout, scope: Scope) -> Iterator[Finding]:
    """What is to be said of one scope's folders."""
    loose = open_to_others(layout, scope)
    if loose:
        yield Finding(
            str(scope),
            _name(layout, loose[0]),
            "notice",
            f"others on this machine may read {len(loose)} of its files or folders",
            "a memory is private",
            f"{REPAIR} takes their rights away",
        )
    conflicts = sorted(layout.conflicts(scope).glob("*"))
    if conflicts:
        yield Finding(
            str(scope),
            _name(layout, layout.conflicts(scope)),
            "notice",
            f"{len(conflicts)} copies of saves that met a write of remem",
            "their words are in the store too; the copies are kept for you",
            "look at them, then remove them",
        )
    strays = files.strays(layout.domains(scope))
    if strays:
        yield Finding(
            str(scope),
            _name(layout, layout.domains(scope)),
            "notice",
            f"{len(strays)} files that a killed write has left",
            "they are kept until it is certain that nobody needs them",
            f"{REPAIR}, or the next open, moves them to the conflicts",
        )
    kept = sorted(layout.state_folder(scope).glob("damaged*"))
    if kept:
        yield Finding(
            str(scope),
            _name(layout, kept[0]),
            "notice",
            f"{len(kept)} databases that were replaced",
            "they are kept; nothing reads them",
            "remove them when you are content with what came back",
        )


def make_private(paths: list[Path]) -> None:
    for path in paths:
        path.chmod(path.stat().st_mode & ~_OTHERS)


def _name(layout: Layout, path: Path) -> str:
    return path.relative_to(layout.root).as_posix()
