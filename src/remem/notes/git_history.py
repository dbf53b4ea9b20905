"""What did a file say earlier? Where the workspace lies in a git repository, its commits know.

Only git's plumbing is asked, which runs no hook, pager or filter of the repository.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_COMMITS: Final = 100
_PATIENCE: Final = 20.0
_QUIET: Final = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")


def earlier_texts(root: Path, path: str) -> Iterator[str]:
    """The texts of the last commits that touched a file, the oldest first; none without git."""
    listed = _git(root, "rev-list", f"--max-count={_COMMITS}", "HEAD", "--", path)
    for commit in reversed((listed or b"").decode("ascii", "replace").split()):
        data = _git(root, "cat-file", "blob", f"{commit}:./{path}")
        if data is not None:
            yield data.decode(errors="replace")


def is_versioned(root: Path) -> bool:
    return _git(root, "rev-parse", "--verify", "--quiet", "HEAD") is not None


def _git(root: Path, *words: str) -> bytes | None:
    """What git prints; None where it is missing, refuses, or there is no repository."""
    program = shutil.which("git")
    if program is None:
        return None
    try:
        done = subprocess.run(  # noqa: S603 - our words, no shell
            [program, *_QUIET, *words],
            cwd=root,
            capture_output=True,
            check=False,
            timeout=_PATIENCE,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
