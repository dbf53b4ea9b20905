"""How are rows read that lie behind damage? In order as far as it goes, then one by one.

Texts are fetched as bytes, because a changed byte may have made one undecodable.

How is a database read whose beginning is damaged? The first bytes and the descriptions of its
tables are the same in every database of a schema: they are taken from a new one.

Only ever for a copy: the damaged file itself is not touched.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import apsw

from remem.store.sqlite.connection import close
from remem.store.sqlite.schema import migrate

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
                        texts = [data if data is None else data.decode() for data in wanted]
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


_WITHOUT_ROWID: Final = {"memory_versions": "row", "erased": "id", "meta": "key"}
"""Tables without row numbers, and the first column of their keys."""


class Garbled(bytes):
    """What was written as text, and can no longer be read as such."""


def readable_rows(
    connection: apsw.Connection, table: str, columns: Sequence[str]
) -> Iterator[list[Any]]:
    """Every row that SQLite can still find, each once; a column that the table never had is
    None, one that cannot be reached is an empty `Garbled`."""
    known = _known(connection, table)
    pairs = [_pair(column) if column in known else "NULL, 'null'" for column in columns]
    if table in _WITHOUT_ROWID:
        rows = _from_both_ends(connection, table, pairs)
    else:
        rows = _one_by_one(connection, table, pairs)
    for row in rows:
        yield [_value(*row[at : at + 2]) for at in range(0, len(row), 2)]


def _known(connection: apsw.Connection, table: str) -> set[str]:
    with suppress(apsw.Error):
        return {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
    return set()


def _pair(column: str) -> str:
    """The value, a text as bytes, and its kind."""
    return f"CASE typeof({column}) WHEN 'text' THEN CAST({column} AS BLOB) ELSE {column} END, \
typeof({column})"


def _value(value: Any, kind: str) -> Any:
    if kind != "text" or not isinstance(value, bytes):
        return value
    try:
        return value.decode()
    except UnicodeDecodeError:
        return Garbled(value)


def _one_by_one(
    connection: apsw.Connection, table: str, pairs: Sequence[str]
) -> Iterator[Sequence[Any]]:
    select = f"SELECT {', '.join(pairs)} FROM {table}"
    rows, whole = _until_damage(connection, f"{select} ORDER BY rowid")
    if whole:
        yield from rows
        return
    for number in range(1, _last(connection, table) + 1):
        try:
            yield from list(connection.execute(f"{select} WHERE rowid = ?", [number]))
        except apsw.Error:
            yield from _piecemeal(connection, table, pairs, number)


def _piecemeal(
    connection: apsw.Connection, table: str, pairs: Sequence[str], number: int
) -> Iterator[Sequence[Any]]:
    """A row of which not every column can be reached."""
    values: list[Any] = []
    for pair in pairs:
        try:
            (found,) = connection.execute(f"SELECT {pair} FROM {table} WHERE rowid = ?", [number])
            values += found
        except (apsw.Error, ValueError):
            values += [b"\xff", "text"]  # no text ever holds this byte
    if any(
        kind != "text" or value != b"\xff"
        for value, kind in zip(values[::2], values[1::2], strict=True)
    ):
        yield values


def _from_both_ends(
    connection: apsw.Connection, table: str, pairs: Sequence[str]
) -> Iterator[Sequence[Any]]:
    select, key = f"SELECT {', '.join(pairs)} FROM {table}", _WITHOUT_ROWID[table]
    rows, whole = _until_damage(connection, f"{select} ORDER BY {key}")
    if not whole:
        behind, _ = _until_damage(connection, f"{select} ORDER BY {key} DESC")
        rows = list(dict.fromkeys([*map(tuple, rows), *map(tuple, reversed(behind))]))
    yield from rows


def _until_damage(connection: apsw.Connection, statement: str) -> tuple[list[Sequence[Any]], bool]:
    """The rows before the damage, and whether there is none."""
    rows: list[Sequence[Any]] = []
    try:
        for row in connection.execute(statement):
            rows.append(row)
    except (apsw.CorruptError, apsw.SQLError, apsw.IOError):
        return rows, False
    return rows, True


def _last(connection: apsw.Connection, table: str) -> int:
    """The highest row number that anything tells of."""
    numbers = [0]
    for statement in (
        f"SELECT max(rowid) FROM {table}",
        f"SELECT seq FROM sqlite_sequence WHERE name = '{table}'",
        "SELECT max(row) FROM memory_versions",
    ):
        with suppress(apsw.Error):
            numbers += [int(found or 0) for (found,) in connection.execute(statement)]
    return max(numbers)
