"""Erasures that a kill may cut short: noted with the first step, so that the next open of the
scope can take the others.

What does the owner hear of an erasure?

Where do the words of an erased memory still stand? Files of a person and kept databases are
the owner's: they are named, and left.

How is an entry erased for good? Rows first, with a tombstone; then every file that remem has
made of it; then the bytes that deleting leaves behind. The owner's own files are named, never
touched.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Final

from remem.entries.erase_copies import clean_copies, clean_leftovers
from remem.entries.pending_facts import release
from remem.entries.receipt import drop_intent
from remem.errors import RememError, StoreDamaged, UnknownEntry, shown
from remem.files import atomic
from remem.files.fact_history import earlier_texts, is_versioned
from remem.files.layout import Layout
from remem.files.memory_files import memory_files
from remem.model.erased_text import Retelling, retelling
from remem.model.scope import Scope
from remem.ports.entries import Snapshot, Store, Transaction
from remem.ports.passages import PassageStore
from remem.ports.records import Located


@dataclass(frozen=True, slots=True)
class Erased:
    """`also_in` names files of a person, and kept databases, in which the words still stand;
    `also_as` other entries and facts that say, or once said, the same. `together` are entries
    that went with a fact, because they had become it."""

    id: str
    erased: bool
    also_in: tuple[str, ...] = ()
    also_as: tuple[str, ...] = ()
    together: tuple[str, ...] = ()


_DATABASES: Final = (".db", ".db-wal", ".db-shm", ".lock")
_BEFORE_RESTORE: Final = ".before-restore"
_DAMAGED: Final = "damaged"
_COMMITS: Final = ".git"


def also_in(layout: Layout, scope: Scope, told: Retelling, passages: PassageStore) -> Iterator[str]:
    """Paths in the workspace; kept databases are not opened, and named in any case."""
    for kept in _kept(layout, scope):
        yield kept.relative_to(layout.root).as_posix()
    if not told.words:
        return
    own = list(memory_files(layout, scope))
    yield from (memory_file.path for memory_file in own if _says(told, memory_file.absolute))
    for path in _beside(layout, scope):
        if _says(told, path):
            yield path.relative_to(layout.root).as_posix()
    yield from _read_from_afar(told, passages, {memory_file.path for memory_file in own})


def is_kept_unread(path: str) -> bool:
    """Whether nobody looked into it: a database that was replaced may hold the words, or not."""
    return PurePosixPath(path).name.startswith((_DAMAGED, _BEFORE_RESTORE))


def in_commits(layout: Layout, path: str, told: Retelling) -> Iterator[str]:
    """Where the workspace is kept in git, what a file said once is not gone from there."""
    if is_versioned(layout.root) and any(map(told.within, earlier_texts(layout.root, path))):
        yield _COMMITS


def _kept(layout: Layout, scope: Scope) -> Iterator[Path]:
    yield from sorted(layout.state_folder(scope).glob(f"{_DAMAGED}*"))
    if scope.kind == "main":
        yield from sorted(layout.root.glob(f"{_BEFORE_RESTORE}*"))


def _beside(layout: Layout, scope: Scope) -> Iterator[Path]:
    """What remem keeps for itself about a scope, but for its databases; and what a flush could
    not write yet."""
    yield layout.flush_state_of(scope)
    for path in sorted(layout.state_folder(scope).rglob("*")):
        kept = any(part.startswith(_DAMAGED) for part in path.parts)
        if not kept and path.is_file() and not path.name.endswith(_DATABASES):
            yield path


def _read_from_afar(
    told: Retelling, passages: PassageStore, own: frozenset[str] | set[str]
) -> Iterator[str]:
    """Transcripts and folders elsewhere that are searched too."""
    try:
        with passages.read() as reading:
            for path in sorted(reading.files().keys() - own):
                if any(told.within(each.text) for _, each in reading.of_file(path)):
                    yield path
    except RememError:  # what cannot be read is told by the refresh
        return


def _says(told: Retelling, path: Path) -> bool:
    try:
        data = atomic.read(path)
    except RememError:  # likewise
        return False
    return data is not None and told.within(data.decode(errors="replace"))


_KEY: Final = "unfinished erasures"


@dataclass(frozen=True, slots=True)
class Unfinished:
    """One erasure. `texts` are needed to find the words in copies of files; they are dropped as
    soon as the copies are clean, before the database is scrubbed. `entity` is set for a fact."""

    id: str
    texts: tuple[str, ...] = ()
    entity: str | None = None


def unfinished(snapshot: Snapshot | Transaction) -> list[Unfinished]:
    try:
        noted = json.loads(snapshot.note(_KEY) or "[]")
        return [Unfinished(each["id"], tuple(each["texts"]), each["entity"]) for each in noted]
    except (ValueError, TypeError, KeyError) as error:
        raise StoreDamaged(
            f"the list of unfinished erasures is damaged: {error}",
            hint="erase what you erased last once more",
        ) from error


def begin(tx: Transaction, erasure: Unfinished) -> None:
    """In the transaction that removes the rows."""
    _keep(tx, [*_others(tx, erasure.id), erasure])


def forget_texts(tx: Transaction, id_: str) -> None:
    """No copy of a file holds the words any more; what is left is to scrub the database."""
    _keep(tx, [each if each.id != id_ else replace(each, texts=()) for each in unfinished(tx)])


def finish(tx: Transaction, id_: str) -> None:
    _keep(tx, _others(tx, id_))


def _others(tx: Transaction, id_: str) -> list[Unfinished]:
    return [each for each in unfinished(tx) if each.id != id_]


def _keep(tx: Transaction, erasures: list[Unfinished]) -> None:
    tx.keep_note(_KEY, json.dumps([asdict(erasure) for erasure in erasures]))


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
        words = tuple(version.entry.content for version in snapshot.history(id_))
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
    hashes = frozenset(tombstone.wording for tombstone in gone if tombstone.id == id_)
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
