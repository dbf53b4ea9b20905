"""Has a file changed since it was last looked at? Its time, size and number tell."""

from __future__ import annotations

import os
from pathlib import Path

from remem.notes.disk import explained

Signature = tuple[int, int, int, int]


def signature(path: Path) -> Signature | None:
    """How a file looks; None if there is none."""
    with explained(path, "looked at"):
        try:
            return _of(path.lstat())
        except FileNotFoundError:
            return None


def signatures(folder: Path) -> dict[str, Signature]:
    """Those of everything in a folder, by name; links are not followed."""
    with explained(folder, "listed"):
        try:
            with os.scandir(folder) as found:
                return {each.name: _of(each.stat(follow_symlinks=False)) for each in found}
        except FileNotFoundError:
            return {}


def _of(status: os.stat_result) -> Signature:
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino
