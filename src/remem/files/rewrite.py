"""How is a file changed that a person may be saving right now? His latest bytes always count."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from remem.errors import FileError
from remem.files import atomic
from remem.files.layout import Layout
from remem.model.scope import MAIN, Scope

_TRIES: Final = 8

Change = Callable[[bytes | None], bytes | None]
"""From a person's bytes to those that should stand there; None for no file."""


def rewrite(layout: Layout, path: Path, change: Change, scope: Scope = MAIN) -> bytes | None:
    """Make a file what `change` makes of it; what it holds in the end.

    A save that comes in between is what we go on from; the file that it took out of our
    hands is kept.
    """
    now = latest = _read(path, scope)
    for _ in range(_TRIES):
        wanted = change(latest)
        if wanted == now:
            return now
        outcome, found = _put(layout, path, wanted, now, scope)
        if outcome == "swapped":
            return wanted
        now, latest = (wanted, found) if outcome == "displaced" else (found, found)
    raise FileError(
        f"{path} changes too fast to be written", hint="close the program that keeps saving it"
    )


def _put(
    layout: Layout, path: Path, wanted: bytes | None, now: bytes | None, scope: Scope
) -> tuple[atomic.Outcome, bytes | None]:
    if now is None:
        assert wanted is not None, "nothing is to be written over nothing"
        created = atomic.create(path, wanted)
        return ("swapped", None) if created else ("changed", _read(path, scope))
    keep = atomic.unused(layout.aside(scope), f"{path.name}.{atomic.digest(now)}")
    if wanted is None:
        atomic.set_aside(path, keep)
        found = atomic.read(keep)
        return ("swapped" if found == now else "displaced"), found
    conflict = atomic.unused(layout.conflicts(scope), path.name)
    swapped = atomic.swap(path, wanted, expected=atomic.digest(now), keep=keep, conflict=conflict)
    return swapped.outcome, swapped.found


def _read(path: Path, scope: Scope) -> bytes | None:
    """Outside main a second name is refused: it could carry the words of one scope into
    another, where the new file would have them under its own name."""
    return atomic.read(path, sole_name=scope.kind != "main")
