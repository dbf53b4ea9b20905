"""Which files are migrated? MEMORY.md, USER.md and the notes; read, never touched."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from remem.core.moments import stamp
from remem.core.page import DERIVED, without_ours
from remem.core.scope import MAIN
from remem.errors import RememError
from remem.notes import files
from remem.notes.layout import Layout
from remem.notes.memory_files import CURATED, MemoryFile, memory_files

_NOTES: Final = "memory/"
_GATE: Final = "memory/main/index.md"


@dataclass(frozen=True, slots=True)
class Source:
    """A memory file that was read; `saved` is when it was last written.

    `curated` files count line by line. `owned` are the two that the owner himself vouches
    for; what stands elsewhere is the agent's word.
    """

    path: str
    text: str
    saved: str
    curated: bool
    owned: bool


def listed(layout: Layout, trouble: list[str]) -> list[MemoryFile]:
    """The files in their order: what is curated comes first, so that notes repeat it rather
    than the other way round. Facts have a record of their own."""
    chosen = []
    for each in memory_files(layout, MAIN):
        if not _belongs(each):
            continue
        if each.refused:
            trouble.append(f"{each.path} was left out: {each.refused}")
        else:
            chosen.append(each)
    return sorted(chosen, key=lambda each: (each.path not in CURATED, each.kind != "curated"))


def sources(chosen: Sequence[MemoryFile], trouble: list[str]) -> Iterator[Source]:
    """One file after another; one that cannot be read is named and holds up nobody."""
    for each in chosen:
        try:
            data = files.read(each.absolute)
        except RememError as error:
            trouble.append(str(error))
            continue
        if data is None or each.status is None:
            trouble.append(f"{each.path} vanished before it was read")
            continue
        text = data.decode(errors="replace").replace("\0", "\ufffd")
        if "\ufffd" in text:
            trouble.append(f"{each.path} has bytes that are no text; they stand as \ufffd")
        if each.path in DERIVED:
            text = without_ours(text)
        saved = stamp(datetime.fromtimestamp(int(each.status.st_mtime), UTC))
        yield Source(each.path, text, saved, each.kind == "curated", each.path in CURATED)


def _belongs(file: MemoryFile) -> bool:
    if file.kind not in ("curated", "note", "folder"):
        return False
    return file.path in CURATED or (file.path.startswith(_NOTES) and file.path != _GATE)
