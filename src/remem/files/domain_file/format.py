"""Write entries as bullets of a domain file, and answer questions about single files.

    - David prefers dark roast coffee ^mem-3kx7t9qa

A bullet consists of the text of an entry and, at the end of the line, of its id as a block id.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from time import sleep
from typing import Final

from remem.errors import RememError
from remem.files import atomic
from remem.files.domain_file.details import Form, is_complete
from remem.files.domain_file.document import (
    DomainDocument,
    DomainItem,
    DomainProse,
    digest_of,
    in_code_block,
    lines_of,
    show,
)
from remem.files.domain_file.metadata import Meta, meta_of, write_meta
from remem.files.domain_file.parse import parse
from remem.model.domain_routing import PART_SIZE, UNTRUSTED
from remem.model.entry import Entry
from remem.text.markdown import is_fence

_RETRY_SECONDS: Final = 0.2
"""The time after which a file without its end line is read again."""
_MAX_RETRIES: Final = 8


def new_document(title: str, stem: str, language: str = "") -> str:
    """Return a domain file without entries: a heading and, if untrusted, an introduction."""
    introduction = f"{untrusted_introduction(language)}\n\n" if stem == UNTRUSTED else ""
    return f"# {title}\n\n{introduction}"


def untrusted_introduction(language: str = "") -> str:
    """Return what the file of untrusted entries says about them."""
    from remem.text.labels import label  # few files need it

    return label("untrusted_introduction", language, "texts")


def render_item(entry: Entry, stem: str, form: Form = "new") -> str:
    """Return the lines of an entry's bullet in the domain file `stem`."""
    visible, metadata = _visible_and_metadata(entry, stem)
    lines = (in_code_block(visible) if entry.trust == UNTRUSTED else visible).split("\n")
    ending = f"^{entry.id}" if form == "new" else f"<!-- {metadata} --> ^{entry.id}"
    if is_fence(lines[-1]):  # a closing fence must be alone on its line
        lines.append(ending)
    elif len(lines) > 1 and lines[-1].lstrip().startswith("|"):  # it would become a cell of a table
        lines += ["", ending]
    else:
        lines[-1] = f"{lines[-1]} {ending}" if lines[-1] else ending
    return "\n".join([f"- {lines[0]}", *(f"  {line}".rstrip() for line in lines[1:])]) + "\n"


def details_of(entry: Entry, stem: str) -> Meta:
    """Return the metadata of an entry for the end of the domain file `stem`."""
    visible, _ = _visible_and_metadata(entry, stem)
    return meta_of(entry, stem, None if visible == entry.content else entry.content)


def item_digest(entry: Entry, stem: str) -> str:
    """Return the digest of the item that an entry becomes in the domain file `stem`."""
    return digest_of(entry.id, *_visible_and_metadata(entry, stem))


@lru_cache(maxsize=2 * PART_SIZE)
def _visible_and_metadata(entry: Entry, stem: str) -> tuple[str, str]:
    """Return the visible text of an entry, and its metadata as JSON.

    The cache is large enough for one file: the digests of its entries are compared before it is
    written.
    """
    visible = show(entry.content)
    exact = None if visible == entry.content else entry.content
    return visible, write_meta(meta_of(entry, stem, exact))


def read_settled(path: Path, *, single_link: bool = False) -> bytes | None:
    """Return the bytes of a file; if it has no end line, wait until they no longer change.

    `single_link` as in `atomic.read`.
    """
    data = atomic.read(path, single_link=single_link)
    for _ in range(_MAX_RETRIES):
        if data is None or is_complete(data):
            break
        sleep(_RETRY_SECONDS)
        before, data = data, atomic.read(path)
        if data == before:
            break
    return data


def parse_file(data: bytes | None, path: Path) -> tuple[DomainDocument | None, str | None]:
    """Return the parsed content of a file, and the digest of the write that it is based on."""
    if data is None:
        return None, None
    document = parse(atomic.decode_text(data, path))
    return document, document.base


def ids_in(path: Path) -> frozenset[str]:
    """Return the ids of the bullets in a file; none if it cannot be read."""
    return frozenset(item.id for item in _document_or_empty(path).items if item.id)


def metadata_in(path: Path) -> dict[str, Meta]:
    """Return the metadata at the end of a file, by id; none if it cannot be read."""
    return metadata_of(_document_or_empty(path))


def metadata_of(document: DomainDocument) -> dict[str, Meta]:
    """Return the metadata at the end of a file, by id, for bullets that a person has moved away.

    They are without the category, because the bullets take that of the file to which they were
    moved.
    """
    return {
        detail.id: replace(detail.meta, category=None)
        for detail in document.details
        if detail.id and detail.meta
    }


def with_metadata(item: DomainItem, leftover_metadata: Mapping[str, Meta]) -> DomainItem:
    """Return an item that was moved from another file, with its metadata there.

    An item that has metadata in its own file is returned as it is.
    """
    meta = leftover_metadata.get(item.id or "") if item.meta is None else None
    if meta is None:
        return item
    exact = meta.exact if meta.exact and show(meta.exact) == item.content else item.content
    return replace(item, meta=meta, content=exact)


def _document_or_empty(path: Path) -> DomainDocument:
    """Return the parsed file, or an empty document if it is missing or unreadable."""
    try:
        document, _ = parse_file(atomic.read(path), path)
    except RememError:
        document = None
    return document or DomainDocument(())


def entry_lines(data: bytes, id_: str) -> tuple[int, int] | None:
    """Return the numbers of the first and last line of an entry in a domain file.

    They are counted from 1. It is None if the file does not have the entry.
    """
    document, first = parse(data.decode(errors="replace")), 1
    for segment in document.segments:
        lines = len(lines_of(segment.raw))
        if isinstance(segment, DomainItem) and segment.id == id_:
            return first, first + lines - 1
        first += lines
    return None


def repeats_only(text: str, others: Iterable[str]) -> bool:
    """Return whether a file has no bullets, and only prose whose lines other files have as well."""
    document = parse(text)
    known = {line.strip() for other in others for line in lines_of(other)}
    prose = "".join(part.raw for part in document.segments if isinstance(part, DomainProse))
    own = (line.strip("\ufeff \t\r\n") for line in lines_of(prose))
    return not document.items and all(line in known for line in own if line)


def faults(document: DomainDocument | None) -> list[str]:
    """Return a sentence for each bullet of a file whose metadata are malformed."""
    return [
        f"{item.fault}; the stored metadata are left unchanged"
        for item in (document.items if document else ())
        if item.fault
    ]
