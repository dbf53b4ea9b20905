"""Where does the memory lie, and is that a good place? Permissions, the file system, leftovers."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from remem.admin.doctor.findings import REPAIR, Finding
from remem.entries.domain_sync.projector import left_by_kills
from remem.errors import RememError
from remem.files.disk import explained, kind_of
from remem.files.layout import Layout
from remem.files.logs import last_failures
from remem.model.scope import Scope

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
    paths = [folder, *(path for path in sorted(folder.rglob("*")) if _is_ours(path, folder))]
    return [path for path in paths if not path.is_symlink() and path.lstat().st_mode & _OTHERS]


def _is_ours(path: Path, folder: Path) -> bool:
    """The folders of groups and peers lie beside main's, not in it. A copy of a person's file
    keeps its rights, and is out of reach all the same where its folder is private."""
    if path.parent == folder:
        return True
    return folder in path.parents and bool(path.parent.stat().st_mode & _OTHERS)


def state_of(layout: Layout, scope: Scope) -> Iterator[Finding]:
    """What is to be said of one scope's folders."""

    def notice(path: Path, what: str, meaning: str, repair: str) -> Finding:
        part = path.relative_to(layout.root).as_posix()
        return Finding(str(scope), part, "notice", what, meaning, repair)

    if loose := open_to_others(layout, scope):
        yield notice(
            loose[0],
            f"others on this machine may read {len(loose)} of its files or folders",
            "a memory is private",
            f"{REPAIR} takes their rights away",
        )
    if conflicts := list(layout.conflicts(scope).glob("*")):
        yield notice(
            layout.conflicts(scope),
            f"{len(conflicts)} copies of saves that met a write of remem",
            "their words are in the store too; the copies are kept for you",
            "look at them, then remove them",
        )
    if strays := left_by_kills(layout, scope):
        yield notice(
            strays[0],
            f"{len(strays)} temporary files that a killed write has left",
            "what may be a person's save among them is kept",
            f"{REPAIR}, or the next open, clears them",
        )
    if kept := sorted(layout.state_folder(scope).glob("damaged*")):
        yield notice(
            kept[0],
            f"{len(kept)} databases that were replaced",
            "they are kept; nothing reads them",
            "remove them when you are content with what came back",
        )


def made_private(layout: Layout, scope: Scope) -> Iterator[str]:
    """Take the rights of others away; what was done, or why it cannot be."""
    loose = open_to_others(layout, scope)
    try:
        make_private(loose)
    except RememError as error:  # another user's file; what else is wrong can still be mended
        yield str(error)
        return
    if loose:
        yield f"{len(loose)} files and folders are private again"


def make_private(paths: list[Path]) -> None:
    for path in paths:
        with explained(path, "made private"):
            path.chmod(path.stat().st_mode & ~_OTHERS)
