"""Messages about files outside of the workspace that remem changed or restored."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from remem.cli.opening import short_path
from remem.cli.terminal import say

if TYPE_CHECKING:
    from remem.setup.hosts.connect import HostFileResult


def show_written(files: Iterable[HostFileResult], if_unchanged: str) -> bool:
    """Print the files that were written, or `if_unchanged`; return whether any was written."""
    changed = [file for file in files if file.changed]
    for file in changed:
        say(f"wrote {short_path(file.path)}")
    if not changed:
        say(if_unchanged)
    return bool(changed)


def show_restored(files: Iterable[HostFileResult]) -> None:
    """Print how each file was restored."""
    for file in files:
        if file.remark:
            say(f"{file.path}: {file.remark}")
        elif file.changed:
            say(f"{short_path(file.path)}: {_outcome(file)}")


def _outcome(file: HostFileResult) -> str:
    if not file.exact:
        return "remem was removed; your edits were kept"
    return "restored exactly" if file.path.exists() else "removed, as remem had created it"


def show_commands(commands: Iterable[str]) -> None:
    """Print the commands that remem could not run itself."""
    for command in commands:
        say(f"run this yourself: {command}", err=True)
