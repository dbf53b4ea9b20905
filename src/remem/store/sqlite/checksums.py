"""Checksums of entries, their earlier versions and vectors, in columns called `seal`.

They detect bytes that a faulty disk has changed. They do not detect changes by a person, who could
change the checksum too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from hashlib import blake2b
from typing import Any, Final
from zlib import crc32

import apsw

from remem.errors import StoreDamaged, quoted
from remem.model.entry import Entry
from remem.store.rows import COLUMNS, compact, entry_from_values

CHECKED_COLUMNS: Final = ", ".join(
    f"e.{column}" for column in (*COLUMNS, "change", "home", "part", "archive_reason", "seal")
)
"""The columns of an entry that its checksum covers, followed by the checksum."""


def checksum(values: Iterable[Any]) -> int:
    """Return the checksum of the values of a row, in their order.

    A last value of None does not count, so that an entry that was stored before the last column was
    added keeps its checksum.
    """
    row = tuple(values)
    if row[-1] is None:
        row = row[:-1]
    text = (_format(len(row)) % row).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big", signed=True)


@cache
def _format(width: int) -> str:
    """Return a format string for `width` values; formatting is faster than joining."""
    return "\x1f".join(["%s"] * width)


def is_intact(values: Sequence[Any]) -> bool:
    """Return whether the last value of a row is the checksum of the others."""
    return bool(checksum(values[:-1]) == values[-1])


def intact_entry(values: Sequence[Any]) -> Entry:
    """Return the entry with these values of `CHECKED_COLUMNS`.

    Raise StoreDamaged if the checksum does not match.
    """
    if not is_intact(values):
        raise damage_error(values[0])
    *_, archive_reason, _ = values
    return entry_from_values(values[: len(COLUMNS)], archive_reason)


def damage_error(id_: object) -> StoreDamaged:
    """Return the error for an entry, or an earlier version of it, whose checksum is wrong."""
    return StoreDamaged(
        f"the record of {quoted(id_)} is damaged",
        hint="run `remem doctor --repair`, which restores it from its domain file if it can",
    )


def vector_checksum(pooled: bytes, tokens: bytes | None) -> int:
    """Return the checksum of a vector; CRC-32 is enough, because vectors can be rebuilt."""
    return crc32(tokens or b"", crc32(pooled))


def add_vector_checksums(connection: apsw.Connection) -> None:
    """Add checksums to the vectors of an older database."""
    connection.execute("ALTER TABLE memory_vectors ADD COLUMN seal INTEGER NOT NULL DEFAULT 0")
    connection.create_scalar_function("seal", lambda *data: vector_checksum(data[0], data[1]), 2)
    connection.execute("UPDATE memory_vectors SET seal = seal(pooled, tokens)")
    connection.create_scalar_function("seal", None, 2)


def update_checksums(connection: apsw.Connection, ids: Sequence[str]) -> None:
    """Compute the checksums of entries again after a value was changed in place."""
    rows = connection.execute(
        f"SELECT e.row, {CHECKED_COLUMNS} FROM memory_entries e "
        "WHERE e.id IN (SELECT value FROM json_each(?))",
        [compact(ids)],
    )
    connection.executemany(
        "UPDATE memory_entries SET seal = ? WHERE row = ?",
        [(checksum(values[:-1]), row) for row, *values in list(rows)],
    )


def add_checksums(connection: apsw.Connection) -> None:
    """Add checksums to the entries and versions of an older database."""
    for table in ("memory_entries", "memory_versions"):
        connection.execute(f"ALTER TABLE {table} ADD COLUMN seal INTEGER NOT NULL DEFAULT 0")
    connection.create_scalar_function("seal", lambda *values: checksum(values))
    columns = ", ".join((*COLUMNS, "change", "home", "part"))
    connection.execute(f"UPDATE memory_entries SET seal = seal({columns})")
    connection.execute("UPDATE memory_versions SET seal = seal(row, version, change, record, same)")
    connection.create_scalar_function("seal", None)
