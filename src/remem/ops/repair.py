"""How does a damaged database become a sound one? Built beside it from all that can be read,
compared with it, then exchanged for it; the damaged one is kept."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from remem.entries.rebuild import may_be_missing
from remem.errors import StoreError
from remem.files import archive, atomic
from remem.files.database_swap import exchange
from remem.model.entry import Entry
from remem.store.sqlite.byte_repair import losses
from remem.store.sqlite.connection import close, open_for_reading
from remem.store.sqlite.entries import SqliteStore
from remem.store.sqlite.examine import examine
from remem.store.sqlite.read_corrupt import HEAD, describe_again, sound_head
from remem.store.sqlite.salvage import Salvaged, salvage

_COPIES: Final = ("aside", "conflicts")


def mend(
    database: Path, twins: Mapping[str, Entry], home_of: Callable[[Entry], str]
) -> Iterator[str]:
    """What was done. The caller has made sure that nobody has the database open."""
    beside = atomic.unused(database.parent, "mending")
    kept = atomic.unused(database.parent, "damaged")
    atomic.make_folder(beside)
    try:
        fresh, old = beside / database.name, _readable(database, beside)
        done = salvage(old, fresh, twins, home_of)
        missing = losses(
            old, fresh, told=done.touched, held=set(twins) - done.erased, lost=len(done.lost)
        )
        if missing or not examine(fresh).sound:
            some = "; ".join(missing[:5]) or "it is not sound"
            raise StoreError(
                f"the repaired database was not put in place: {some}",
                hint="nothing was changed; keep the folder .remem, and report this",
            )
        incomplete = not done.read or bool(done.lost)
        entries = _entries(fresh) if incomplete else []
        exchange(database, fresh, kept)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    yield from _told(done, was_there=(kept / database.name).exists())
    if incomplete:
        copies = (path for name in _COPIES for path in (database.parent / name).glob("*"))
        gone = {*done.erased, *done.lost}
        yield from may_be_missing(entries, gone, (*kept.glob("*"), *copies))


def _entries(database: Path) -> list[Entry]:
    """The entries of the new database."""
    store = SqliteStore(database)
    try:
        with store.read() as snapshot:
            return list(snapshot.locate(snapshot.rows()).values())
    finally:
        store.close()


def _readable(database: Path, beside: Path) -> Path:
    """A copy to read from, whose beginning is that of a sound database of its size."""
    copy, blank = beside / "old" / database.name, beside / "blank" / database.name
    size = database.stat().st_size if database.exists() else 0
    if not size:
        return copy
    atomic.make_folder(blank.parent)
    SqliteStore(blank).close()
    with atomic.streamed(blank) as data:
        head = data.read(HEAD)
    archive.copied_with_head(database, copy, lambda damaged: sound_head(damaged, head, size))
    log = database.with_name(f"{database.name}-wal")
    if log.exists():
        archive.copied(log, copy.with_name(log.name))
    describe_again(copy)
    return copy if _opens(copy) else copy.with_name("nothing")


def _opens(copy: Path) -> bool:
    try:
        close(open_for_reading(copy))
    except StoreError as error:
        return "malformed database schema" in str(error)  # which is described again
    return True


def _told(done: Salvaged, *, was_there: bool) -> Iterator[str]:
    yield f"a sound database with {done.entries} entries is in place; the old one is kept"
    if was_there and not done.read:
        yield (
            "NOTHING could be read of the old one: entries that stand in no domain file "
            "(archived, superseded) and the history are only in it"
        )
    for ids, text in (
        (done.mended, "healed to the byte"),
        (done.from_files, "taken from their domain files"),
        (done.from_history, "taken from their history: the latest wording is lost"),
        (done.unverified, "could be read but not verified: archived, look at them"),
        (done.lost, "LOST: neither a domain file nor the history has them"),
        (done.lost_versions, "LOST from the history"),
    ):
        if ids:
            yield f"{len(ids)} {text}: {', '.join(ids[:8])}{' …' if len(ids) > 8 else ''}"
