"""How much may be missing after entries were rebuilt from domain files: the ids that something
else still names, and what cannot be known."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Final

from remem.core.entry import Entry
from remem.core.ids import ENTRY_ID
from remem.errors import RememError
from remem.notes import files

_ID: Final = re.compile(ENTRY_ID.pattern.encode())
_PIECE: Final = 1 << 20
_LENGTH: Final = 12
_SHOWN: Final = 8


def may_be_missing(
    restored: Iterable[Entry], gone: Collection[str], old: Iterable[Path]
) -> Iterator[str]:
    """Sentences for the owner. `old` are files that may still name entries: the damaged database
    and its log, copies of domain files; `gone` are ids that were erased or are reported already."""
    entries = list(restored)
    known = {entry.id for entry in entries}
    linked = {id_ for entry in entries for id_ in entry.related_to}
    missing = sorted((linked | named_in(old)) - known - set(gone))
    if missing:
        some = ", ".join(missing[:_SHOWN]) + (" …" if len(missing) > _SHOWN else "")
        count = "1 entry" if len(missing) == 1 else f"{len(missing)} entries"
        yield (
            f"{count} may be missing, named by links, copies of files or the old database, but in "
            f"no domain file: {some}"
        )
    else:
        yield "no other entry is named by a link, a copy of a file or the old database"
    yield (
        "how many archived and superseded entries are missing cannot be known: they stand in no "
        "file, and neither does the history; a backup may have them"
    )


def named_in(paths: Iterable[Path]) -> set[str]:
    """The ids in the bytes of these files, whatever else is wrong with them."""
    found: set[str] = set()
    for path in paths:
        try:
            with files.streamed(path) as data:
                rest = b""
                while piece := data.read(_PIECE):
                    rest += piece
                    found.update(match.decode() for match in _ID.findall(rest))
                    rest = rest[-_LENGTH:]
        except (OSError, RememError):  # a folder, or gone: it names nothing
            continue
    return found
