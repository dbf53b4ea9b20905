"""How is a database read whose beginning is damaged? The first bytes and the descriptions of its
tables are the same in every database of a schema: they are taken from a new one.

Only ever for a copy: the damaged file itself is not touched.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Final

import apsw

from remem.stores.sqlite.connection import close
from remem.stores.sqlite.schema import migrate

HEAD: Final = 100


def sound_head(damaged: bytes, fresh: bytes, size: int) -> bytes:
    """The first bytes of a file of so many bytes, those that never vary from a new database. The
    list of free pages is left out: a copy is only read."""
    page = int.from_bytes(fresh[16:18], "big")
    pages = (size // page).to_bytes(4, "big")
    version = damaged[60:64] if damaged[60:64] <= fresh[60:64] else fresh[60:64]
    return b"".join(
        [
            *(fresh[:24], damaged[24:28], pages, bytes(8), damaged[40:44]),
            *(fresh[44:60], version, fresh[64:92], damaged[92:HEAD]),
        ]
    )


def describe_again(copy: Path) -> None:
    """Give the tables of a copy the descriptions that they have in a new database. Each is known
    by its name or by its words: one byte spoils only one of them."""
    connection = apsw.Connection(str(copy))
    try:
        connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
        connection.config(apsw.SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1)
        with suppress(apsw.Error):  # a page of descriptions that cannot be read stays as it is
            found = list(connection.execute(_READ))
            for wanted in _descriptions():
                _, name, _, sql = wanted
                for row, *described in found:
                    same = described[1] == name or (sql is not None and described[3] == sql)
                    if same and described != [*wanted]:
                        texts = [each if each is None else each.decode() for each in wanted]
                        connection.execute(_WRITE, [*texts, row])
    finally:
        close(connection)


def _descriptions() -> list[tuple[bytes, bytes, bytes, bytes | None]]:
    fresh = apsw.Connection(":memory:")
    try:
        migrate(fresh, Path(":memory:"))
        return [(kind, name, table, sql) for _, kind, name, table, sql in fresh.execute(_READ)]
    finally:
        fresh.close()


_READ: Final = """SELECT rowid, CAST(type AS BLOB), CAST(name AS BLOB), CAST(tbl_name AS BLOB),
    CAST(sql AS BLOB) FROM sqlite_schema"""
_WRITE: Final = "UPDATE sqlite_schema SET type = ?, name = ?, tbl_name = ?, sql = ? WHERE rowid = ?"
