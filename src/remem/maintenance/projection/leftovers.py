"""What is left of files that were replaced? Kept until it is certain that nobody needs it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import time
from typing import Final

from remem.core.scope import Scope
from remem.notes import files
from remem.notes.layout import Layout

_SETTLING: Final = 60.0
"""So many seconds an editor may go on saving into a file that was replaced."""

Announce = Callable[[str], None]


def tidy(layout: Layout, scope: Scope, announce: Announce) -> None:
    """What was swapped out goes, unless an editor has saved into it since; what a kill has
    left lying is kept where a person finds it."""
    for kept in sorted(layout.aside(scope).glob("*.*.*.*")):
        if time() - kept.lstat().st_ctime < _SETTLING:  # the rename sets it
            continue
        if files.settle(kept, kept.name.split(".")[-2]) is not None:
            _keep(kept, layout, scope, announce, f"{kept.name} was saved after its replacement")
    for stray in files.strays(layout.domains(scope)):
        _keep(stray, layout, scope, announce, "a write was cut short")


def _keep(path: Path, layout: Layout, scope: Scope, announce: Announce, reason: str) -> None:
    copy = files.unused(layout.conflicts(scope), path.name.lstrip("."))
    files.set_aside(path, copy)
    announce(f"{reason}; the bytes are kept in {copy.relative_to(layout.root).as_posix()}")
