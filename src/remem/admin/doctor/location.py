"""Checks of the folders of a workspace: file system, permissions, leftover files."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from remem.admin.doctor.findings import REPAIR, Finding
from remem.entries.domain_sync.leftovers import Leftovers
from remem.errors import RememError, counted
from remem.files.disk import file_errors, file_system_of
from remem.files.layout import Layout
from remem.files.logs import last_failures
from remem.model.scope import Scope

_NETWORK_FILE_SYSTEMS: Final = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "fuse.sshfs", "afs"}
)
_NON_OWNER_PERMISSIONS: Final = stat.S_IRWXG | stat.S_IRWXO


def workspace_findings(layout: Layout) -> Iterator[Finding]:
    """Yield the findings about the workspace as a whole."""
    kind = file_system_of(layout.root)
    if kind in _NETWORK_FILE_SYSTEMS:
        yield Finding(
            "",
            str(layout.root),
            "notice",
            f"it is on a network drive ({kind})",
            "databases are not safe there: two machines that write at once can corrupt them",
            "move the workspace to a local disk",
        )
    if failures := last_failures(layout):
        last = failures[-1]
        yield Finding(
            "",
            ".remem/main/hooks.log",
            "notice",
            f"a hook failed at {last.at} ({last.host} {last.event}): {last.reason}",
            "the host continued without memory",
            "fix the cause, then remove the log",
        )


def open_to_others(layout: Layout, scope: Scope) -> list[Path]:
    """Return the files and folders of a scope's state that other users can access."""
    folder = layout.state_folder(scope)
    if not folder.is_dir():
        return []
    paths = [folder, *(path for path in sorted(folder.rglob("*")) if _needs_check(path, folder))]
    return [
        path
        for path in paths
        if not path.is_symlink() and path.lstat().st_mode & _NON_OWNER_PERMISSIONS
    ]


def _needs_check(path: Path, folder: Path) -> bool:
    """Return whether the permissions of a path matter: it is not in a private subfolder.

    Copies of user files keep their own permissions, which are harmless inside a private folder.
    """
    if path.parent == folder:
        return True
    return folder in path.parents and bool(path.parent.stat().st_mode & _NON_OWNER_PERMISSIONS)


def scope_findings(layout: Layout, scope: Scope) -> Iterator[Finding]:
    """Yield the findings about one scope's folders."""

    def notice(path: Path, problem: str, meaning: str, repair: str) -> Finding:
        part = layout.relative(path)
        return Finding(str(scope), part, "notice", problem, meaning, repair)

    if exposed := open_to_others(layout, scope):
        yield notice(
            exposed[0],
            f"other users of this machine can access {len(exposed):,} of its files or folders",
            "a memory should be private",
            f"{REPAIR} removes their permissions",
        )
    if conflicts := list(layout.conflicts(scope).glob("*")):
        yield notice(
            layout.conflicts(scope),
            f"{counted(len(conflicts), 'file was', 'files were')} saved by someone else while "
            "remem was writing",
            "the edits are in the store too; copies of the files are kept here",
            "check the copies, then remove them",
        )
    if leftovers := Leftovers(layout, scope, lambda _text: None).temporary_files():
        yield notice(
            leftovers[0],
            f"an interrupted write left {counted(len(leftovers), 'temporary file')}",
            "files that may contain someone's edits are kept",
            f"{REPAIR} or the next command that opens the workspace removes the others",
        )
    if replaced := sorted(layout.state_folder(scope).glob("damaged*")):
        yield notice(
            replaced[0],
            f"{counted(len(replaced), 'damaged database was', 'damaged databases were')} replaced",
            "damaged databases are kept, but no longer read",
            "check what was restored, then remove them",
        )


def make_scope_private(layout: Layout, scope: Scope) -> Iterator[str]:
    """Remove the permissions of other users, and yield a sentence about the outcome."""
    exposed = open_to_others(layout, scope)
    try:
        for path in exposed:
            with file_errors(path, "made private"):
                path.chmod(path.stat().st_mode & ~_NON_OWNER_PERMISSIONS)
    except RememError as error:  # a file of another user; other problems can still be repaired
        yield str(error)
        return
    if exposed:
        yield f"{counted(len(exposed), 'file or folder is', 'files and folders are')} private again"
