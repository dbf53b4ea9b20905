"""Is a record still as it was written? A number beside it, made from all that it says.

It stands against a disk that changes a byte, not against a person: whoever can write the file
can also write the number.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from hashlib import blake2b
from typing import Any, Final
from zlib import crc32

import apsw

from remem.errors import StoreDamaged, shown
from remem.model.entry import Entry
from remem.store.sqlite.rows import COLUMNS, compact, entry_from

SEALED: Final = ", ".join(f"e.{column}" for column in (*COLUMNS, "change", "home", "part", "seal"))
"""What has to be read of an entry to know that it is sound."""

_WIDTH: Final = len(COLUMNS)
_BESIDE: Final = "change, home, part"


def seal(values: Iterable[Any]) -> int:
    """The number for the values of a row, in their order."""
    told = tuple(values)
    said = (_form(len(told)) % told).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(said, digest_size=8).digest(), "big", signed=True)


@cache
def _form(width: int) -> str:
    """So many values one after the other; sooner filled in than as many are joined."""
    return "\x1f".join(["%s"] * width)


def is_sound(values: Sequence[Any]) -> bool:
    """Whether the values of `SEALED` fit together."""
    return bool(seal(values[:-1]) == values[-1])


def sound_entry(values: Sequence[Any]) -> Entry:
    """The entry of a row that was read with `SEALED`; StoreDamaged if a byte has changed."""
    if not is_sound(values):
        raise damaged(values[0])
    return entry_from(values[:_WIDTH])


def damaged(id_: object) -> StoreDamaged:
    return StoreDamaged(
        f"the record of {shown(id_)} is damaged",
        hint="`remem doctor --repair` heals it from its domain file, or says that it cannot",
    )


def vector_seal(pooled: bytes, tokens: bytes | None) -> int:
    """The number for a vector, which can be made anew: a checksum will do."""
    return crc32(tokens or b"", crc32(pooled))


def add_vector_seals(connection: apsw.Connection) -> None:
    connection.execute("ALTER TABLE memory_vectors ADD COLUMN seal INTEGER NOT NULL DEFAULT 0")
    connection.create_scalar_function("seal", lambda *data: vector_seal(data[0], data[1]), 2)
    connection.execute("UPDATE memory_vectors SET seal = seal(pooled, tokens)")
    connection.create_scalar_function("seal", None, 2)


def seal_again(connection: apsw.Connection, ids: Sequence[str]) -> None:
    """For entries of which one value was changed in place."""
    rows = connection.execute(
        f"SELECT e.row, {SEALED} FROM memory_entries e "
        "WHERE e.id IN (SELECT value FROM json_each(?))",
        [compact(ids)],
    )
    connection.executemany(
        "UPDATE memory_entries SET seal = ? WHERE row = ?",
        [(seal(values[:-1]), row) for row, *values in list(rows)],
    )


def add_seals(connection: apsw.Connection) -> None:
    """Give every record of an older database its number."""
    for table in ("memory_entries", "memory_versions"):
        connection.execute(f"ALTER TABLE {table} ADD COLUMN seal INTEGER NOT NULL DEFAULT 0")
    connection.create_scalar_function("seal", lambda *values: seal(values))
    columns = ", ".join(COLUMNS)
    connection.execute(f"UPDATE memory_entries SET seal = seal({columns}, {_BESIDE})")
    connection.execute("UPDATE memory_versions SET seal = seal(row, version, change, record, same)")
    connection.create_scalar_function("seal", None)
