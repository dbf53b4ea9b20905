"""What has a killed write left beside a page? It goes, unless somebody's words stand only there."""

from __future__ import annotations

from pathlib import Path

from remem.core.page import without_ours
from remem.core.scope import MAIN
from remem.notes import files
from remem.notes.layout import Layout


def tidy(layout: Layout, path: Path, troubles: list[str]) -> None:
    """To be called where nobody else makes pages."""
    if not path.parent.is_dir():
        return
    for stray in files.strays(path.parent):
        if not stray.name.startswith(f".{path.name}."):
            continue
        data = files.read(stray) or b""
        if _own_lines(data) <= _own_lines(files.read(path) or b""):
            files.settle(stray, files.digest(data))
            continue
        copy = files.unused(layout.conflicts(MAIN), path.name)
        files.set_aside(stray, copy)
        kept = copy.relative_to(layout.root).as_posix()
        troubles.append(f"a write of {path.name} was cut short; the bytes are kept in {kept}")


def _own_lines(data: bytes) -> frozenset[str]:
    """What a person wrote in a page."""
    lines = without_ours(data.decode(errors="replace")).split("\n")
    return frozenset(line.strip() for line in lines if line.strip())
