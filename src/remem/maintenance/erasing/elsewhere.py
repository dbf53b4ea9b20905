"""Where do the words of an erased memory still stand? Files of a person and kept databases are
the owner's: they are named, and left."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final

from remem.core.retelling import Retelling
from remem.core.scope import Scope
from remem.errors import RememError
from remem.notes import files
from remem.notes.git_history import earlier_texts, is_versioned
from remem.notes.layout import Layout
from remem.notes.memory_files import memory_files
from remem.ports import PassageStore

_DATABASES: Final = (".db", ".db-wal", ".db-shm", ".lock")
_BEFORE_RESTORE: Final = ".before-restore"
_DAMAGED: Final = "damaged"
_COMMITS: Final = ".git"


def also_in(layout: Layout, scope: Scope, told: Retelling, passages: PassageStore) -> Iterator[str]:
    """Paths in the workspace; kept databases are not opened, and named in any case."""
    for kept in _kept(layout, scope):
        yield kept.relative_to(layout.root).as_posix()
    if not told.words:
        return
    own = list(memory_files(layout, scope))
    yield from (each.path for each in own if _says(told, each.absolute))
    for path in _beside(layout, scope):
        if _says(told, path):
            yield path.relative_to(layout.root).as_posix()
    yield from _read_from_afar(told, passages, {each.path for each in own})


def is_kept_unread(path: str) -> bool:
    """Whether nobody looked into it: a database that was replaced may hold the words, or not."""
    return PurePosixPath(path).name.startswith((_DAMAGED, _BEFORE_RESTORE))


def in_commits(layout: Layout, path: str, told: Retelling) -> Iterator[str]:
    """Where the workspace is kept in git, what a file said once is not gone from there."""
    if is_versioned(layout.root) and any(map(told.within, earlier_texts(layout.root, path))):
        yield _COMMITS


def _kept(layout: Layout, scope: Scope) -> Iterator[Path]:
    yield from sorted(layout.state_folder(scope).glob(f"{_DAMAGED}*"))
    if scope.kind == "main":
        yield from sorted(layout.root.glob(f"{_BEFORE_RESTORE}*"))


def _beside(layout: Layout, scope: Scope) -> Iterator[Path]:
    """What remem keeps for itself about a scope, but for its databases; and what a flush could
    not write yet."""
    yield layout.flush_state_of(scope)
    for path in sorted(layout.state_folder(scope).rglob("*")):
        kept = any(part.startswith(_DAMAGED) for part in path.parts)
        if not kept and path.is_file() and not path.name.endswith(_DATABASES):
            yield path


def _read_from_afar(
    told: Retelling, passages: PassageStore, own: frozenset[str] | set[str]
) -> Iterator[str]:
    """Transcripts and folders elsewhere that are searched too."""
    try:
        with passages.read() as reading:
            for path in sorted(reading.files().keys() - own):
                if any(told.within(each.text) for _, each in reading.of_file(path)):
                    yield path
    except RememError:  # what cannot be read is told by the refresh
        return


def _says(told: Retelling, path: Path) -> bool:
    try:
        data = files.read(path)
    except RememError:  # likewise
        return False
    return data is not None and told.within(data.decode(errors="replace"))
