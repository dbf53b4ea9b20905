"""Remove erased text, and nothing else, from copies of files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from remem.errors import RememError
from remem.files import atomic
from remem.files.domain_file.compose import without_segments
from remem.files.domain_file.details import Detail
from remem.files.domain_file.document import DomainDocument, DomainItem
from remem.files.domain_file.format import parse_file
from remem.files.layout import INDEX_FILE, Layout
from remem.model.entry import is_entry_id
from remem.model.scope import Scope
from remem.ports.entries import Snapshot, Store
from remem.ports.records import Tombstone
from remem.text.similarity import folded_hash
from remem.text.words import fold

if TYPE_CHECKING:
    from remem.model.erased_text import ErasedText

_PREFIX_LENGTH: Final = 40
"""This many characters of an entry identify its line in the index."""
_JOURNALS: Final = ("audit", "graduate")  # commands with a journal of their changes to MEMORY.md


def read_without_erased(
    store: Store, data: bytes | None, path: Path
) -> tuple[DomainDocument | None, str | None]:
    """Parse a file without its erased items, so that an old copy cannot bring them back.

    Also return the digest of the version that a person may have edited, if the file names it. An
    item with the same words that belongs to another entry is kept.
    """
    with store.read() as snapshot:
        return parse_without_erased(snapshot, data, path)


def parse_without_erased(
    snapshot: Snapshot, data: bytes | None, path: Path
) -> tuple[DomainDocument | None, str | None]:
    """Parse a file like `read_without_erased`, with a snapshot that is already open."""
    document, base = parse_file(data, path)
    tombstones = snapshot.tombstones() if document is not None else []
    if document is None or not tombstones:
        return document, base
    wordings = {tombstone.wording_hash for tombstone in tombstones}
    ids = [item.id for item in document.items if item.id and _wording_hash(item) in wordings]
    return _without(document, tombstones, frozenset(snapshot.find(ids))), base


def clean_entry_copies(
    layout: Layout, scope: Scope, tombstones: list[Tombstone], texts: tuple[str, ...]
) -> None:
    """Remove erased bullets from copies of domain files and of the index."""
    for path, data in _copies(layout, scope):
        if path.name.startswith(INDEX_FILE) and atomic.digest(data) in path.name:
            atomic.remove(path)  # an index that remem wrote and nobody changed
        else:
            _replace(path, data, _cleaned(path, data, tombstones, texts))


def clean_other_copies(layout: Layout, scope: Scope, erased_text: ErasedText, at: str = "") -> None:
    """Remove erased text from copies of all other files, and from the journals of MEMORY.md.

    `at` is the time when a fact was erased, for the tombstones in copies of its file.
    """
    from remem.files.edit_journal import EditJournal  # only erasing needs this module

    for path, data in _copies(layout, scope):
        if ".json" in path.name:
            _replace(path, data, _without_fact(data, erased_text, at))
        elif not _holds_entries(layout, scope, path.name):
            _replace(path, data, erased_text.remove_lines_from(data))
    for command in _JOURNALS:
        EditJournal(layout, scope, command).forget(erased_text.remove_lines_from)


def _copies(layout: Layout, scope: Scope) -> Iterator[tuple[Path, bytes]]:
    """Yield the copies of replaced files, and of saves that collided with a write."""
    for folder in (layout.aside(scope), layout.conflicts(scope)):
        for path in sorted(folder.glob("*")):
            data = atomic.read(path)
            if data is not None:
                yield path, data


def _holds_entries(layout: Layout, scope: Scope, name: str) -> bool:
    """Return whether a file is a copy of the index or of a domain file."""
    stem, _, _ = name.lstrip(".").partition(".md")
    return name.startswith(INDEX_FILE) or (layout.domains(scope) / f"{stem}.md").exists()


def _without_fact(data: bytes, erased_text: ErasedText, at: str) -> bytes:
    """Return the content of a file of facts, with tombstones for the erased ones.

    A file that cannot be read is left as it is, and reported later.
    """
    from remem.model.fact import fact_of, tombstone_value  # only erasing needs these modules
    from remem.model.fact_json import MalformedFacts, values_in, with_tombstone

    try:
        text = data.decode()
        values = [value for _, _, value in values_in(text)]
    except (UnicodeDecodeError, MalformedFacts):
        return data
    for number, value in enumerate(values):
        fact = fact_of(value, entity="", path="", lines=(0, 0), number=number)
        if fact is not None and folded_hash(fact.fact) in erased_text.hashes:
            text = with_tombstone(text, number, tombstone_value(value, at, erased_text.hashes))
    return text.encode()


def _cleaned(path: Path, data: bytes, tombstones: list[Tombstone], texts: tuple[str, ...]) -> bytes:
    """Return the content of a copy of the index or of a domain file, without erased entries."""
    if path.name.startswith(INDEX_FILE):
        ids = {tombstone.id for tombstone in tombstones if is_entry_id(tombstone.id)}
        lines = data.decode(errors="surrogateescape").splitlines(keepends=True)
        other_lines = [line for line in lines if not _is_about(line, ids, texts)]
        return "".join(other_lines).encode(errors="surrogateescape")
    try:
        document, _ = parse_file(data, path)
    except RememError:  # not text: not a copy of a domain file
        return data
    if document is None:
        return data
    text = _without(document, tombstones).text()
    return data if text == document.text() else text.encode()


def _without(
    document: DomainDocument, tombstones: list[Tombstone], others: frozenset[str] = frozenset()
) -> DomainDocument:
    """Return a document without erased items; `others` are entries that have the same words."""
    ids = {tombstone.id for tombstone in tombstones}
    wordings = {tombstone.wording_hash for tombstone in tombstones}

    def is_erased(segment: DomainItem | Detail) -> bool:
        if segment.id in ids:
            return True
        return _wording_hash(segment) in wordings and segment.id not in others

    # Details of an item that is erased because of its words are erased by its id.
    ids |= {item.id for item in document.items if item.id and is_erased(item)}
    return without_segments(document, is_erased)


def _wording_hash(segment: DomainItem | Detail) -> int | None:
    """Return the hash of an entry's text, which is in the details if the bullet differs from it."""
    text = (
        segment.content if isinstance(segment, DomainItem) else segment.meta and segment.meta.exact
    )
    return folded_hash(text) if text else None


def _is_about(line: str, ids: set[str], texts: tuple[str, ...]) -> bool:
    """Return whether a line of an index has the id or the text of an erased entry."""
    if any(id_ in line for id_ in ids):
        return True
    return any(fold(text)[:_PREFIX_LENGTH] in fold(line) for text in texts)


def _replace(path: Path, old: bytes, new: bytes) -> None:
    """Replace a copy if it changes.

    If its name contains the digest of its bytes, the name gets the new digest.
    """
    if new == old:
        return
    name = path.name.replace(atomic.digest(old), atomic.digest(new))
    target = (
        path.with_name(name) if name != path.name else atomic.unused_path(path.parent, path.name)
    )
    atomic.create(target, new)
    atomic.remove(path)
