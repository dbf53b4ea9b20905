"""How is a memory erased for good? Rows first, with a tombstone; then every file that remem has
made of it; then the bytes that deleting leaves behind. The owner's own files are named, never
touched."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from remem.core.likeness import wording
from remem.core.scope import Scope
from remem.core.words import fold
from remem.errors import RememError, UnknownEntry, shown
from remem.notes import files
from remem.notes.domain_file import taken_apart
from remem.notes.domain_format import Document, Item
from remem.notes.layout import INDEX_FILE, Layout
from remem.notes.memory_files import memory_files
from remem.ports import Located, Store, Tombstone, Transaction

_SHORTEST: Final = 12
"""Words so short stand in many files by chance."""
_ENOUGH: Final = 40
"""So many characters of an entry tell a line of the index that it stands in."""


@dataclass(frozen=True, slots=True)
class Erased:
    """`also_in` names files of a person, and kept databases, in which the words still stand."""

    id: str
    erased: bool
    also_in: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Erasing:
    """Where the traces of an entry lie, and who writes its files."""

    store: Store
    layout: Layout
    scope: Scope
    write_files: Callable[[], None]


def erase(where: Erasing, id_: str, now: str) -> Erased:
    """Erase one entry; repeating it finishes what was cut short."""
    store, layout, scope = where.store, where.layout, where.scope
    with store.read() as snapshot:
        known = snapshot.by_ids([id_]).get(id_)
        if known is None and snapshot.erased(id_, None) is None:
            raise UnknownEntry(f"no entry has the id {shown(id_)}", hint="`remem recall` shows ids")
        words = tuple(each.entry.content for each in snapshot.history(id_))
    if known is not None:
        store.write(lambda tx: _erase(tx, id_, now))
    where.write_files()
    with store.read() as snapshot:
        gone = snapshot.tombstones()
    clean_leftovers(layout, scope, gone, words)
    store.scrub()
    return Erased(id_, known is not None, tuple(_also_in(layout, scope, words)))


def _erase(tx: Transaction, id_: str, now: str) -> None:
    old = tx.by_ids([id_]).get(id_)
    if old is None:
        return
    tx.erase(old, now)
    for row, entry in tx.locate(tx.linking_to(id_)).items():
        links = tuple(each for each in entry.related_to if each != id_)
        tx.touch(Located(row, entry), replace(entry, related_to=links))


def remaining(store: Store, data: bytes | None, path: Path) -> tuple[Document | None, str | None]:
    """What a file says, less what was erased: an old copy of it must not bring that back."""
    document, ground = taken_apart(data, path)
    if document is None:
        return None, ground
    with store.read() as snapshot:
        gone = snapshot.tombstones()
    return _less(document, gone), ground


def _less(document: Document, gone: list[Tombstone]) -> Document:
    ids, wordings = {each.id for each in gone}, {each.wording for each in gone}
    if not ids:
        return document
    return Document(
        tuple(
            each
            for each in document.segments
            if not isinstance(each, Item)
            or not (each.id in ids or wording(each.content) in wordings)
        )
    )


def clean_leftovers(
    layout: Layout, scope: Scope, gone: list[Tombstone], words: tuple[str, ...]
) -> None:
    """Copies of files that remem keeps for a while lose the erased bullets, and nothing else."""
    for folder in (layout.aside(scope), layout.conflicts(scope)):
        for path in sorted(folder.glob("*")):
            data = files.read(path)
            if data is None:
                continue
            if path.name.startswith(INDEX_FILE) and files.digest(data) in path.name:
                files.remove(path)  # an index that remem wrote, and nobody has touched
                continue
            text = _cleaned(path, data, gone, words)
            if text != data:
                _put(path, data, text)


def _cleaned(path: Path, data: bytes, gone: list[Tombstone], words: tuple[str, ...]) -> bytes:
    ids = {each.id for each in gone}
    if path.name.startswith(INDEX_FILE):
        lines = data.decode(errors="surrogateescape").splitlines(keepends=True)
        kept = [each for each in lines if not _tells(each, ids, words)]
        return "".join(kept).encode(errors="surrogateescape")
    try:
        document, _ = taken_apart(data, path)
    except RememError:  # not text: not a copy of a domain file
        return data
    if document is None:
        return data
    text = _less(document, gone).text()
    return data if text == document.text() else text.encode()


def _tells(line: str, ids: set[str], words: tuple[str, ...]) -> bool:
    """Whether a line of an index names the entry, or says what it said."""
    if any(id_ in line for id_ in ids):
        return True
    return any(fold(each)[:_ENOUGH] in fold(line) for each in words)


def _put(path: Path, old: bytes, text: bytes) -> None:
    """A copy whose name holds the digest of its bytes gets the new one."""
    name = path.name.replace(files.digest(old), files.digest(text))
    target = path.with_name(name) if name != path.name else files.unused(path.parent, path.name)
    files.create(target, text)
    files.remove(path)


def _also_in(layout: Layout, scope: Scope, words: tuple[str, ...]) -> Iterator[str]:
    for kept in sorted(layout.state_folder(scope).glob("damaged*")):
        yield kept.relative_to(layout.root).as_posix()
    said = [fold(each) for each in words if len(each) >= _SHORTEST]
    for each in memory_files(layout, scope) if said else ():
        try:
            data = files.read(each.absolute)
        except RememError:  # what cannot be read is told by the refresh
            continue
        text = fold((data or b"").decode(errors="replace"))
        if any(one in text for one in said):
            yield each.path
