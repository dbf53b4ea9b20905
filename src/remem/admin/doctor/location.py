"""Check the folders of a workspace: file system, permissions, files left over."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from remem.admin.doctor.findings import REPAIR, Finding
from remem.entries.domain_sync.leftovers import Leftovers
from remem.errors import RememError
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
            "nothing is guaranteed there: two machines can corrupt a database",
            "move the workspace to a local disk",
        )
    if failures := last_failures(layout):
        last = failures[-1]
        yield Finding(
            "",
            ".remem/main/hooks.log",
            "notice",
            f"a hook failed at {last.at} ({last.host} {last.event}): {last.reason}",
            "the host continued without its memory",
            "fix the cause; then remove the log",
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
    """Return whether a path's permissions matter.

    Copies of user files keep their original permissions; that is harmless inside a private
    folder, so such files are skipped.
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
            f"other users of this machine can read {len(exposed)} of its files or folders",
            "a memory should be private",
            f"{REPAIR} removes their permissions",
        )
    if conflicts := list(layout.conflicts(scope).glob("*")):
        yield notice(
            layout.conflicts(scope),
            f"{len(conflicts)} copies of files that someone else saved while remem was "
            "writing them",
            "their content is in the store too; the copies are kept for you",
            "check them, then remove them",
        )
    if leftovers := Leftovers(layout, scope, lambda _text: None).temporary_files():
        yield notice(
            leftovers[0],
            f"{len(leftovers)} temporary files left by an interrupted write",
            "files that may contain someone's edits are kept",
            f"{REPAIR} removes them, and so does the next command that opens the workspace",
        )
    if replaced := sorted(layout.state_folder(scope).glob("damaged*")):
        yield notice(
            replaced[0],
            f"{len(replaced)} damaged databases that were replaced",
            "they are kept but no longer read",
            "remove them once you have checked what was restored",
        )


def make_scope_private(layout: Layout, scope: Scope) -> Iterator[str]:
    """Remove all permissions for other users; yield what was done, or why it failed."""
    exposed = open_to_others(layout, scope)
    try:
        for path in exposed:
            with file_errors(path, "made private"):
                path.chmod(path.stat().st_mode & ~_NON_OWNER_PERMISSIONS)
    except RememError as error:  # a file of another user; other problems can still be repaired
        yield str(error)
        return
    if exposed:
        yield f"{len(exposed)} files and folders are private again"
