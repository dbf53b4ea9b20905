"""What does a domain file say now? Read when nobody is in the middle of saving it."""

from __future__ import annotations

from pathlib import Path
from time import sleep
from typing import Final

from remem.errors import RememError
from remem.notes import files
from remem.notes.domain_format import Document, parse
from remem.notes.domain_stamp import is_complete, unstamped

_STILL: Final = 0.2
"""A file without its last line is read again after so many seconds, until it stands still."""
_TRIES: Final = 8


def settled(path: Path, *, sole_name: bool = False) -> bytes | None:
    """The bytes of a file, once they stay the same; `sole_name` as in `files.read`."""
    data = files.read(path, sole_name=sole_name)
    for _ in range(_TRIES):
        if data is None or is_complete(data):
            break
        sleep(_STILL)
        before, data = data, files.read(path)
        if data == before:
            break
    return data


def taken_apart(data: bytes | None, path: Path) -> tuple[Document | None, str | None]:
    """The file's segments, and on which of our writes it stands."""
    if data is None:
        return None, None
    text, ground = unstamped(files.text_of(data, path))
    return parse(text), ground


def ids_in(path: Path) -> frozenset[str]:
    """The ids of a file's bullets; none of one that cannot be read, which is told elsewhere."""
    try:
        document, _ = taken_apart(files.read(path), path)
    except RememError:
        return frozenset()
    return frozenset(each.id for each in document.items if each.id) if document else frozenset()


def faults(document: Document | None) -> list[str]:
    """What is wrong with the comments of a file's bullets."""
    return [
        f"the comment of {item.id or 'a bullet'} cannot be read ({item.fault}); the rest stays"
        for item in (document.items if document else ())
        if item.fault
    ]
