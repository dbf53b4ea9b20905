"""Read what is left of a damaged database.

Rows are read in order up to the damage, then one by one. Texts are fetched as bytes, because a
changed byte may have made one undecodable. The file header and the table definitions are the same
in every database of a schema, so damaged ones are taken from a new database: on a copy, never on
the damaged file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import apsw

from remem.store.sqlite.connection import close
from remem.store.sqlite.schema import migrate

HEADER_BYTES: Final = 100


def rebuild_header(damaged: bytes, fresh: bytes, size: int) -> bytes:
    """The header of a file of `size` bytes, with all constant fields from a new database.

    The list of free pages is cleared, because a copy is only read.
    """
    page = int.from_bytes(fresh[16:18], "big")
    pages = (size // page).to_bytes(4, "big")
    version = damaged[60:64] if damaged[60:64] <= fresh[60:64] else fresh[60:64]
    return b"".join(
        [
            *(fresh[:24], damaged[24:28], pages, bytes(8), damaged[40:44]),
            *(fresh[44:60], version, fresh[64:92], damaged[92:HEADER_BYTES]),
        ]
    )


def restore_schema(copy: Path) -> None:
    """Restore the table definitions of a copy from a new database.

    Each is recognised by its name or by its SQL: one changed byte spoils only one of them.
    """
    connection = apsw.Connection(str(copy))
    try:
        connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
        connection.config(apsw.SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1)
        with suppress(apsw.Error):  # an unreadable schema page stays as it is
            definitions = list(connection.execute(_READ_SCHEMA))
            for wanted in _definitions():
                _, name, _, sql = wanted
                for row, *definition in definitions:
                    same = definition[1] == name or (sql is not None and definition[3] == sql)
                    if same and definition != [*wanted]:
                        texts = [data if data is None else data.decode() for data in wanted]
                        connection.execute(_WRITE_SCHEMA, [*texts, row])
    finally:
        close(connection)


def _definitions() -> list[tuple[bytes, bytes, bytes, bytes | None]]:
    fresh = apsw.Connection(":memory:")
    try:
        migrate(fresh, Path(":memory:"))
        return [
            (kind, name, table, sql) for _, kind, name, table, sql in fresh.execute(_READ_SCHEMA)
        ]
    finally:
        fresh.close()


_READ_SCHEMA: Final = """SELECT rowid, CAST(type AS BLOB), CAST(name AS BLOB),
    CAST(tbl_name AS BLOB), CAST(sql AS BLOB) FROM sqlite_schema"""
_WRITE_SCHEMA: Final = (
    "UPDATE sqlite_schema SET type = ?, name = ?, tbl_name = ?, sql = ? WHERE rowid = ?"
)


_WITHOUT_ROWID: Final = {"memory_versions": "row", "erased": "id", "meta": "key"}
"""Tables without rowids, and the first column of their keys."""


class InvalidText(bytes):
    """Stored text that can no longer be decoded."""


def readable_rows(
    connection: apsw.Connection, table: str, columns: Sequence[str]
) -> Iterator[list[Any]]:
    """Every row that SQLite can still find, once.

    A column that the table does not have is None, an unreadable one is an `InvalidText`.
    """
    known = _columns(connection, table)
    pairs = [_value_and_type(column) if column in known else "NULL, 'null'" for column in columns]
    if table in _WITHOUT_ROWID:
        rows = _from_both_ends(connection, table, pairs)
    else:
        rows = _one_by_one(connection, table, pairs)
    for row in rows:
        yield [_value(*row[at : at + 2]) for at in range(0, len(row), 2)]


def _columns(connection: apsw.Connection, table: str) -> set[str]:
    with suppress(apsw.Error):
        return {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
    return set()


def _value_and_type(column: str) -> str:
    """SQL for a value, with text as bytes, and its type."""
    return f"CASE typeof({column}) WHEN 'text' THEN CAST({column} AS BLOB) ELSE {column} END, \
typeof({column})"


def _value(value: Any, kind: str) -> Any:
    if kind != "text" or not isinstance(value, bytes):
        return value
    try:
        return value.decode()
    except UnicodeDecodeError:
        return InvalidText(value)


def _one_by_one(
    connection: apsw.Connection, table: str, pairs: Sequence[str]
) -> Iterator[Sequence[Any]]:
    select = f"SELECT {', '.join(pairs)} FROM {table}"
    rows, complete = _until_damage(connection, f"{select} ORDER BY rowid")
    if complete:
        yield from rows
        return
    for number in range(1, _last_row(connection, table) + 1):
        try:
            yield from list(connection.execute(f"{select} WHERE rowid = ?", [number]))
        except apsw.Error:
            yield from _column_by_column(connection, table, pairs, number)


def _column_by_column(
    connection: apsw.Connection, table: str, pairs: Sequence[str], number: int
) -> Iterator[Sequence[Any]]:
    """A row of which not every column can be read."""
    values: list[Any] = []
    for pair in pairs:
        try:
            (value_and_type,) = connection.execute(
                f"SELECT {pair} FROM {table} WHERE rowid = ?", [number]
            )
            values += value_and_type
        except (apsw.Error, ValueError):
            values += [b"\xff", "text"]  # never valid in UTF-8
    if any(
        kind != "text" or value != b"\xff"
        for value, kind in zip(values[::2], values[1::2], strict=True)
    ):
        yield values


def _from_both_ends(
    connection: apsw.Connection, table: str, pairs: Sequence[str]
) -> Iterator[Sequence[Any]]:
    select, key = f"SELECT {', '.join(pairs)} FROM {table}", _WITHOUT_ROWID[table]
    rows, complete = _until_damage(connection, f"{select} ORDER BY {key}")
    if not complete:
        behind, _ = _until_damage(connection, f"{select} ORDER BY {key} DESC")
        rows = list(dict.fromkeys([*map(tuple, rows), *map(tuple, reversed(behind))]))
    yield from rows


def _until_damage(connection: apsw.Connection, statement: str) -> tuple[list[Sequence[Any]], bool]:
    """The rows before the damage, and whether these are all."""
    rows: list[Sequence[Any]] = []
    try:
        for row in connection.execute(statement):
            rows.append(row)
    except (apsw.CorruptError, apsw.SQLError, apsw.IOError):
        return rows, False
    return rows, True


def _last_row(connection: apsw.Connection, table: str) -> int:
    """The highest row number found in any table."""
    numbers = [0]
    for statement in (
        f"SELECT max(rowid) FROM {table}",
        f"SELECT seq FROM sqlite_sequence WHERE name = '{table}'",
        "SELECT max(row) FROM memory_versions",
    ):
        with suppress(apsw.Error):
            numbers += [int(number or 0) for (number,) in connection.execute(statement)]
    return max(numbers)
