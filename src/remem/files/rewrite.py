"""Changes a file that a person may be saving at the same time; their latest save always counts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from remem.errors import FileError
from remem.files import atomic
from remem.files.layout import Layout
from remem.model.scope import MAIN, Scope

_MAX_ATTEMPTS: Final = 8

Change = Callable[[bytes | None], bytes | None]
"""From the current bytes of a file to the wanted ones; None for no file."""


def rewrite(layout: Layout, path: Path, change: Change, scope: Scope = MAIN) -> bytes | None:
    """Apply `change` to a file; returns the bytes that it has in the end.

    If a person saves meanwhile, the change is applied to their version; what was replaced is
    kept.
    """
    now = latest = _read(path, scope)
    for _ in range(_MAX_ATTEMPTS):
        wanted = change(latest)
        if wanted == now:
            return now
        outcome, found = _put(layout, path, wanted, now, scope)
        if outcome == "swapped":
            return wanted
        now, latest = (wanted, found) if outcome == "displaced" else (found, found)
    raise FileError(
        f"{path} keeps changing while it is written", hint="close the program that keeps saving it"
    )


def _put(
    layout: Layout, path: Path, wanted: bytes | None, now: bytes | None, scope: Scope
) -> tuple[atomic.Outcome, bytes | None]:
    if now is None:
        assert wanted is not None, "the caller has compared them"
        created = atomic.create(path, wanted)
        return ("swapped", None) if created else ("changed", _read(path, scope))
    keep = atomic.unused_path(layout.aside(scope), f"{path.name}.{atomic.digest(now)}")
    if wanted is None:
        atomic.set_aside(path, keep)
        found = atomic.read(keep)
        return ("swapped" if found == now else "displaced"), found
    conflict = atomic.unused_path(layout.conflicts(scope), path.name)
    swapped = atomic.swap(path, wanted, expected=atomic.digest(now), keep=keep, conflict=conflict)
    return swapped.outcome, swapped.found


def _read(path: Path, scope: Scope) -> bytes | None:
    """Read a file; outside main a hard-linked one is refused, which could bring the text of one
    scope into another."""
    return atomic.read(path, single_link=scope.kind != "main")
