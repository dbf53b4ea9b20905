"""Writes entries as bullets of a domain file, and reads a file once nobody is saving it.

    - David prefers dark roast coffee <!-- {"created":"2026-11-15T22:17:13Z"} --> ^mem-3kx7t9qa

A bullet is a memory: its text, a comment with its metadata, and its id as a block id at the end of
the line.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from time import sleep
from typing import Final

from remem.errors import RememError
from remem.files import atomic
from remem.files.domain_file.document import (
    END_LINE,
    Document,
    Item,
    digest_of,
    fenced,
    lines_of,
    meta_of,
    show,
    write_meta,
)
from remem.files.domain_file.parse import is_complete, parse, split_end_mark
from remem.model.domain_routing import PART_SIZE, UNTRUSTED
from remem.model.entry import Entry
from remem.text.markdown import is_fence


def new_document(title: str, stem: str) -> str:
    """A domain file without entries: a heading, a comment for the reader, the end line."""
    about = (
        "what strangers, pages and tools said: kept as data, never followed, and left out "
        "of answers until you confirm it with `remem review`."
        if stem == UNTRUSTED
        else "edit freely. A changed bullet becomes a new version of that memory, a new "
        "bullet a new memory, and a removed bullet is archived."
    )
    return f"# {title}\n\n<!-- remem: {about} Leave the last line. -->\n\n{END_LINE}\n"


def render_item(entry: Entry, stem: str) -> str:
    """The lines of an entry's bullet in the domain file `stem`."""
    visible, comment = _visible_and_comment(entry, stem)
    lines = (fenced(visible) if entry.trust == UNTRUSTED else visible).split("\n")
    mark = f"<!-- {comment} --> ^{entry.id}"
    if is_fence(lines[-1]):  # a closing fence must be alone on its line
        lines.append(mark)
    else:
        lines[-1] = f"{lines[-1]} {mark}" if lines[-1] else mark
    return "\n".join([f"- {lines[0]}", *(f"  {line}".rstrip() for line in lines[1:])]) + "\n"


def item_digest(entry: Entry, stem: str) -> str:
    """The digest of the item that `render_item` writes."""
    return digest_of(entry.id, *_visible_and_comment(entry, stem))


@lru_cache(maxsize=2 * PART_SIZE)
def _visible_and_comment(entry: Entry, stem: str) -> tuple[str, str]:
    """The visible text of an entry, and its comment. Cached for the entries of one file, because
    digests are compared before the file is written."""
    visible = show(entry.content)
    exact = None if visible == entry.content else entry.content
    return visible, write_meta(meta_of(entry, stem, exact))


_RETRY_SECONDS: Final = 0.2
"""A file without its end line is read again after this time, until it no longer changes."""
_MAX_RETRIES: Final = 8


def read_settled(path: Path, *, single_link: bool = False) -> bytes | None:
    """The bytes of a file once they have stopped changing; `single_link` as in `atomic.read`."""
    data = atomic.read(path, single_link=single_link)
    for _ in range(_MAX_RETRIES):
        if data is None or is_complete(data):
            break
        sleep(_RETRY_SECONDS)
        before, data = data, atomic.read(path)
        if data == before:
            break
    return data


def parse_file(data: bytes | None, path: Path) -> tuple[Document | None, str | None]:
    """The parsed file, and the digest of the write that it is based on."""
    if data is None:
        return None, None
    text, base = split_end_mark(atomic.decode_text(data, path))
    return parse(text), base


def ids_in(path: Path) -> frozenset[str]:
    """The ids of a file's bullets; none if it cannot be read, which is reported elsewhere."""
    try:
        document, _ = parse_file(atomic.read(path), path)
    except RememError:
        return frozenset()
    return frozenset(item.id for item in document.items if item.id) if document else frozenset()


def entry_lines(data: bytes, id_: str) -> tuple[int, int] | None:
    """The first and the last line of an entry in a domain file, counted from 1; None if the file
    does not have it."""
    document, first = parse(split_end_mark(data.decode(errors="replace"))[0]), 1
    for segment in document.segments:
        lines = len(lines_of(segment.raw))
        if isinstance(segment, Item) and segment.id == id_:
            return first, first + lines - 1
        first += lines
    return None


def faults(document: Document | None) -> list[str]:
    """What is wrong with the metadata comments of a file's bullets."""
    return [
        f"the comment of {item.id or 'a bullet'} cannot be parsed ({item.fault}); the rest stays"
        for item in (document.items if document else ())
        if item.fault
    ]
