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

_FIXED: Final = 24
_ENCODING: Final = slice(56, 60)


def sound_head(damaged: bytes, fresh: bytes) -> bytes:
    """The first bytes of a file, those that never vary from a new database."""
    start, end = _ENCODING.start, _ENCODING.stop
    return fresh[:_FIXED] + damaged[_FIXED:start] + fresh[start:end]


def describe_again(copy: Path) -> None:
    """Give the tables of a copy the descriptions that they have in a new database."""
    wanted = _descriptions()
    connection = apsw.Connection(str(copy))
    try:
        connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
        connection.config(apsw.SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1)
        with suppress(apsw.Error):  # a page of descriptions that cannot be read stays as it is
            found = dict(connection.execute(_READ))
            for name, sql in wanted.items():
                if name in found and found[name] != sql:
                    connection.execute(_WRITE, [sql, name])
    finally:
        close(connection)


def _descriptions() -> dict[str, str]:
    fresh = apsw.Connection(":memory:")
    try:
        migrate(fresh, Path(":memory:"))
        return {name: sql for name, sql in fresh.execute(_READ) if sql is not None}
    finally:
        fresh.close()


_READ: Final = "SELECT name, sql FROM sqlite_schema"
_WRITE: Final = "UPDATE sqlite_schema SET sql = ? WHERE name = ?"
