"""Repairing a damaged database: build a new one from all that can be read, compare, and swap.

The damaged database is kept.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Final

from remem.entries.rebuild import describe_missing
from remem.errors import StoreError
from remem.files import archive, atomic
from remem.files.database_swap import exchange
from remem.files.disk import make_folder
from remem.model.entry import Entry
from remem.ports.records import Where
from remem.store.sqlite.entries import SqliteStore
from remem.store.sqlite.examine import examine
from remem.store.sqlite.salvage import Salvaged, salvage
from remem.store.sqlite.salvage_check import find_losses

_COPY_FOLDERS: Final = ("aside", "conflicts")


def repair_database(
    database: Path, domain_entries: Mapping[str, Entry], stem_of: Callable[[Entry], str]
) -> Iterator[str]:
    """Repair the database and report what was done; the caller holds its lock."""
    staging = atomic.unused_path(database.parent, "mending")
    damaged = atomic.unused_path(database.parent, "damaged")
    make_folder(staging)
    try:
        fresh, old = staging / database.name, _copy(database, staging / "old")
        done = salvage(old, fresh, domain_entries, stem_of)
        missing = find_losses(
            old,
            fresh,
            damaged=done.damaged,
            in_files=set(domain_entries) - done.erased,
            lost=len(done.lost),
        )
        if missing or not examine(fresh).sound:
            reason = "; ".join(missing[:5]) or "it is damaged"
            raise StoreError(
                f"the repaired database was not put in place: {reason}",
                hint="nothing was changed; keep the folder .remem and report this",
            )
        incomplete = not done.read or bool(done.lost)
        entries = _entries(fresh) if incomplete else []
        exchange(database, fresh, damaged)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    yield from _report(done, was_there=(damaged / database.name).exists())
    if incomplete:
        copies = (path for name in _COPY_FOLDERS for path in (database.parent / name).glob("*"))
        erased_or_lost = {*done.erased, *done.lost}
        yield from describe_missing(entries, erased_or_lost, (*damaged.glob("*"), *copies))


def _entries(database: Path) -> list[Entry]:
    """Return the entries of the new database."""
    with closing(SqliteStore(database)) as store, store.read() as snapshot:
        return snapshot.select(Where(state="any"))


def _copy(database: Path, folder: Path) -> Path:
    """Return a copy to read from, with its log, because SQLite may write to a file that it
    opens."""
    for file in (database, database.with_name(f"{database.name}-wal")):
        if file.exists():
            archive.copy_file(file, folder / file.name)
    return folder / database.name


def _report(done: Salvaged, *, was_there: bool) -> Iterator[str]:
    yield f"an intact database with {done.entries} entries is in place; the old one is kept"
    if was_there and not done.read:
        yield (
            "NOTHING of the old one could be read: the history and entries that are in no domain "
            "file (archived, superseded) are only in it"
        )
    for ids, text in (
        (done.from_files, "taken from their domain files"),
        (done.from_history, "taken from their history and archived: the latest wording is lost"),
        (done.unverified, "could be read but not verified, and were archived: check them"),
        (done.lost, "LOST: neither in a domain file nor in the history"),
        (done.lost_versions, "LOST from the history"),
    ):
        if ids:
            yield f"{len(ids)} {text}: {', '.join(ids[:8])}{' …' if len(ids) > 8 else ''}"
