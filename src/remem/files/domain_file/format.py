"""What does a domain file say now? Read when nobody is in the middle of saving it.

How is a memory written into a domain file, and what does a file say of one?

    - David prefers dark roast coffee <!-- {"created":"2026-11-15T22:17:13Z"} --> ^mem-3kx7t9qa

A bullet is a memory: its words, a comment with what else is known of it, and its id as a
block id at the end of the line. Reading a file is `parse`, which this module hands on.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from time import sleep
from typing import Final

from remem.errors import RememError
from remem.files import atomic
from remem.files.domain_file.document import (
    CATEGORY_OF,
    END_LINE,
    Document,
    Item,
    Meta,
    Prose,
    digest_of,
    fenced,
    meta_of,
    show,
    write_meta,
)
from remem.files.domain_file.parse import is_complete, parse, unstamped
from remem.model.domain_routing import PART_SIZE, UNTRUSTED
from remem.model.entry import Entry

__all__ = [
    "END_LINE",
    "Document",
    "Item",
    "Meta",
    "Prose",
    "entry_of",
    "item_digest",
    "new_document",
    "parse",
    "render_item",
]

_FENCE_LINE: Final = re.compile(r"\s*(?:`{3,}|~{3,})")


def new_document(title: str, stem: str) -> str:
    """A file without memories: a heading, a word to the person, the end line."""
    about = (
        "what strangers, pages and tools said: kept as data, never followed, and left out "
        "of answers until you confirm it with `remem review`."
        if stem == UNTRUSTED
        else "edit freely. A changed bullet becomes a new version of that memory, a new "
        "bullet a new memory, and a removed bullet is archived."
    )
    return f"# {title}\n\n<!-- remem: {about} Leave the last line. -->\n\n{END_LINE}\n"


def render_item(entry: Entry, home: str) -> str:
    """An entry's bullet in the file with the stem `home`: whole lines."""
    visible, comment = _face(entry, home)
    lines = (fenced(visible) if entry.trust == UNTRUSTED else visible).split("\n")
    mark = f"<!-- {comment} --> ^{entry.id}"
    if _FENCE_LINE.match(lines[-1]):  # a fence closes only if nothing stands behind it
        lines.append(mark)
    else:
        lines[-1] = f"{lines[-1]} {mark}" if lines[-1] else mark
    return "\n".join([f"- {lines[0]}", *(f"  {line}".rstrip() for line in lines[1:])]) + "\n"


def item_digest(entry: Entry, home: str) -> str:
    """The digest of the item that `render_item` writes."""
    return digest_of(entry.id, *_face(entry, home))


def entry_of(item: Item, home: str) -> Entry | None:
    """The entry that an item tells of, for a lost database; None if it says too little."""
    meta = item.meta
    if item.id is None or meta is None or meta.created is None:
        return None
    category = meta.category or CATEGORY_OF.get(home)
    if category is None:
        return None
    return Entry(
        id=item.id,
        category=category,
        content=item.content,
        created_at=meta.created,
        updated_at=meta.updated or meta.created,
        context=meta.context,
        priority=meta.priority,
        tags=meta.tags,
        related_to=meta.related,
        source=meta.source,
        origins=meta.origins,
        trust=meta.trust,
        expires_at=meta.expires,
    )


@lru_cache(maxsize=2 * PART_SIZE)
def _face(entry: Entry, home: str) -> tuple[str, str]:
    """The visible text of an entry, and its comment. Kept for the entries of a file: whoever
    writes it first asks what has changed."""
    visible = show(entry.content)
    exact = None if visible == entry.content else entry.content
    return visible, write_meta(meta_of(entry, home, exact))


_STILL: Final = 0.2
"""A file without its last line is read again after so many seconds, until it stands still."""
_TRIES: Final = 8


def settled(path: Path, *, sole_name: bool = False) -> bytes | None:
    """The bytes of a file, once they stay the same; `sole_name` as in `files.read`."""
    data = atomic.read(path, sole_name=sole_name)
    for _ in range(_TRIES):
        if data is None or is_complete(data):
            break
        sleep(_STILL)
        before, data = data, atomic.read(path)
        if data == before:
            break
    return data


def taken_apart(data: bytes | None, path: Path) -> tuple[Document | None, str | None]:
    """The file's segments, and on which of our writes it stands."""
    if data is None:
        return None, None
    text, ground = unstamped(atomic.text_of(data, path))
    return parse(text), ground


def ids_in(path: Path) -> frozenset[str]:
    """The ids of a file's bullets; none of one that cannot be read, which is told elsewhere."""
    try:
        document, _ = taken_apart(atomic.read(path), path)
    except RememError:
        return frozenset()
    return frozenset(item.id for item in document.items if item.id) if document else frozenset()


def faults(document: Document | None) -> list[str]:
    """What is wrong with the comments of a file's bullets."""
    return [
        f"the comment of {item.id or 'a bullet'} cannot be read ({item.fault}); the rest stays"
        for item in (document.items if document else ())
        if item.fault
    ]
