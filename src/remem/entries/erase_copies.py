"""How do the copies of files that remem keeps lose what was erased, and nothing else?"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from remem.errors import RememError
from remem.files import atomic
from remem.files.domain_file.document import Document, Item
from remem.files.domain_file.format import taken_apart
from remem.files.edit_journal import Journal
from remem.files.layout import INDEX_FILE, Layout
from remem.model.entry import is_entry_id
from remem.model.erased_text import Retelling
from remem.model.fact import fact_of, tombstone
from remem.model.fact_json import NoFacts, values_in, with_tombstone
from remem.model.scope import Scope
from remem.ports.entries import Store
from remem.ports.records import Tombstone
from remem.text.similarity import folded_number
from remem.text.words import fold

_ENOUGH: Final = 40
"""So many characters of an entry tell a line of the index that it stands in."""
_JOURNALS: Final = ("audit", "graduate")


def remaining(store: Store, data: bytes | None, path: Path) -> tuple[Document | None, str | None]:
    """What a file says, less what was erased: an old copy of it must not bring that back. What
    another memory says in the same words is that one's."""
    document, ground = taken_apart(data, path)
    if document is None:
        return None, ground
    with store.read() as snapshot:
        gone = snapshot.tombstones()
        if not gone:
            return document, ground
        wordings = {each.wording for each in gone}
        alike = [item.id for item in _items(document) if item.id and _said(item) in wordings]
        others = frozenset(snapshot.by_ids(alike))
    return _less(document, gone, others), ground


def clean_leftovers(
    layout: Layout, scope: Scope, gone: list[Tombstone], words: tuple[str, ...]
) -> None:
    """Copies of files that hold entries lose the erased bullets."""
    for folder in (layout.aside(scope), layout.conflicts(scope)):
        for path in sorted(folder.glob("*")):
            data = atomic.read(path)
            if data is None:
                continue
            if path.name.startswith(INDEX_FILE) and atomic.digest(data) in path.name:
                atomic.remove(path)  # an index that remem wrote, and nobody has touched
                continue
            text = _cleaned(path, data, gone, words)
            if text != data:
                _put(path, data, text)


def clean_copies(layout: Layout, scope: Scope, told: Retelling, at: str = "") -> None:
    """Copies of all other files, and what undoing a change of MEMORY.md has kept. `at` is when
    a fact was erased: its tombstone stands in the copies of its file, too."""
    for folder in (layout.aside(scope), layout.conflicts(scope)):
        for path in sorted(folder.glob("*")):
            data = None if _holds_entries(layout, scope, path.name) else atomic.read(path)
            if data is None:
                continue
            text = _without_fact(data, told, at) if ".json" in path.name else told.without(data)
            if text != data:
                _put(path, data, text)
    for command in _JOURNALS:
        Journal(layout, scope, command).forget(told.without)


def _holds_entries(layout: Layout, scope: Scope, name: str) -> bool:
    """What the copy of a domain file says in the same words is another memory's."""
    stem, _, _ = name.lstrip(".").partition(".md")
    return name.startswith(INDEX_FILE) or (layout.domains(scope) / f"{stem}.md").exists()


def _without_fact(data: bytes, told: Retelling, at: str) -> bytes:
    """A copy of facts with a tombstone; one that cannot be read stays, and is named later."""
    try:
        text = data.decode()
        values = [value for _, _, value in values_in(text)]
    except (UnicodeDecodeError, NoFacts):
        return data
    for number, value in enumerate(values):
        fact = fact_of(value, entity="", path="", lines=(0, 0), number=number)
        if fact is not None and folded_number(fact.fact) in told.wordings:
            text = with_tombstone(text, number, tombstone(value, at, told.wordings))
    return text.encode()


def _cleaned(path: Path, data: bytes, gone: list[Tombstone], words: tuple[str, ...]) -> bytes:
    if path.name.startswith(INDEX_FILE):
        ids = {each.id for each in gone if is_entry_id(each.id)}
        lines = data.decode(errors="surrogateescape").splitlines(keepends=True)
        kept = [line for line in lines if not _tells(line, ids, words)]
        return "".join(kept).encode(errors="surrogateescape")
    try:
        document, _ = taken_apart(data, path)
    except RememError:  # not text: not a copy of a domain file
        return data
    if document is None:
        return data
    text = _less(document, gone).text()
    return data if text == document.text() else text.encode()


def _less(
    document: Document, gone: list[Tombstone], others: frozenset[str] = frozenset()
) -> Document:
    ids, wordings = {each.id for each in gone}, {each.wording for each in gone}
    if not ids:
        return document
    return Document(
        tuple(
            segment
            for segment in document.segments
            if not isinstance(segment, Item)
            or not (segment.id in ids or (_said(segment) in wordings and segment.id not in others))
        )
    )


def _items(document: Document) -> Iterable[Item]:
    return (segment for segment in document.segments if isinstance(segment, Item))


def _said(item: Item) -> int:
    return folded_number(item.content)


def _tells(line: str, ids: set[str], words: tuple[str, ...]) -> bool:
    """Whether a line of an index names the entry, or says what it said."""
    if any(id_ in line for id_ in ids):
        return True
    return any(fold(word)[:_ENOUGH] in fold(line) for word in words)


def _put(path: Path, old: bytes, text: bytes) -> None:
    """A copy whose name holds the digest of its bytes gets the new one."""
    name = path.name.replace(atomic.digest(old), atomic.digest(text))
    target = path.with_name(name) if name != path.name else atomic.unused(path.parent, path.name)
    atomic.create(target, text)
    atomic.remove(path)
