"""Erase an entry permanently.

First the rows are removed, leaving a tombstone. Then the text is removed from every file that remem
wrote, and finally from the bytes that the database no longer uses. The first step records the
erasure, so that an interrupted one can be finished the next time the scope is opened. The owner's
own files, and databases that were set aside, are reported but never changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Final

from remem.entries import placement
from remem.entries.erase_copies import clean_entry_copies, clean_other_copies
from remem.entries.lifecycle import ERASURES, UnfinishedErasure
from remem.entries.pending_facts import release_fact
from remem.entries.receipt import drop_intent
from remem.entries.spaces.storing import forget_proposals
from remem.entries.verdicts import forget_verdicts_on
from remem.errors import RememError, UnknownEntry, quoted
from remem.files import atomic
from remem.files.fact_history import earlier_texts, is_versioned
from remem.files.layout import Layout
from remem.files.memory_files import memory_files
from remem.model.entry import Entry
from remem.model.erased_text import ErasedText, erased_text_of
from remem.model.scope import Scope
from remem.ports.entries import Snapshot, Store, Transaction
from remem.ports.passages import PassageStore
from remem.ports.records import Where

_DATABASE_SUFFIXES: Final = (".db", ".db-wal", ".db-shm", ".lock")
_BEFORE_RESTORE: Final = ".before-restore"
_DAMAGED: Final = "damaged"
_COMMITS: Final = ".git"


@dataclass(frozen=True, slots=True)
class ErasureReport:
    """The result of an erasure.

    `also_in` lists the owner's files that still contain the text, and databases that were set
    aside. `also_as` lists other entries and facts that say, or once said, the same thing.
    `together` lists entries that were erased with a fact because they had become that fact.
    """

    id: str
    erased: bool
    also_in: tuple[str, ...] = ()
    also_as: tuple[str, ...] = ()
    together: tuple[str, ...] = ()


def remaining_copies(
    layout: Layout, scope: Scope, erased_text: ErasedText, passages: PassageStore
) -> Iterator[str]:
    """Yield the paths in the workspace that still contain the erased text.

    Databases that were set aside are always listed, because they are not opened.
    """
    for path in _databases_set_aside(layout, scope):
        yield layout.relative(path)
    if not erased_text.known_texts:
        return
    own_files = list(memory_files(layout, scope))
    yield from (
        memory_file.path
        for memory_file in own_files
        if _contains(erased_text, memory_file.absolute)
    )
    for path in _state_files(layout, scope):
        if _contains(erased_text, path):
            yield layout.relative(path)
    yield from _other_sources(
        erased_text, passages, {memory_file.path for memory_file in own_files}
    )


def is_unread_copy(path: str) -> bool:
    """Return whether the path is a database that was set aside and may contain the text."""
    return PurePosixPath(path).name.startswith((_DAMAGED, _BEFORE_RESTORE))


def in_commits(layout: Layout, path: str, erased_text: ErasedText) -> Iterator[str]:
    """Yield `.git` if an earlier version of the file in git contains the text."""
    if is_versioned(layout.root) and any(
        map(erased_text.occurs_in, earlier_texts(layout.root, path))
    ):
        yield _COMMITS


def _databases_set_aside(layout: Layout, scope: Scope) -> Iterator[Path]:
    """Yield the databases that were damaged, or replaced when a backup was restored."""
    yield from sorted(layout.state_folder(scope).glob(f"{_DAMAGED}*"))
    if scope.kind == "main":
        yield from sorted(layout.root.glob(f"{_BEFORE_RESTORE}*"))


def _state_files(layout: Layout, scope: Scope) -> Iterator[Path]:
    """Yield the scope's state files other than databases, such as pending flush changes."""
    yield layout.flush_state_of(scope)
    for path in sorted(layout.state_folder(scope).rglob("*")):
        set_aside = any(part.startswith(_DAMAGED) for part in path.parts)
        if not set_aside and path.is_file() and not path.name.endswith(_DATABASE_SUFFIXES):
            yield path


def _other_sources(
    erased_text: ErasedText, passages: PassageStore, own: frozenset[str] | set[str]
) -> Iterator[str]:
    """Yield the transcripts and files of extra paths, as search has read them, with the text."""
    try:
        with passages.read() as reading:
            for path in sorted(reading.files().keys() - own):
                if any(erased_text.occurs_in(passage.text) for _, passage in reading.of_file(path)):
                    yield path
    except RememError:  # a refresh reports files that cannot be read
        return


def _contains(erased_text: ErasedText, path: Path) -> bool:
    try:
        data = atomic.read(path)
    except RememError:  # a refresh reports it
        return False
    return data is not None and erased_text.occurs_in(data.decode(errors="replace"))


def unfinished_erasures(snapshot: Snapshot | Transaction) -> list[UnfinishedErasure]:
    """Return the erasures that were begun and not finished."""
    return list(snapshot.records(ERASURES).values())


def begin_erasure(tx: Transaction, erasure: UnfinishedErasure) -> None:
    """Record an erasure, in the transaction that removes the rows."""
    tx.put_record(ERASURES, erasure.id, erasure)


def forget_texts(tx: Transaction, id_: str) -> None:
    """Drop the texts of an erasure once no copy of a file contains them."""
    if (erasure := tx.record(ERASURES, id_)) is not None:
        tx.put_record(ERASURES, id_, replace(erasure, texts=()))


def finish_erasure(tx: Transaction, id_: str) -> None:
    """Remove the record of an erasure."""
    tx.put_record(ERASURES, id_, None)


@dataclass(frozen=True, slots=True)
class ErasureContext:
    """The stores and files that may contain an entry; `write_files` writes its domain files."""

    store: Store
    passages: PassageStore
    layout: Layout
    scope: Scope
    write_files: Callable[[], None]


def erase(context: ErasureContext, id_: str, now: str) -> ErasureReport:
    """Erase one entry; repeating it finishes an interrupted erasure."""
    store = context.store
    with store.read() as snapshot:
        entry = require_known(snapshot, id_)
        texts = tuple(version.entry.content for version in snapshot.history(id_))
    if entry is not None:

        def remove(tx: Transaction) -> None:
            erase_entry(tx, id_, now)
            if context.scope.kind == "shared":
                forget_proposals(tx, erased_text_of(texts))
            begin_erasure(tx, UnfinishedErasure(id_, texts))

        store.write(remove)
    return replace(finish_entry(context, id_), erased=entry is not None)


def finish_entry(context: ErasureContext, id_: str) -> ErasureReport:
    """Remove everything that is left of an entry whose rows were removed; this can be repeated."""
    store, layout, scope = context.store, context.layout, context.scope
    with store.read() as snapshot:
        texts = tuple(
            text
            for erasure in unfinished_erasures(snapshot)
            if erasure.id == id_
            for text in erasure.texts
        )
    context.write_files()
    with store.read() as snapshot:
        tombstones = snapshot.tombstones()
    hashes = frozenset(tombstone.wording_hash for tombstone in tombstones if tombstone.id == id_)
    erased_text = replace(erased_text_of(texts), hashes=hashes)
    clean_entry_copies(layout, scope, tombstones, texts)
    clean_other_copies(layout, scope, erased_text)
    elsewhere = tuple(remaining_copies(layout, scope, erased_text, context.passages))
    clear_graph(context.passages)
    remaining = scrub(store, id_)
    return ErasureReport(id_, erased=True, also_in=(*elsewhere, *remaining))


def clear_graph(passages: PassageStore) -> None:
    """Remove the stored graph with all its bytes; the next query derives it again.

    A query that has read the records before they were erased cannot store them afterwards, because
    the generation of the graph has changed.
    """
    if passages.write(lambda tx: tx.graph.clear()):
        passages.scrub()


def scrub(store: Store, id_: str) -> tuple[str, ...]:
    """Remove the last traces: the texts in the record of the erasure, unused bytes, the record.

    Return where bytes may remain.
    """
    store.write(lambda tx: forget_texts(tx, id_))
    remaining = store.scrub()
    store.write(lambda tx: finish_erasure(tx, id_))
    return (remaining,) if remaining else ()


def require_known(reader: Snapshot, id_: str) -> Entry | None:
    """Return the entry, or None if it was erased; raise UnknownEntry if there never was one."""
    entry = reader.find([id_]).get(id_)
    if entry is None and not reader.tombstones(id_):
        raise UnknownEntry(
            f"no entry or fact has the id {quoted(id_)}",
            hint="`remem recall` and `remem fact list` show ids",
        )
    return entry


def erase_entry(tx: Transaction, id_: str, now: str) -> None:
    """Erase an entry from the store, with everything recorded about it and links to it."""
    if not tx.find([id_]):
        return
    placement.erase(tx, id_, now)
    release_fact(tx, id_)
    drop_intent(tx, id_)
    forget_verdicts_on(tx, id_)
    for entry in tx.select(Where(state="any", links_to=id_)):
        links = tuple(link for link in entry.related_to if link != id_)
        placement.update(tx, replace(entry, related_to=links))
