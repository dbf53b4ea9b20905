"""Repair a damaged database.

A new database is built from everything that can be read, compared with the damaged one, and put in
its place. The damaged one is kept.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Final

from remem.entries.rebuild import describe_missing
from remem.errors import StoreError, counted, listed
from remem.files import archive, atomic
from remem.files.database_swap import exchange
from remem.files.disk import make_folder
from remem.model.entry import Entry
from remem.ports.records import Where
from remem.store.sqlite.entries import SqliteStore
from remem.store.sqlite.examine import examine
from remem.store.sqlite.salvage import SalvageResult, salvage
from remem.store.sqlite.salvage_check import find_losses

_COPY_FOLDERS: Final = ("aside", "conflicts")


def repair_database(
    database: Path, domain_entries: Mapping[str, Entry], stem_of: Callable[[Entry], str]
) -> Iterator[str]:
    """Repair a database, and yield sentences about the outcome; the caller must hold its lock.

    `domain_entries` are the entries in the domain files, by id.
    """
    staging = atomic.unused_path(database.parent, "mending")
    damaged = atomic.unused_path(database.parent, "damaged")
    make_folder(staging)
    try:
        fresh, old = staging / database.name, _copy(database, staging / "old")
        salvaged = salvage(old, fresh, domain_entries, stem_of)
        missing = find_losses(
            old,
            fresh,
            damaged_ids=salvaged.damaged,
            in_files=set(domain_entries) - salvaged.erased,
            lost_count=len(salvaged.lost),
        )
        if missing or not examine(fresh).intact:
            reason = "; ".join(missing[:5]) or "it is damaged"
            raise StoreError(
                f"the database could not be repaired: {reason}",
                hint="nothing was changed; keep the folder .remem and report this",
            )
        incomplete = not salvaged.was_readable or bool(salvaged.lost)
        entries = _entries(fresh) if incomplete else []
        exchange(database, fresh, damaged)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    yield from _report(salvaged, was_there=(damaged / database.name).exists())
    if incomplete:
        copies = (path for name in _COPY_FOLDERS for path in (database.parent / name).glob("*"))
        erased_or_lost = {*salvaged.erased, *salvaged.lost}
        yield from describe_missing(entries, erased_or_lost, (*damaged.glob("*"), *copies))


def _entries(database: Path) -> list[Entry]:
    """Return the entries of the new database."""
    with closing(SqliteStore(database)) as store, store.read() as snapshot:
        return snapshot.select(Where(state="any"))


def _copy(database: Path, folder: Path) -> Path:
    """Copy the database and its log, because SQLite may write to a file that it opens."""
    for file in (database, database.with_name(f"{database.name}-wal")):
        if file.exists():
            archive.copy_file(file, folder / file.name)
    return folder / database.name


def _report(salvaged: SalvageResult, *, was_there: bool) -> Iterator[str]:
    entries = counted(salvaged.entries, "entry", "entries")
    yield f"a new database with {entries} was put in place; the damaged one is kept"
    if was_there and not salvaged.was_readable:
        yield (
            "nothing could be read from the damaged database: the history, and entries that are "
            "not in a domain file (archived, superseded), were not restored"
        )
    for ids, text in (
        (salvaged.from_files, "restored from domain files"),
        (salvaged.from_history, "restored from the history and archived (the latest text is lost)"),
        (salvaged.unverified, "restored without verification and archived (please check)"),
        (salvaged.lost, "LOST, because neither a domain file nor the history has them"),
        (salvaged.lost_versions, "LOST from the history"),
    ):
        if ids:
            yield f"{text}: {listed(ids, 8)}"
