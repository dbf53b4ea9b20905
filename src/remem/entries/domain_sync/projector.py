"""What writing files leaves behind: replaced files, which an editor may still have open, and
temporary files of killed writes."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from time import time
from typing import Final

from remem.core.fact_choices import FACT_TREES
from remem.core.scope import Scope
from remem.errors import FileError
from remem.notes import files
from remem.notes.layout import Layout
from remem.notes.strays import left_in, target_of

_SETTLING: Final = 60.0
"""Seconds for which an editor may go on saving into a file that was replaced."""
_COPY: Final = re.compile(r"(?P<target>.+)\.(?P<digest>[0-9a-f]{64})\.[0-9a-f]{16}")

_JOURNALS: Final = ("activation", "audit", "graduate")

Announce = Callable[[str], None]


def tidy(layout: Layout, scope: Scope, announce: Announce) -> str | None:
    """Remove the copies of replaced files that have settled; returns why one could not be.

    The file that replaced it is in place and on the disk, so that no copy here is the only one.
    One that an editor has saved into since is kept among the conflicts.
    """
    trouble = None
    for copy in sorted(layout.aside(scope).glob("*")):
        name = _COPY.fullmatch(copy.name)
        if name is None:
            continue
        try:
            # The rename sets the change time. One in the future comes from a clock set back.
            if 0 <= time() - copy.lstat().st_ctime < _SETTLING:
                continue
            if files.settle(copy, name["digest"]) is not None:
                reason = f"{name['target']} was saved after its replacement"
                _keep(copy, name["target"], layout, scope, announce, reason=reason)
        except FileNotFoundError:  # another process was faster
            continue
        except FileError as error:
            trouble = str(error)
    return trouble


def sweep(
    layout: Layout, scope: Scope, announce: Announce, ours: Callable[[], Collection[str]]
) -> str | None:
    """Clear the temporary files that killed writes have left in the places of a scope.

    What is empty, or known from elsewhere, is removed: it stands in the file itself, in a journal,
    or has one of the digests (`ours`) of what remem wrote itself. Anything else may be the only
    copy of a person's save, and is kept among the conflicts. Returns why one could not be cleared.
    """
    trouble = None
    for folder, wanted in _places(layout, scope):
        with left_in(folder) as strays:
            for stray in strays:
                if not wanted(target_of(stray.name) or ""):
                    continue
                try:
                    _clear(stray, layout, scope, announce, ours)
                except FileError as error:  # the others can still go
                    trouble = str(error)
    return trouble


def left_by_kills(layout: Layout, scope: Scope) -> list[Path]:
    """The temporary files that `sweep` would clear."""
    found: list[Path] = []
    for folder, wanted in _places(layout, scope):
        with left_in(folder) as strays:
            found += [each for each in strays if wanted(target_of(each.name) or "")]
    return found


def _clear(
    stray: Path,
    layout: Layout,
    scope: Scope,
    announce: Announce,
    ours: Callable[[], Collection[str]],
) -> None:
    if layout.own_folder in stray.parents:  # no person edits these: the write never took place
        files.remove(stray)
        return
    data = files.read(stray)
    target = files.read(stray.with_name(target_of(stray.name) or ""))
    if not data or data == target or files.digest(data) in {*ours(), *_journaled(layout, scope)}:
        files.remove(stray)
    else:
        name = target_of(stray.name) or stray.name
        _keep(stray, name, layout, scope, announce, reason="a write was cut short")


def _journaled(layout: Layout, scope: Scope) -> Iterator[str]:
    """Digests of the bytes that undoing a change has kept."""
    for command in _JOURNALS:
        for path in (layout.state_folder(scope) / command).glob("*"):
            if path.is_file() and (data := files.read(path)):
                yield files.digest(data)


def _places(layout: Layout, scope: Scope) -> Iterator[tuple[Path, Callable[[str], bool]]]:
    """The folders in which remem writes files for a scope, and which names count there."""
    yield from _below(layout.state_folder(scope))
    for shared in (layout.own_folder, layout.conversations, layout.tokens):
        yield shared, _any
    if scope.kind == "main":
        yield layout.root, lambda name: name.endswith(".md")
        yield layout.memory, _any
        for folder in (layout.domains(scope), layout.memory / "main"):
            yield from _below(folder)
        for tree in FACT_TREES:
            yield from _below(layout.root / tree)
        return
    own = layout.domains(scope).parent
    yield own.parent, lambda name: name == f"{own.name}.md"
    yield from _below(own)


def _below(folder: Path) -> Iterator[tuple[Path, Callable[[str], bool]]]:
    if not folder.is_symlink():
        for place, _, _ in os.walk(folder, followlinks=False):
            yield Path(place), _any


def _any(_name: str) -> bool:
    return True


def _keep(
    path: Path, name: str, layout: Layout, scope: Scope, announce: Announce, *, reason: str
) -> None:
    copy = files.unused(layout.conflicts(scope), name)
    files.set_aside(path, copy)
    announce(f"{reason}; the bytes are kept in {copy.relative_to(layout.root).as_posix()}")
