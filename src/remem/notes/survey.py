"""Which memory files did a person or a host write? Their number and size, not their words."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from remem.errors import FileError
from remem.notes import files
from remem.notes.layout import Layout

_CURATED: Final = ("MEMORY.md", "USER.md")
_OURS: Final = frozenset({"domains", "groups", "peers", "shared"})


@dataclass(frozen=True, slots=True)
class Survey:
    files: int
    tokens: int
    memory_md_bytes: int
    in_memory_folder: int


def survey(layout: Layout, count_tokens: Callable[[str], int]) -> Survey:
    """Count the owner's files; what remem derives, and what belongs to others, is not his."""
    curated = [layout.root / name for name in _CURATED if (layout.root / name).is_file()]
    inside = list(_markdown_below(layout.memory))
    memory_md = layout.root / _CURATED[0]
    return Survey(
        files=len(curated) + len(inside),
        tokens=sum(_tokens(path, count_tokens) for path in [*curated, *inside]),
        memory_md_bytes=memory_md.stat().st_size if memory_md.is_file() else 0,
        in_memory_folder=len(inside),
    )


def _markdown_below(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder, followlinks=False):
        if Path(place) == folder:
            folders[:] = [each for each in folders if each not in _OURS]
        folders.sort()
        for name in sorted(names):
            path = Path(place) / name
            if name.endswith(".md") and name != "INDEX.md" and not path.is_symlink():
                yield path


def _tokens(path: Path, count_tokens: Callable[[str], int]) -> int:
    """A file that cannot be read costs nothing here; the refresh names it."""
    try:
        data = files.read(path)
    except FileError:
        return 0
    return count_tokens(data.decode(errors="replace")) if data else 0
