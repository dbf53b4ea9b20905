"""How is an entry erased for good? Rows first, with a tombstone; then every file that remem has
made of it; then the bytes that deleting leaves behind. The owner's own files are named, never
touched."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from remem.core.retelling import retelling
from remem.core.scope import Scope
from remem.errors import UnknownEntry, shown
from remem.maintenance.erasing.copies import clean_copies, clean_leftovers
from remem.maintenance.erasing.elsewhere import also_in
from remem.maintenance.erasing.result import Erased
from remem.maintenance.erasing.unfinished import (
    Unfinished,
    begin,
    finish,
    forget_texts,
    unfinished,
)
from remem.maintenance.knowledge.review import release
from remem.notes.layout import Layout
from remem.ports import Located, PassageStore, Snapshot, Store, Transaction
from remem.remember.powers import drop_intent


@dataclass(frozen=True, slots=True)
class Erasing:
    """Where the traces of an entry lie, and who writes its files."""

    store: Store
    passages: PassageStore
    layout: Layout
    scope: Scope
    write_files: Callable[[], None]


def erase(where: Erasing, id_: str, now: str) -> Erased:
    """Erase one entry; repeating it finishes what was cut short."""
    store = where.store
    with store.read() as snapshot:
        known = require_known(snapshot, id_)
        words = tuple(each.entry.content for each in snapshot.history(id_))
    if known is not None:

        def remove(tx: Transaction) -> None:
            erase_entry(tx, id_, now)
            begin(tx, Unfinished(id_, words))

        store.write(remove)
    return replace(finish_entry(where, id_), erased=known is not None)


def finish_entry(where: Erasing, id_: str) -> Erased:
    """What follows the removal of the rows; each step can be taken again."""
    store, layout, scope = where.store, where.layout, where.scope
    with store.read() as snapshot:
        words = tuple(
            text for each in unfinished(snapshot) if each.id == id_ for text in each.texts
        )
    where.write_files()
    with store.read() as snapshot:
        gone = snapshot.tombstones()
    hashes = frozenset(each.wording for each in gone if each.id == id_)
    told = replace(retelling(words), wordings=hashes)
    clean_leftovers(layout, scope, gone, words)
    clean_copies(layout, scope, told)
    elsewhere = tuple(also_in(layout, scope, told, where.passages))
    scrub(store, id_)
    return Erased(id_, True, elsewhere)


def scrub(store: Store, id_: str) -> None:
    """Leave no byte of the words in the database: the note that finds them in copies of files
    goes first, the last word of the erasure after it."""
    store.write(lambda tx: forget_texts(tx, id_))
    store.scrub()
    store.write(lambda tx: finish(tx, id_))


def require_known(reading: Snapshot, id_: str) -> Located | None:
    """The entry; None where it was erased before, UnknownEntry where there was never one."""
    known = reading.by_ids([id_]).get(id_)
    if known is None and reading.erased(id_, None) is None:
        raise UnknownEntry(
            f"no entry or fact has the id {shown(id_)}",
            hint="`remem recall` and `remem fact list` show ids",
        )
    return known


def erase_entry(tx: Transaction, id_: str, now: str) -> None:
    old = tx.by_ids([id_]).get(id_)
    if old is None:
        return
    tx.erase(old, now)
    release(tx, id_)
    drop_intent(tx, id_)
    for row, entry in tx.locate(tx.linking_to(id_)).items():
        links = tuple(each for each in entry.related_to if each != id_)
        tx.touch(Located(row, entry), replace(entry, related_to=links))
