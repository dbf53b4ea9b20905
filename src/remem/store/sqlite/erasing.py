"""How does an entry leave a database so that no byte of its words stays?

First the rows go, in one transaction with the tombstone; then `scrub` makes the file anew and
empties its log, because a deleted row's bytes stay where they were until then.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import apsw

from remem.errors import StoreError
from remem.ports.records import Located, Tombstone
from remem.store.sqlite import bit_segments
from remem.store.sqlite.connection import close, open_for_reading, open_for_writing, translating
from remem.store.sqlite.process_lock import Turns
from remem.store.sqlite.rows import compact
from remem.text.similarity import folded_number

_FULL_TEXT: Final = ("memory_fts", "memory_fts_aside")
_OF_ROW: Final = (
    "memory_versions memory_likeness memory_tags memory_places memory_bits memory_vectors "
    "vector_queue memory_entries"
).split()


def erase(connection: apsw.Connection, old: Located, at: str) -> None:
    """Put tombstones for the id and every wording it had, and remove all that stood in rows."""
    same = connection.execute(
        "SELECT same FROM memory_entries WHERE row = ?1 "
        "UNION SELECT same FROM memory_versions WHERE row = ?1",
        [old.row],
    )
    known = {number for (number,) in same} | {folded_number(old.entry.content)}
    bury(connection, [Tombstone(old.entry.id, number, at) for number in sorted(known)])
    for table in _FULL_TEXT:
        connection.execute(f"DELETE FROM {table} WHERE rowid = ?", [old.row])
    for table in _OF_ROW:
        connection.execute(f"DELETE FROM {table} WHERE row = ?", [old.row])
    connection.execute("DELETE FROM bit_segments")  # made anew with the next vectors
    _pack_anew(connection)
    connection.execute("DELETE FROM notices WHERE instr(text, ?)", [old.entry.id])
    _forget_items(connection, old.entry.id)


def _pack_anew(connection: apsw.Connection) -> None:
    """Copies of bits that lie together are made again, without those of the row."""
    connection.execute("DELETE FROM bit_segments")
    for (model,) in list(connection.execute("SELECT model FROM models")):
        bit_segments.pack(connection, model)


def bury(connection: apsw.Connection, tombstones: Iterable[Tombstone]) -> None:
    connection.executemany(
        "INSERT OR IGNORE INTO erased(id, same, at) VALUES (?, ?, ?)",
        [(tombstone.id, tombstone.wording, tombstone.at) for tombstone in tombstones],
    )


def tombstones(connection: apsw.Connection) -> list[Tombstone]:
    rows = connection.execute("SELECT id, same, at FROM erased ORDER BY id, same")
    return [Tombstone(*row) for row in rows]


def tombstones_in(path: Path) -> list[Tombstone]:
    """Those of a database that the caller has for himself."""
    connection = open_for_reading(path)
    try:
        with translating(path):
            return tombstones(connection)
    finally:
        close(connection)


def erased(connection: apsw.Connection, id_: str | None, number: int | None) -> str | None:
    """The id under which it was erased, by its id or its words."""
    found = connection.execute(
        "SELECT id FROM erased WHERE id = ? UNION ALL SELECT id FROM erased WHERE same = ? LIMIT 1",
        [id_, number],
    )
    first = next(iter(found), None)
    return str(first[0]) if first else None


def linking_to(connection: apsw.Connection, id_: str) -> list[int]:
    """The rows of entries that name another one."""
    rows = connection.execute(
        "SELECT row FROM memory_entries WHERE instr(related_to, ?)", [compact(id_)]
    )
    return [row for (row,) in rows]


def worded(connection: apsw.Connection, number: int) -> list[int]:
    """The rows of entries that say or once said what has this hash."""
    rows = connection.execute(
        "SELECT row FROM memory_entries WHERE same = ?1 "
        "UNION SELECT row FROM memory_versions WHERE same = ?1",
        [number],
    )
    return [row for (row,) in rows]


def tidy_words(connection: apsw.Connection, tables: Iterable[str] = _FULL_TEXT) -> None:
    """Full text drops what was deleted only when its parts are merged."""
    for table in tables:
        connection.execute(f"INSERT INTO {table}({table}) VALUES ('optimize')")


def scrub(path: Path, locks: str = "") -> None:
    """Write the file anew, without what was deleted, and empty the log; `locks` is how the
    names of its writers' locks begin."""
    turns = Turns(path.parent, locks)
    try:
        with turns, translating(path):
            connection = open_for_writing(path)
            try:
                connection.execute("VACUUM")
                _empty_log(connection, path)
            finally:
                close(connection)
    finally:
        turns.close()


def _empty_log(connection: apsw.Connection, path: Path) -> None:
    try:
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    except apsw.BusyError as error:
        raise StoreError(
            f"it is erased, but another program still reads the old pages of {path}",
            hint="erase it again in a moment; that empties the log",
        ) from error


def _forget_items(connection: apsw.Connection, id_: str) -> None:
    """What was written to files is known by the digests of its items; this one's goes too."""
    for file, items in list(
        connection.execute("SELECT file, items FROM projected WHERE instr(items, ?)", [id_])
    ):
        kept = {key: each for key, each in json.loads(items).items() if key != id_}
        connection.execute("UPDATE projected SET items = ? WHERE file = ?", [compact(kept), file])
    for key, value in list(
        connection.execute("SELECT key, value FROM meta WHERE instr(value, ?)", [id_])
    ):
        text = compact(_without(json.loads(value), id_))
        connection.execute("UPDATE meta SET value = ? WHERE key = ?", [text, key])


def _without(value: object, id_: str) -> object:
    match value:
        case dict():
            return {key: _without(each, id_) for key, each in value.items() if key != id_}
        case list():
            return [_without(each, id_) for each in value]
        case _:
            return value
