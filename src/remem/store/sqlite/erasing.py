"""Erase entries so that no byte of their text remains.

The rows are deleted in one transaction with the tombstone. Then `scrub` rewrites the file and
empties its log, because the bytes of deleted rows stay in both until then.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import apsw

from remem.errors import StoreError
from remem.model.entry import Entry
from remem.ports.records import Tombstone
from remem.store.rows import compact, without_id
from remem.store.sqlite import vector_bits
from remem.store.sqlite.connection import (
    close,
    open_for_reading,
    open_for_writing,
    translating_errors,
)
from remem.store.sqlite.process_lock import ProcessLock
from remem.store.sqlite.reader import TOMBSTONES
from remem.text.similarity import folded_hash

_FULL_TEXT: Final = ("memory_fts", "memory_fts_aside")
_ROW_TABLES: Final = (
    "memory_versions memory_likeness memory_tags memory_places memory_bits memory_vectors "
    "vector_queue memory_entries"
).split()


def erase(connection: apsw.Connection, row: int, entry: Entry, at: str) -> None:
    """Add a tombstone for every version of the entry, and delete all its rows."""
    stored_hashes = connection.execute(
        "SELECT same FROM memory_entries WHERE row = ?1 "
        "UNION SELECT same FROM memory_versions WHERE row = ?1",
        [row],
    )
    hashes = {text_hash for (text_hash,) in stored_hashes} | {folded_hash(entry.content)}
    add_tombstones(connection, [Tombstone(entry.id, value, at) for value in sorted(hashes)])
    for table in _FULL_TEXT:
        connection.execute(f"DELETE FROM {table} WHERE rowid = ?", [row])
    for table in _ROW_TABLES:
        connection.execute(f"DELETE FROM {table} WHERE row = ?", [row])
    _rebuild_segments(connection)
    _remove_from_records(connection, entry.id)


def _rebuild_segments(connection: apsw.Connection) -> None:
    """Rebuild the segments (`vector_bits`), which have copies of the bits of a deleted row."""
    connection.execute("DELETE FROM bit_segments")
    for (model,) in list(connection.execute("SELECT model FROM models")):
        vector_bits.pack_segments(connection, model)


def add_tombstones(connection: apsw.Connection, tombstones: Iterable[Tombstone]) -> None:
    """Insert tombstones; those that exist are kept as they are."""
    connection.executemany(
        "INSERT OR IGNORE INTO erased(id, same, at) VALUES (?, ?, ?)",
        [(tombstone.id, tombstone.wording_hash, tombstone.at) for tombstone in tombstones],
    )


def tombstones_in(path: Path) -> list[Tombstone]:
    """Return the tombstones in a database that is not open."""
    connection = open_for_reading(path)
    try:
        with translating_errors(path):
            return [Tombstone(*row) for row in connection.execute(TOMBSTONES, [None, None])]
    finally:
        close(connection)


def optimize_full_text(connection: apsw.Connection, tables: Iterable[str] = _FULL_TEXT) -> None:
    """Merge the full-text segments, which removes deleted words from the database."""
    for table in tables:
        connection.execute(f"INSERT INTO {table}({table}) VALUES ('optimize')")


def scrub(path: Path, lock_prefix: str = "") -> None:
    """Rewrite a database file without its deleted rows, and empty its log."""
    lock = ProcessLock(path.parent, lock_prefix)
    try:
        with lock, translating_errors(path):
            connection = open_for_writing(path)
            try:
                connection.execute("VACUUM")
                _empty_log(connection, path)
            finally:
                close(connection)
    finally:
        lock.close()


def _empty_log(connection: apsw.Connection, path: Path) -> None:
    try:
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    except apsw.BusyError as error:
        raise StoreError(
            f"the entry was erased, but its text may remain in the log of {path}, because another "
            "program is still reading it",
            hint="run the command again once that program has finished",
        ) from error


def _remove_from_records(connection: apsw.Connection, id_: str) -> None:
    """Remove the notices that name an entry, and the values under its id in other records."""
    connection.execute(
        "DELETE FROM records WHERE namespace IN ('notice', 'decay notice') AND instr(value, ?)",
        [id_],
    )
    for namespace, key, value in list(
        connection.execute("SELECT * FROM records WHERE instr(value, ?)", [id_])
    ):
        connection.execute(
            "UPDATE records SET value = ? WHERE namespace = ? AND key = ?",
            [compact(without_id(json.loads(value), id_)), namespace, key],
        )
